/** Texts that `run --as-hook` adds to its answer: hooks that do not run, and guards that do not protect. */
import type { HostedCall, WrittenAnswer } from '../../../agents/cli-api.ts';
import { explainUnusableHome, findHomeProblem } from '../../../kit/node.ts';
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
import { rememberUnshownLines, type SessionKey } from './agent-session.ts';
import type { MissedCallWarnings } from './missed-call-warnings.ts';

interface NoticeTexts {
  readonly user: string;
  /** Contains no hook names, because a project could hide instructions for the model in them. */
  readonly model: string;
}

const createNotices = (
  trouble: string,
  texts: readonly (string | undefined)[],
  advice = 'look at it: hookwright doctor',
): NoticeTexts[] => {
  const model = `hookwright: ${trouble}. Tell the user to ${advice}`;
  return texts.flatMap((text) => (text === undefined ? [] : [{ user: `hookwright: ${text}`, model }]));
};

/** The notices about one event, most important first. */
export const listNotices = (
  { title }: HostedCall,
  { trace }: AnsweredEvent,
  config: LoadedConfig,
  { missed: { guards }, isDenied, cwd }: { missed: MissedCallWarnings; isDenied: boolean; cwd: string },
): NoticeTexts[] => {
  const rows = trace?.rows ?? [];
  const waiting = config.getProblems().find(({ code }) => code === 'awaiting-approval');
  const unsupported = rows.filter(({ code }) => code === 'not-supported');
  const failed = rows.filter((row) => row.dialect === undefined && isSilentFailure(row));
  return [
    ...createNotices('the settings and approvals of the user cannot be found', [explainUnusableHome()]),
    ...(isDenied
      ? []
      : [
          ...createNotices(
            'an approved hook is gone or off, or a file of hooks cannot be read',
            formatLostGuardLines(config, cwd),
          ),
          ...createNotices('a mistake in its settings keeps a hook out of force', formatSkippedHookLines(config, cwd)),
          // One notice for all guards, because an answer has room for one text, and there may be no second call.
          ...createNotices(
            'a guard does not get the calls that it is for',
            guards.length === 0 ? [] : [guards.join('\n')],
          ),
        ]),
    ...createNotices(
      'hooks of this project wait for an approval and do not run',
      [waiting?.message],
      'review them: hookwright trust',
    ),
    ...createNotices(
      'a hook of this event cannot run behind this agent',
      unsupported.map(
        ({ name, code, message = code }) =>
          `hook "${shortenHookName(name)}" does not run behind ${title}: ${message}. Keep it in the settings of ${title}`,
      ),
    ),
    ...createNotices(
      'a hook of this event failed, and the call went on without it',
      failed.map(
        ({ name, code, message = code }) => `hook "${shortenHookName(name)}" failed: ${message}. The call went on`,
      ),
    ),
  ];
};

/** Agents hide the stderr of a successful hook, so the answer carries the first notice that the user has not seen. */
export const answerWithNotice = async (
  call: HostedCall,
  output: HookOutput | undefined,
  isOnlyFault: boolean,
  notices: readonly NoticeTexts[],
): Promise<WrittenAnswer> => {
  for (const each of notices) {
    const answer = call.answerWithText(each, output, isOnlyFault);
    if (answer !== undefined && (await rememberUnshownLines(call, [each.user])).length > 0) return answer;
  }
  return call.answer(output, isOnlyFault);
};

/** The lines for stderr about hooks that do not run. Some are shown only once per session. */
export const formatNotes = async (
  session: SessionKey,
  fired: AnsweredEvent,
  config: LoadedConfig,
  missed: readonly string[],
  { cwd, env }: Pick<Context, 'cwd' | 'env'>,
): Promise<string[]> => {
  const homeProblem = findHomeProblem(env);
  return [
    ...(homeProblem === undefined ? [] : [homeProblem]),
    ...formatLostGuardLines(config, cwd),
    ...(await rememberUnshownLines(session, [...formatSkippedHookLines(config, cwd), ...missed])),
    ...formatUnapprovedLines(fired),
  ];
};

const formatLostGuardLines = (config: LoadedConfig, cwd: string): string[] =>
  config
    .getProblems()
    .filter(isLostHookProblem)
    .map((problem) => formatProblem(problem, cwd));

const lostCodes: ReadonlySet<string> = new Set(['switched-off', 'removed', 'unreadable-file', 'syntax-error']);

const isLostHookProblem = ({ severity, code, skipped }: ConfigProblem): boolean =>
  severity === 'error' ? skipped || lostCodes.has(code) : code === 'removed' || (skipped && code === 'unknown-key');

const intendedCodes: ReadonlySet<string> = new Set(['awaiting-approval', 'event-not-fired']);

const formatSkippedHookLines = (config: LoadedConfig, cwd: string): string[] =>
  config
    .getProblems()
    .filter((problem) => problem.skipped && !isLostHookProblem(problem) && !intendedCodes.has(problem.code))
    .map((problem) => formatProblem(problem, cwd));

export const formatFailedCanaryLines = ({ problems = [] }: AnsweredEvent, cwd: string): string[] =>
  problems.filter(({ code }) => code === 'canary-failed').map((problem) => formatProblem(problem, cwd));

const formatUnapprovedLines = ({ trace }: AnsweredEvent): readonly string[] => {
  const told = trace?.rows.flatMap(({ name, reason, message, hint }) => {
    if (!isUnapproved(reason)) return [];
    const why = message ?? (hint === undefined || hint === skipReasons[reason] ? describeUnapproved(reason) : hint);
    return [`Hook "${shortenHookName(name)}" did not run: ${why}`];
  });
  return [...new Set(told)];
};

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
  const failures = (trace?.rows ?? [])
    .filter((row) => row.dialect !== undefined && isSilentFailure(row))
    .map(({ name, code, message = code }) => `Warning: hook "${shortenHookName(name)}" failed: ${message}`);
  if (failures.length === 0) return output;
  const messages = [output?.systemMessage, ...new Set(failures)].filter((text) => text !== undefined);
  return { ...output, systemMessage: messages.join('\n') };
};
