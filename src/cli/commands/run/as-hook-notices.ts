/** Texts that `run --as-hook` adds to its answer: hooks that do not run, and guards that do not protect. */
import type { HostedCall, WrittenAnswer } from '../../../agents/agents.ts';
import { findHomeProblem, findLostHome } from '../../../kit/node.ts';
import {
  type ConfigProblem,
  describeUnapproved,
  formatProblem,
  type HookOutput,
  type HookRow,
  isUnapproved,
  mayProceedFreely,
  shortenHookName,
  skipReasons,
} from '../../../protocol/index.ts';
import type { LoadedConfig } from '../../../settings/index.ts';
import type { Context } from '../../context.ts';
import type { AnsweredEvent } from '../../rendering/fired-lines.ts';
import { findVerdict } from '../../rendering/verdict-text.ts';
import { rememberUnshownLines } from './agent-session.ts';
import type { MissedTexts } from './missed-texts.ts';

/** Contains no hook names, because a project could hide instructions for the model in them. */
const UNAPPROVED_TEXT =
  'hookwright: hooks of this project wait for an approval and do not run. Tell the user to review them: hookwright trust';

interface NoticeTexts {
  readonly user: string;
  readonly model: string;
}

export const listUnapprovedNotices = (config: LoadedConfig): NoticeTexts[] =>
  config
    .getProblems()
    .filter(({ code }) => code === 'awaiting-approval')
    .slice(0, 1)
    .map(({ message }) => ({ user: `hookwright: ${message}`, model: UNAPPROVED_TEXT }));

const UNSUPPORTED_TEXT =
  'hookwright: a hook of this event cannot run behind this agent. Tell the user to look at it: hookwright doctor';

export const listUnsupportedNotices = ({ trace }: AnsweredEvent, { title }: HostedCall): NoticeTexts[] =>
  (trace?.rows ?? []).flatMap(({ name, code, message = code }) =>
    code === 'not-supported'
      ? [
          {
            user: `hookwright: hook "${shortenHookName(name)}" does not run behind ${title}: ${message}. Keep it in the settings of ${title}`,
            model: UNSUPPORTED_TEXT,
          },
        ]
      : [],
  );

/** Agents hide stderr of a successful hook, so the answer has the first notice that was not shown yet. */
export const answerWithNotice = async (
  call: HostedCall,
  output: HookOutput | undefined,
  isOnlyFault: boolean,
  notices: readonly NoticeTexts[],
): Promise<WrittenAnswer> => {
  for (const each of notices) {
    const answer = call.answerWithText(each, output, isOnlyFault);
    const session = { agent: call.agent, sessionId: call.sessionId };
    if (answer !== undefined && (await rememberUnshownLines(session, [each.user])).length > 0) return answer;
  }
  return call.answer(output, isOnlyFault);
};

export const listHomeDirectoryWarnings = ({ env }: Context): string[] => {
  const problem = findHomeProblem(env);
  return problem === undefined ? [] : [problem];
};

const LOST_HOME_TEXT =
  'hookwright: the settings and approvals of the user cannot be found. Tell the user to look at it: hookwright doctor';

export const listLostHomeNotices = (): NoticeTexts[] => {
  const problem = findLostHome();
  return problem === undefined ? [] : [{ user: `hookwright: ${problem}`, model: LOST_HOME_TEXT }];
};

export const formatLostGuardLines = (config: LoadedConfig, cwd: string): string[] =>
  config.getProblems().flatMap((problem) => (isLost(problem) ? [formatProblem(problem, cwd)] : []));

const LOST_GUARD_TEXT =
  'hookwright: an approved hook is gone or off, or a file of hooks cannot be read. Tell the user to look at it: hookwright doctor';

const INVALID_SETTINGS_TEXT =
  'hookwright: a mistake in its settings keeps a hook out of force. Tell the user to look at it: hookwright doctor';

export const listLostGuardNotices = (config: LoadedConfig, cwd: string): NoticeTexts[] =>
  [formatLostGuardLines(config, cwd), formatSkippedHookLines(config, cwd)].flatMap((problems, index) =>
    problems.map((problem) => ({
      user: `hookwright: ${problem}`,
      model: index === 0 ? LOST_GUARD_TEXT : INVALID_SETTINGS_TEXT,
    })),
  );

const MISSED_CALLS_TEXT =
  'hookwright: a guard does not get the calls that it is for. Tell the user to look at it: hookwright doctor';

/** One notice for all guards, because an answer has room for one text, and there may be no second call. */
export const listMissedGuardNotices = ({ guards }: MissedTexts): NoticeTexts[] =>
  guards.length === 0 ? [] : [{ user: `hookwright: ${guards.join('\n')}`, model: MISSED_CALLS_TEXT }];

const isLost = ({ severity, code, skipped }: ConfigProblem): boolean =>
  severity === 'error' ? skipped || lostCodes.has(code) : code === 'removed' || (skipped && code === 'unknown-key');

const intendedCodes: ReadonlySet<string> = new Set(['awaiting-approval', 'event-not-fired']);

export const formatSkippedHookLines = (config: LoadedConfig, cwd: string): string[] =>
  config
    .getProblems()
    .filter((problem) => problem.skipped && !isLost(problem) && !intendedCodes.has(problem.code))
    .map((problem) => formatProblem(problem, cwd));

export const formatFailedCanaryLines = ({ problems = [] }: AnsweredEvent, cwd: string): string[] =>
  problems.filter(({ code }) => code === 'canary-failed').map((problem) => formatProblem(problem, cwd));

const lostCodes: ReadonlySet<string> = new Set(['switched-off', 'removed', 'unreadable-file', 'syntax-error']);

export const formatUnapprovedLines = ({ trace }: AnsweredEvent): readonly string[] => {
  const told = trace?.rows.flatMap(({ name, reason, message, hint }) => {
    if (!isUnapproved(reason)) return [];
    const why = message ?? (hint === undefined || hint === skipReasons[reason] ? describeUnapproved(reason) : hint);
    return [`Hook "${shortenHookName(name)}" did not run: ${why}`];
  });
  return [...new Set(told)];
};

const FAILED_HOOK_TEXT =
  'hookwright: a hook of this event failed, and the call went on without it. Tell the user to look at it: hookwright doctor';

export const listFailedHookNotices = ({ trace }: AnsweredEvent): NoticeTexts[] =>
  (trace?.rows ?? []).flatMap((row) => {
    const { name, dialect, code, message = code } = row;
    if (dialect !== undefined || !isSilentFailure(row)) return [];
    return [
      {
        user: `hookwright: hook "${shortenHookName(name)}" failed: ${message}. The call went on`,
        model: FAILED_HOOK_TEXT,
      },
    ];
  });

const isSilentFailure = ({ planned, code, background, eventName, output }: HookRow): boolean =>
  planned === 'run' &&
  code !== undefined &&
  code !== 'not-supported' &&
  background !== true &&
  mayProceedFreely(findVerdict(eventName, output).verdict) &&
  (code === 'malformed-output' || output?.systemMessage === undefined);

/** Hooks of another agent failed and the call goes on, so the user gets a warning. */
export const withFailureWarnings = (
  output: HookOutput | undefined,
  { trace }: AnsweredEvent,
): HookOutput | undefined => {
  const failures = (trace?.rows ?? []).flatMap((row) => {
    const { name, dialect, code, message = code } = row;
    return dialect !== undefined && isSilentFailure(row)
      ? [`Warning: hook "${shortenHookName(name)}" failed: ${message}`]
      : [];
  });
  if (failures.length === 0) return output;
  const messages = [output?.systemMessage, ...new Set(failures)].filter((text) => text !== undefined);
  return { ...output, systemMessage: messages.join('\n') };
};
