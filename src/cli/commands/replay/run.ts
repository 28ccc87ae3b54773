/** `hookwright replay`: shows a recorded session, or runs its requests again. */
import { MessageBus } from '../../../bus/index.ts';
import { HookSystem } from '../../../hook-system.ts';
import { type ReplayOptions, type ReplayPair, replay, type Session } from '../../../sessions/index.ts';
import { expectHookEvents } from '../../arguments/events.ts';
import { undefinedIfEmpty } from '../../arguments/flags.ts';
import type { CommandMain } from '../../command.ts';
import type { CliProblem, CommandOutcome } from '../../command-outcome.ts';
import type { Context } from '../../context.ts';
import { formatParagraph } from '../../rendering/layout.ts';
import { MessageRenderer } from '../../rendering/message-lines.ts';
import { formatCount, formatProblems } from '../../rendering/problem-lines.ts';
import { createSpan, type Text } from '../../rendering/text.ts';
import { formatAnswerPieces } from '../../rendering/verdict-text.ts';
import { chooseSession } from '../../sources/choose-session.ts';
import { loadSettings } from '../../sources/load-settings.ts';
import { listSessionProblems } from '../../sources/recorded-requests.ts';
import { NotFoundError, UsageError } from '../../usage-error.ts';
import type { replaySpec } from './spec.ts';

export const run: CommandMain<typeof replaySpec> = async (options, context) => {
  const { drive, pace, event: events, tool: tools, hook: hooks, full } = options;
  const chosen = await chooseSession('replay', options, context);
  const session = chosen.open();
  const filters = {
    pace: readPace(pace),
    events: undefinedIfEmpty(expectHookEvents(events)),
    tools: undefinedIfEmpty(tools),
    hooks: undefinedIfEmpty(hooks),
  };
  if (drive) return driveSession(session, filters, context);
  return observeSession(chosen.name, session, { ...filters, full }, context);
};

const readPace = (wish: string | undefined): 'instant' | 'recorded' | number => {
  if (wish === undefined || wish === 'instant') return 'instant';
  if (wish === 'recorded') return 'recorded';
  const pace = Number(wish);
  if (Number.isFinite(pace) && pace > 0) return pace;
  throw new UsageError(`--pace must be instant, recorded or a number over 0, found ${JSON.stringify(wish)}`);
};

const formatPair = (pair: ReplayPair, width: number): Text => {
  const { line, eventName, subject, recorded, replayed, same, differences } = pair;
  const about = `line ${line}, ${eventName}${subject === undefined ? '' : ` ${subject}`}: `;
  const now = formatAnswerPieces(replayed);
  if (same) return [[createSpan('green', '= '), about, ...now]];
  const then = formatAnswerPieces(recorded);
  return [
    [createSpan('red', '≠ '), about, ...then, createSpan('dim', ' became '), ...now],
    ...formatParagraph(`differs in ${differences.join(', ')}`, width, 4, 6, 'dim'),
  ];
};

type ReplayFilters = Pick<ReplayOptions, 'pace' | 'events' | 'tools' | 'hooks'>;

const driveSession = async (session: Session, options: ReplayFilters, context: Context): Promise<CommandOutcome> => {
  const { signal } = context;
  const bus = new MessageBus();
  const { config } = await loadSettings(context);
  const system = new HookSystem(config, bus, config.getDeps());
  try {
    const { pairs, problems } = await replay(session, bus, {
      ...options,
      mode: 'drive',
      signal,
      onProgress: ({ published }) => context.progress(`${formatCount(published, 'request')} sent`),
    });
    const warnings = problems.map(
      ({ line, message, file = session.file }): CliProblem => ({ severity: 'warning', message, file, line }),
    );
    const different = pairs.filter(({ same }) => !same).length;
    return {
      findings: different > 0,
      data: { session: session.file, total: pairs.length, different, pairs },
      problems: warnings,
      text: () => [
        ...pairs.flatMap((pair) => formatPair(pair, context.width)),
        ...formatProblems(warnings, context),
        `${formatCount(pairs.length, 'request')}: ${pairs.length - different} as recorded, ${different} different`,
      ],
    };
  } finally {
    await system.dispose();
  }
};

const observeSession = async (
  name: string,
  session: Session,
  { full, ...options }: ReplayFilters & { readonly full: boolean },
  context: Context,
): Promise<CommandOutcome> => {
  const { signal } = context;
  const renderer = new MessageRenderer(full);
  let shown = 0;
  const onProgress: ReplayOptions['onProgress'] = ({ entry }) => {
    shown += 1;
    context.item(entry, () => [renderer.renderLine(entry)]);
  };
  try {
    await replay(session, new MessageBus(), { ...options, signal, onProgress });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  const problems = listSessionProblems(session);
  if (shown === 0 && problems.some(({ code }) => code === 'not-a-session')) {
    throw new NotFoundError(`${name} is not a recorded session`, 'hookwright record -- <your agent> writes one');
  }
  return {
    data: { session: session.file, messages: shown },
    problems,
    text: () => [
      ...formatProblems(problems, context),
      [createSpan('dim', `${formatCount(shown, 'message')} of ${name}`)],
    ],
  };
};
