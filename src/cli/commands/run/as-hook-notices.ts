/** Notices of `run --as-hook` beside its answer: hooks that do not run, and lost guards. */
import type { HostedCall, Written } from '../../../agents/agents.ts';
import { homeProblem } from '../../../kit/node.ts';
import {
  type ConfigProblem,
  displayName,
  formatProblem,
  type HookOutput,
  type HookRow,
  isUnapproved,
  skipReasons,
  unapprovedText,
} from '../../../protocol/index.ts';
import type { LoadedConfig } from '../../../settings/index.ts';
import type { Context } from '../../context.ts';
import type { AnsweredEvent } from '../../rendering/fired-lines.ts';
import { rememberUnshownLines } from './agent-session.ts';
import type { MissedTexts } from './missed-texts.ts';

/** The text for the model. It has no hook names, because a project could hide orders to the model in them. */
const TELL_THE_USER =
  'hookwright: hooks of this project wait for an approval and do not run. Tell the user to review them: hookwright trust';

interface NoticeTexts {
  readonly user: string;
  readonly model: string;
}

export const unapprovedNotices = (config: LoadedConfig): NoticeTexts[] =>
  config
    .getProblems()
    .filter(({ code }) => code === 'awaiting-approval')
    .slice(0, 1)
    .map(({ message }) => ({ user: `hookwright: ${message}`, model: TELL_THE_USER }));

const UNSUPPORTED =
  'hookwright: a hook of this event cannot run behind this agent. Tell the user to look at it: hookwright doctor';

export const unsupportedNotices = ({ trace }: AnsweredEvent, { title }: HostedCall): NoticeTexts[] =>
  (trace?.rows ?? []).flatMap(({ name, code, message = code }) =>
    code === 'not-supported'
      ? [
          {
            user: `hookwright: hook "${displayName(name)}" does not run behind ${title}: ${message}. Keep it in the settings of ${title}`,
            model: UNSUPPORTED,
          },
        ]
      : [],
  );

/** The answer with the first notice that this session has not shown: agents hide stderr of exit code 0. */
export const answerWithNotice = async (
  call: HostedCall,
  output: HookOutput | undefined,
  isOnlyFault: boolean,
  tellings: readonly NoticeTexts[],
): Promise<Written> => {
  for (const each of tellings) {
    const telling = call.answerWithText(each, output, isOnlyFault);
    const session = { agent: call.agent, sessionId: call.sessionId };
    if (telling !== undefined && (await rememberUnshownLines(session, [each.user])).length > 0) return telling;
  }
  return call.answer(output, isOnlyFault);
};

/** Warns that hooks of the user may not be found. */
export const homeDirectoryWarnings = ({ env }: Context): string[] => {
  const problem = homeProblem(env);
  return problem === undefined ? [] : [problem];
};

/** Approved guards that were removed, unreadable files, and guards that are not in force. */
export const lostGuardLines = (config: LoadedConfig, cwd: string): string[] =>
  config.getProblems().flatMap((problem) => (isLost(problem) ? [formatProblem(problem, cwd)] : []));

const LOST =
  'hookwright: an approved hook is gone or off, or a file of hooks cannot be read. Tell the user to look at it: hookwright doctor';

const MISTAKEN =
  'hookwright: a mistake in its settings keeps a hook out of force. Tell the user to look at it: hookwright doctor';

/**
 * Messages for the agent's user, who does not see stderr: guards that no longer protect, and hooks that a mistake in
 * their settings disables.
 */
export const lostGuardNotices = (config: LoadedConfig, cwd: string): NoticeTexts[] =>
  [lostGuardLines(config, cwd), skippedHookLines(config, cwd)].flatMap((problems, index) =>
    problems.map((problem) => ({ user: `hookwright: ${problem}`, model: index === 0 ? LOST : MISTAKEN })),
  );

const MISSED =
  'hookwright: a guard does not get the calls that it is for. Tell the user to look at it: hookwright doctor';

/** One notice for all guards that miss calls: an answer has room for one text, and there may be no second call. */
export const missedGuardNotices = ({ guards }: MissedTexts): NoticeTexts[] =>
  guards.length === 0 ? [] : [{ user: `hookwright: ${guards.join('\n')}`, model: MISSED }];

const isLost = ({ severity, code, skipped }: ConfigProblem): boolean =>
  // An unknown key that was left out is an event beside "hooks". An approved hook without an `onFault` may deny as well.
  severity === 'error' ? skipped || lostCodes.has(code) : code === 'removed' || (skipped && code === 'unknown-key');

/** Skipped on purpose, or named by their rows already. */
const intended: ReadonlySet<string> = new Set(['awaiting-approval', 'event-not-fired']);

/** Other hooks that are skipped because of a mistake in their file. */
export const skippedHookLines = (config: LoadedConfig, cwd: string): string[] =>
  config
    .getProblems()
    .filter((problem) => problem.skipped && !isLost(problem) && !intended.has(problem.code))
    .map((problem) => formatProblem(problem, cwd));

/** Guards whose canaries failed. */
export const failedCanaryLines = ({ problems = [] }: AnsweredEvent, cwd: string): string[] =>
  problems.filter(({ code }) => code === 'canary-failed').map((problem) => formatProblem(problem, cwd));

const lostCodes: ReadonlySet<string> = new Set(['switched-off', 'removed', 'unreadable-file', 'syntax-error']);

/** Hooks that did not run because they are not approved. */
export const unapprovedLines = ({ trace }: AnsweredEvent): readonly string[] => {
  const told = trace?.rows.flatMap(({ name, reason, message, hint }) => {
    if (!isUnapproved(reason)) return [];
    const why = message ?? (hint === undefined || hint === skipReasons[reason] ? unapprovedText(reason) : hint);
    return [`Hook "${displayName(name)}" did not run: ${why}`];
  });
  return [...new Set(told)];
};

const FAILED =
  'hookwright: a hook of this event failed, and the call went on without it. Tell the user to look at it: hookwright doctor';

/** Hooks of ours that failed without a word of their own: the call goes on. */
export const failedHookNotices = ({ trace }: AnsweredEvent): NoticeTexts[] =>
  (trace?.rows ?? []).flatMap((row) => {
    const { name, dialect, code, message = code } = row;
    if (dialect !== undefined || !isSilentFailure(row)) return [];
    return [{ user: `hookwright: hook "${displayName(name)}" failed: ${message}. The call went on`, model: FAILED }];
  });

const isSilentFailure = ({ planned, code, background, output = {} }: HookRow): boolean =>
  planned === 'run' &&
  code !== undefined &&
  code !== 'not-supported' &&
  background !== true &&
  Object.keys(output).length === 0;

/** Adds a warning for the user about each failed hook of another agent, because the call goes on. */
export const withFailureWarnings = (
  output: HookOutput | undefined,
  { trace }: AnsweredEvent,
): HookOutput | undefined => {
  const failures = (trace?.rows ?? []).flatMap((row) => {
    const { name, dialect, code, message = code } = row;
    return dialect !== undefined && isSilentFailure(row)
      ? [`Warning: hook "${displayName(name)}" failed: ${message}`]
      : [];
  });
  if (failures.length === 0) return output;
  const messages = [output?.systemMessage, ...new Set(failures)].filter((text) => text !== undefined);
  return { ...output, systemMessage: messages.join('\n') };
};
