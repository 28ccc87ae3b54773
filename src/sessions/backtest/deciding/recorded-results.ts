import type { HookEventName } from '../../../events/index.ts';
import { refusalOf } from '../../../planner/index.ts';
import {
  DEFAULT_TIMEOUT_MS,
  type HookConfig,
  type HookExecutionResult,
  type HookOutput,
  type HookRow,
} from '../../../protocol/index.ts';
import { applyOnFault, faultResult } from '../../../runners/index.ts';

/** What `onFault` made of a fault is no answer of the hook: it goes, and the policy of today decides anew. */
const CONSEQUENCE = / \(fault "[^"]*"; onFault: "(?:deny" denies|ask" asks)\)$/;

interface Undone {
  readonly output: HookOutput | undefined;
  /** What went wrong, in the words of the recording. */
  readonly message: string | undefined;
}

const withoutMark = (output: HookOutput): HookOutput => {
  if (output.hookSpecificOutput?.onFault !== true) return output;
  const { hookSpecificOutput, ...rest } = output;
  const { onFault: _mark, ...specific } = hookSpecificOutput;
  return Object.keys(specific).length === 0 ? rest : { ...rest, hookSpecificOutput: specific };
};

const undoOnFault = (recorded: HookOutput | undefined): Undone => {
  if (recorded === undefined) return { output: undefined, message: undefined };
  const output = withoutMark(recorded);
  const { decision: _decision, reason, ...rest } = output;
  if (typeof reason !== 'string' || !CONSEQUENCE.test(reason)) return { output, message: undefined };
  const isEmpty = Object.keys(rest).length === 0;
  return { output: isEmpty ? undefined : rest, message: reason.replace(CONSEQUENCE, '') };
};

/**
 * Plain text says `allow` out of courtesy and not as an opinion. A row does not keep which it was, but every opinion has
 * its fate among the fields.
 */
const isCourtesy = (output: HookOutput, { fields }: HookRow): boolean => {
  if (output.decision !== 'allow') return false;
  if (fields !== undefined) return !Object.hasOwn(fields, 'decision');
  return Object.keys(output).every((key) => key === 'decision' || key === 'systemMessage');
};

/** The health of the run, not its verdict: an answer that cannot be read comes from a healthy process. */
const wasHealthy = ({ code, exitCode }: HookRow): boolean =>
  (code === undefined || code === 'malformed-output') && (exitCode === undefined || exitCode === 0);

/** How a hook ended that was recorded with this row, had it been configured as it is now. */
export const resultFromRow = (config: HookConfig, eventName: string, row: HookRow): HookExecutionResult => {
  const refusal = refusalOf(config);
  if (refusal !== undefined) return applyOnFault(faultResult(config, eventName, refusal));
  const { code, durationMs: duration = 0 } = row;
  const base = { hookConfig: config, eventName, success: wasHealthy(row), duration };
  if (code === undefined) return { ...base, ...answerOf(row.output, row) };
  const { output, message } = undoOnFault(row.output);
  const error = message ?? `Hook "${row.name}" ended with the fault "${code}" when this was recorded`;
  return applyOnFault({ ...base, code, error: new Error(error), ...answerOf(output, row) });
};

const answerOf = (
  output: HookOutput | undefined,
  row: HookRow,
): Pick<HookExecutionResult, 'output' | 'outputFormat'> => {
  if (output === undefined) return {};
  return { output, outputFormat: isCourtesy(output, row) ? 'text' : 'json' };
};

/** How a hook ended, as it was recorded. */
export const recordedResult = (eventName: HookEventName, row: HookRow): HookExecutionResult => ({
  hookConfig: {},
  eventName,
  success: wasHealthy(row),
  duration: row.durationMs ?? 0,
  ...answerOf(row.output, row),
});

/** Beyond this, a time that was measured once says that another limit would have been met or missed. */
const isClearlyOver = (durationMs: number, limitMs: number): boolean => durationMs > limitMs * 1.1 + 50;

/** Why a recorded row cannot speak for a hook that is configured like this; nothing when it can. */
export const whyNotUsable = (config: HookConfig, row: HookRow): string | undefined => {
  const { outcome, code, durationMs } = row;
  const timeout = config.timeout ?? DEFAULT_TIMEOUT_MS;
  if (refusalOf(config) !== undefined) return undefined;
  if (outcome === undefined) return 'how it ended was not recorded';
  if (outcome === 'background') return 'it was not waited for when this was recorded';
  if (code === 'matcher-timeout') return 'it was not started when this was recorded: its matcher took too long';
  if (durationMs === undefined) return undefined;
  const took = Math.round(durationMs);
  if (code === 'timeout') {
    return isClearlyOver(timeout, durationMs)
      ? `it ran out of time after ${took} ms and has ${timeout} ms now`
      : undefined;
  }
  return isClearlyOver(durationMs, timeout) ? `it took ${took} ms and has only ${timeout} ms now` : undefined;
};
