/**
 * Runs one hook: checks whether it may run, calls its lane, and applies `onFault` or the limits of advisory hooks
 * to its result.
 */
import { withEventNotice } from '../../events/index.ts';
import { describeThrown, describeValue, isRecord, type MaybePromise } from '../../kit/index.ts';
import { createMismatchResult, isSkippedByCondition, readStartRefusal } from '../../planner/index.ts';
import {
  type FieldProblem,
  findHookChange,
  getHookKey,
  getOrigin,
  type HookConfig,
  type HookExecutionResult,
  type HookOutput,
  isBlocking,
  type SpecificField,
  shortenHookName,
} from '../../protocol/index.ts';
import { createAbortFault, createFaultResult, createNotMatchedResult } from '../answer/faults.ts';
import type { EngineLane, EventRun } from '../lanes/event-run.ts';
import type { LaneTable } from '../lanes/lane-table.ts';
import type { AdvisoryDeadlines } from './advisory-deadlines.ts';
import type { ProcessSlots } from './process-slots.ts';

/** `index` is the position of the hook in the event's list of hooks. */
export type OnHookStart = (hook: HookConfig, index: number) => void;
export type OnHookEnd = (hook: HookConfig, result: HookExecutionResult, index: number) => void;

export interface HookRunnerParts {
  readonly lanes: LaneTable;
  readonly slots: ProcessSlots;
  readonly projectDir: () => string;
  readonly onTrouble: (error: unknown) => void;
  readonly debug: ((line: string) => void) | undefined;
}

export interface HookRunContext {
  readonly parts: HookRunnerParts;
  readonly eventRun: EventRun;
  readonly deadlines: AdvisoryDeadlines | undefined;
  readonly onStart: OnHookStart | undefined;
  readonly onEnd: OnHookEnd | undefined;
}

/** Never rejects. A hook whose request has ended before it could start gets a `cancelled` or `deadline` result. */
export const runHook = (
  all: HookRunContext,
  hook: HookConfig | undefined,
  index: number,
): MaybePromise<HookExecutionResult> => {
  // A planner that the host wrote may pass a value that is no hook.
  if (!isRecord(hook)) return concludeHook(all, {}, createNotAHookResult(hook, all.eventRun.eventName), index);
  const running = hook.advisory === true ? withAdvisoryDeadline(all, hook) : all;
  const { parts, eventRun } = running;
  const { eventName } = eventRun;
  const refusal = readStartRefusal(hook);
  if (
    refusal === undefined &&
    hook.if !== undefined &&
    isSkippedByCondition(hook, eventRun.input, parts.projectDir())
  ) {
    return createMismatchResult(hook, eventName);
  }
  if (eventRun.aborted) return concludeAborted(running, hook, index);
  if (refusal !== undefined) {
    notifyStart(running, hook, index);
    const unmatched = findMismatchResult(eventRun, hook);
    return concludeHook(running, hook, unmatched ?? createFaultResult(hook, eventName, refusal), index);
  }
  const lane = parts.lanes.laneOf(hook.type);
  return lane.startsProcesses === true
    ? startInSlot(running, lane, hook, index)
    : startHook(running, lane, hook, index);
};

/** A refused hook of another agent is skipped without a fault if its matcher does not match the call. */
const findMismatchResult = ({ eventName, input }: EventRun, hook: HookConfig): HookExecutionResult | undefined => {
  const agentHook = getOrigin(hook)?.dialect;
  const isUnmatched = agentHook?.split(input).every((part) => agentHook.matchesInput(part) === false) === true;
  return isUnmatched ? createNotMatchedResult(hook, eventName, agentHook) : undefined;
};

const createNotAHookResult = (entry: unknown, eventName: string): HookExecutionResult =>
  createFaultResult({}, eventName, {
    code: 'not-supported',
    message: `expected a hook, found ${describeValue(entry)}`,
  });

const withAdvisoryDeadline = (running: HookRunContext, hook: HookConfig): HookRunContext => {
  const eventRun = running.deadlines?.eventRunFor(hook, running.eventRun);
  return eventRun === undefined ? running : { ...running, eventRun };
};

const startInSlot = (running: HookRunContext, lane: EngineLane, hook: HookConfig, index: number) =>
  running.parts.slots.at(running.eventRun.depth).take(
    running.eventRun.signal,
    () => startHook(running, lane, hook, index),
    () => concludeAborted(running, hook, index),
  );

const startHook = (
  running: HookRunContext,
  lane: EngineLane,
  hook: HookConfig,
  index: number,
): MaybePromise<HookExecutionResult> => {
  notifyStart(running, hook, index);
  try {
    const ended = runInLane(running, lane, hook);
    return ended instanceof Promise
      ? concludeLater(running, hook, ended, index)
      : concludeHook(running, hook, ended, index);
  } catch (error) {
    return concludeHook(running, hook, createThrownResult(running, hook, error), index);
  }
};

const concludeLater = (
  running: HookRunContext,
  hook: HookConfig,
  ended: Promise<HookExecutionResult>,
  index: number,
): Promise<HookExecutionResult> => {
  running.eventRun.breakLap();
  return ended
    .catch((error) => createThrownResult(running, hook, error))
    .then((result) => concludeHook(running, hook, result, index));
};

const createThrownResult = ({ eventRun }: HookRunContext, hook: HookConfig, cause: unknown): HookExecutionResult =>
  createFaultResult(hook, eventRun.eventName, { code: 'threw', message: describeThrown(cause), cause });

/** An approved hook must not run if the files it runs have changed since the approval. */
const runInLane = (
  { eventRun }: HookRunContext,
  lane: EngineLane,
  hook: HookConfig,
): MaybePromise<HookExecutionResult> => {
  const changed = findHookChange(hook);
  return changed === undefined ? lane.run(eventRun, hook) : runUnchanged(eventRun, lane, hook, changed);
};

const runUnchanged = async (
  eventRun: EventRun,
  lane: EngineLane,
  hook: HookConfig,
  changed: MaybePromise<string | undefined>,
) => {
  const message = await changed;
  return message === undefined
    ? lane.run(eventRun, hook)
    : createFaultResult(hook, eventRun.eventName, { code: 'changed-since-trusted', message });
};

const concludeAborted = (running: HookRunContext, hook: HookConfig, index: number): HookExecutionResult => {
  const { eventName, signal } = running.eventRun;
  return concludeHook(running, hook, createFaultResult(hook, eventName, createAbortFault(signal)), index);
};

const notifyStart = ({ onStart, parts }: HookRunContext, hook: HookConfig, index: number): void => {
  try {
    onStart?.(hook, index);
  } catch (error) {
    parts.onTrouble(error);
  }
};

const concludeHook = (
  running: HookRunContext,
  hook: HookConfig,
  ended: HookExecutionResult,
  index: number,
): HookExecutionResult => {
  const result = withEventNotice(hook?.advisory === true ? removeVerdict(ended) : applyOnFault(ended));
  const { onEnd, parts, eventRun } = running;
  if (result.code !== undefined) parts.debug?.(formatFault(result));
  if (onEnd === undefined) return result;
  try {
    onEnd(hook, result, index);
  } catch (error) {
    parts.onTrouble(error);
  }
  // The time that `onEnd` took must not count as time of the next hook.
  eventRun.breakLap();
  return result;
};

const formatFault = ({ hookConfig, eventName, code, duration, error }: HookExecutionResult): string => {
  const who = `${eventName}, hook "${getHookKey(hookConfig)}"`;
  return `${who}: fault "${code}" after ${Math.round(duration)} ms: ${error?.message ?? 'nothing more is known'}`;
};

const isVerdictField = (key: string): boolean => ['decision', 'reason', 'continue', 'stopReason'].includes(key);

/** Fields of `hookSpecificOutput` that change something. The compiler checks that all fields are listed. */
const changingFields: Readonly<Record<SpecificField | 'updatedInput', boolean>> = {
  hookEventName: false,
  additionalContext: false,
  tool_input: true,
  updatedInput: true,
  llm_request: true,
  llm_response: true,
  toolConfig: true,
  clearContext: true,
  updatedOutput: true,
  tailToolCallRequest: true,
};

const isChangingField = (key: string): boolean =>
  Object.entries(changingFields).some(([name, does]) => does && name === key);

const formatAdvisoryNote = (value: unknown): string => {
  const what = typeof value === 'string' ? `its ${JSON.stringify(value.slice(0, 60))}` : 'what it says here';
  return `the hook is advisory: ${what} does not count`;
};

/**
 * An advisory hook may only add messages and context. Fields that decide or change something are removed and reported.
 */
const removeVerdict = (result: HookExecutionResult): HookExecutionResult => {
  const { output, outputFormat, fieldProblems = [] } = result;
  if (output === undefined || (outputFormat === 'text' && output.decision === 'allow')) return result;
  const problems: FieldProblem[] = [];
  const without = (members: object, prefix: string, isDropped: (key: string) => boolean): Record<string, unknown> => {
    const entries = Object.entries(members).filter(([key, value]) => {
      if (value === undefined || !isDropped(key)) return true;
      problems.push({ field: prefix + key, fate: 'unsupported', note: formatAdvisoryNote(value) });
      return false;
    });
    return Object.fromEntries(entries);
  };
  const { hookSpecificOutput = {}, ...top } = output;
  const kept: HookOutput = without(top, '', isVerdictField);
  const specific = without(hookSpecificOutput, 'hookSpecificOutput.', isChangingField);
  if (problems.length === 0) return result;
  return {
    ...result,
    output: Object.keys(specific).length === 0 ? kept : { ...kept, hookSpecificOutput: specific },
    fieldProblems: [...fieldProblems, ...problems],
  };
};

/** Marks the `ask` with `onFault`, because an `ask` caused by a fault must deny if no person can be asked. */
const addAsk = (output: HookOutput, reason: string): HookOutput => ({
  ...output,
  decision: 'ask',
  reason: output.decision === 'ask' ? (output.reason ?? reason) : reason,
  hookSpecificOutput: { ...output.hookSpecificOutput, onFault: true },
});

const isLostChange = ({ field, fate }: FieldProblem): boolean =>
  fate === 'malformed' && isChangingField(field.replace('hookSpecificOutput.', ''));

/**
 * Turns a fault into the verdict set by `onFault`. A block that the hook gave before it failed is never weakened. A
 * change that cannot be read is a fault of a guard, which may exist for its changes alone.
 */
export const applyOnFault = (result: HookExecutionResult): HookExecutionResult => {
  const { hookConfig, error, output = {} } = result;
  const policy = hookConfig.onFault ?? 'allow';
  if (policy === 'allow' || isBlocking(output.decision)) return result;
  const code = result.code ?? (result.fieldProblems?.some(isLostChange) === true ? 'malformed-output' : undefined);
  if (code === undefined) return result;
  const consequence = policy === 'deny' ? 'denies' : 'asks';
  const what =
    error === undefined
      ? `Hook "${shortenHookName(getHookKey(hookConfig))}" gave an answer that cannot be read`
      : error.message;
  const reason = `${what} (fault "${code}"; onFault: "${policy}" ${consequence})`;
  return {
    ...result,
    code,
    output: policy === 'deny' ? { ...output, decision: 'deny', reason } : addAsk(output, reason),
  };
};
