/** What `run --as-hook` tells beside its answer: hooks that do not run, and guards that were lost. */
import type { HostedCall, Written } from '../../../agents/agents.ts';
import { homeProblem } from '../../../kit/node.ts';
import {
  type ConfigProblem,
  formatProblem,
  type HookOutput,
  isUnapproved,
  shownName,
  skipReasons,
  unapprovedText,
} from '../../../protocol/index.ts';
import type { LoadedConfig } from '../../../settings/index.ts';
import type { Context } from '../../context.ts';
import type { AnsweredEvent } from '../../rendering/fired-lines.ts';
import { onceInSession } from './agent-session.ts';

/** For the model: names of hooks that are not approved are texts of the project that it must not read here. */
const TELL_THE_USER =
  'hookwright: hooks of this project wait for an approval and do not run. Tell the user to review them: hookwright trust';

interface Telling {
  readonly user: string;
  readonly model: string;
}

export const waitingIn = (config: LoadedConfig): Telling[] =>
  config
    .getProblems()
    .filter(({ code }) => code === 'awaiting-approval')
    .slice(0, 1)
    .map(({ message }) => ({ user: `hookwright: ${message}`, model: TELL_THE_USER }));

const UNSUPPORTED =
  'hookwright: a hook of this event cannot run behind this agent. Tell the user to look at it: hookwright doctor';

export const unsupportedIn = ({ trace }: AnsweredEvent, { title }: HostedCall): Telling[] =>
  (trace?.rows ?? []).flatMap(({ name, code, message = code }) =>
    code === 'not-supported'
      ? [
          {
            user: `hookwright: hook "${shownName(name)}" does not run behind ${title}: ${message}. Keep it in the settings of ${title}`,
            model: UNSUPPORTED,
          },
        ]
      : [],
  );

/** The answer, and once in a session with hooks that do not run: an agent shows no stderr beside exit code 0. */
export const answerWithText = async (
  call: HostedCall,
  output: HookOutput | undefined,
  isOnlyFault: boolean,
  tellings: readonly Telling[],
): Promise<Written> => {
  for (const each of tellings) {
    const telling = call.answerWithText(each, output, isOnlyFault);
    const session = { agent: call.agent, sessionId: call.sessionId };
    if (telling !== undefined && (await onceInSession(session, [each.user])).length > 0) return telling;
  }
  return call.answer(output, isOnlyFault);
};

/** Hooks of the user that may not be found. */
export const homeNotes = ({ env }: Context): string[] => {
  const problem = homeProblem(env);
  return problem === undefined ? [] : [problem];
};

/** Approved guards that the project took away, files that cannot be read, and guards of a file that are not in force. */
export const lostIn = (config: LoadedConfig, cwd: string): string[] =>
  config.getProblems().flatMap((problem) => (isLost(problem) ? [formatProblem(problem, cwd)] : []));

const LOST =
  'hookwright: an approved guard is gone or off, or a file of hooks cannot be read. Tell the user to look at it: hookwright doctor';

/** The same for the user of the agent. */
export const lostTellings = (config: LoadedConfig, cwd: string): Telling[] =>
  lostIn(config, cwd).map((problem) => ({ user: `hookwright: ${problem}`, model: LOST }));

const isLost = ({ severity, code, skipped }: ConfigProblem): boolean =>
  // An unknown key that was left out is an event beside "hooks".
  severity === 'error' ? skipped || lostCodes.has(code) : skipped && code === 'unknown-key';

/** What this host cannot do is no mistake; hooks that wait for an approval are named by their rows. */
const intended: ReadonlySet<string> = new Set(['awaiting-approval', 'event-not-fired']);

/** Other hooks that a mistake in their file keeps out of force. */
export const outOfForce = (config: LoadedConfig, cwd: string): string[] =>
  config
    .getProblems()
    .filter((problem) => problem.skipped && !isLost(problem) && !intended.has(problem.code))
    .map((problem) => formatProblem(problem, cwd));

/** Guards whose canaries were lost, when a session begins or before. A call is refused with the same words. */
export const canariesIn = ({ problems = [] }: AnsweredEvent, cwd: string): string[] =>
  problems.filter(({ code }) => code === 'canary-failed').map((problem) => formatProblem(problem, cwd));

const lostCodes: ReadonlySet<string> = new Set(['switched-off', 'removed', 'unreadable-file', 'syntax-error']);

/** Hooks that did not run because no approval covers them: the call goes on without their check. */
export const unapprovedIn = ({ trace }: AnsweredEvent): readonly string[] => {
  const told = trace?.rows.flatMap(({ name, reason, message, hint }) => {
    if (!isUnapproved(reason)) return [];
    const why = message ?? (hint === undefined || hint === skipReasons[reason] ? unapprovedText(reason) : hint);
    return [`Hook "${shownName(name)}" did not run: ${why}`];
  });
  return [...new Set(told)];
};

/**
 * The output with a warning to the user for each failed hook that was written for another agent: the call
 * goes on.
 */
export const withFailures = (output: HookOutput | undefined, { trace }: AnsweredEvent): HookOutput | undefined => {
  const failures = (trace?.rows ?? []).flatMap(
    ({ name, dialect, planned, code, message = code, background, output: own = {} }) => {
      const isSilent = Object.keys(own).length === 0 && background !== true;
      return dialect !== undefined && planned === 'run' && code !== undefined && code !== 'not-supported' && isSilent
        ? [`Warning: hook "${shownName(name)}" failed: ${message}`]
        : [];
    },
  );
  if (failures.length === 0) return output;
  const messages = [output?.systemMessage, ...new Set(failures)].filter((text) => text !== undefined);
  return { ...output, systemMessage: messages.join('\n') };
};
