import { MessageBus } from '../../../bus/index.ts';
import { HookSystem } from '../../../hook-system.ts';
import { type ReplayOptions, type ReplayPair, replay, type Session } from '../../../sessions/index.ts';
import type { CommandOutcome } from '../../command-outcome.ts';
import type { Context } from '../../context.ts';
import { paragraph } from '../../rendering/layout.ts';
import { counted, problemsText } from '../../rendering/problem-lines.ts';
import { styled, type Text } from '../../rendering/text.ts';
import { answerPieces } from '../../rendering/verdict-text.ts';
import { loadSettings } from '../../sources/load-settings.ts';

const pairText = (pair: ReplayPair, width: number): Text => {
  const { line, eventName, subject, recorded, replayed, same, differences } = pair;
  const about = `line ${line}, ${eventName}${subject === undefined ? '' : ` ${subject}`}: `;
  const now = answerPieces(replayed);
  if (same) return [[styled('green', '= '), about, ...now]];
  const then = answerPieces(recorded);
  return [
    [styled('red', '≠ '), about, ...then, styled('dim', ' became '), ...now],
    ...paragraph(`differs in ${differences.join(', ')}`, width, 4, 6, 'dim'),
  ];
};

/** Asks the recorded requests again, of the hooks that are configured here, and holds the answers to the recorded ones. */
export const drive = async (
  session: Session,
  options: Pick<ReplayOptions, 'pace' | 'events' | 'tools' | 'hooks'>,
  context: Context,
): Promise<CommandOutcome> => {
  const { signal, screen, cwd } = context;
  const bus = new MessageBus();
  const { config } = await loadSettings(context);
  const system = new HookSystem(config, bus, config.getDeps());
  try {
    const { pairs, problems } = await replay(session, bus, {
      ...options,
      mode: 'drive',
      signal,
      onProgress: ({ published }) => context.progress(`${counted(published, 'request')} sent`),
    });
    const told = problems.map(({ line, message, file = session.file }) => {
      const severity = 'warning' as const;
      return { severity, message, file, line };
    });
    const different = pairs.filter(({ same }) => !same).length;
    return {
      findings: different > 0,
      data: { session: session.file, total: pairs.length, different, pairs },
      problems: told,
      text: () => [
        ...pairs.flatMap((pair) => pairText(pair, screen.width)),
        ...problemsText(told, screen.width, cwd),
        `${counted(pairs.length, 'request')}: ${pairs.length - different} as recorded, ${different} different`,
      ],
    };
  } finally {
    await system.dispose();
  }
};
