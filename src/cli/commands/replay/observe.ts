import { MessageBus } from '../../../bus/index.ts';
import { type ReplayOptions, replay, type Session } from '../../../sessions/index.ts';
import type { CommandOutcome } from '../../command-outcome.ts';
import type { Context } from '../../context.ts';
import { Narrator } from '../../rendering/message-lines.ts';
import { counted, problemsText } from '../../rendering/problem-lines.ts';
import { styled } from '../../rendering/text.ts';
import { NothingThere } from '../../sources/nothing-there.ts';
import { sessionProblems } from '../../sources/recorded-requests.ts';

/** Shows the messages of a session as they were recorded. Nothing is run. */
export const observe = async (
  name: string,
  session: Session,
  { full, ...options }: Pick<ReplayOptions, 'pace' | 'events' | 'tools' | 'hooks'> & { readonly full: boolean },
  context: Context,
): Promise<CommandOutcome> => {
  const { signal, screen, cwd } = context;
  const narrator = new Narrator(full);
  let shown = 0;
  const onProgress: ReplayOptions['onProgress'] = ({ entry }) => {
    shown += 1;
    context.item(entry, () => [narrator.line(entry)]);
  };
  try {
    await replay(session, new MessageBus(), { ...options, signal, onProgress });
  } catch (error) {
    // Ctrl-C and a reader that is gone end it like its end: what was shown was shown.
    if (!signal.aborted) throw error;
  }
  const problems = sessionProblems(session);
  if (shown === 0 && problems.some(({ code }) => code === 'not-a-session')) {
    throw new NothingThere(`${name} is not a recorded session`, 'hookwright record -- <your agent> writes one');
  }
  return {
    data: { session: session.file, messages: shown },
    problems,
    text: () => [
      ...problemsText(problems, screen.width, cwd),
      [styled('dim', `${counted(shown, 'message')} of ${name}`)],
    ],
  };
};
