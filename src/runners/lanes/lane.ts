// The public interface `Lane`, with which a host adds hook types, and how answers of such hooks are read.
import { describeValue, isRecord } from '../../kit/index.ts';
import {
  AnswerWithWarnings,
  type FaultCode,
  type HookConfig,
  type HookExecutionResult,
  type Notice,
  notice,
  readOutput,
} from '../../protocol/index.ts';

/** Added to the result and the trace row of a run. */
export type LaneDetails = Pick<HookExecutionResult, 'stdout' | 'stderr' | 'exitCode' | 'signal' | 'warnings'>;

export interface LaneCall {
  readonly hook: HookConfig;
  readonly eventName: string;
  /** A copy for this run alone. */
  readonly input: object;
  /** The input as JSON, serialized once for all hooks of the event. */
  readonly json: string;
  readonly timeoutMs: number;
  /** Aborts on timeout, deadline or cancellation, and when the engine is disposed. */
  readonly signal: AbortSignal;
  /**
   * Creates the result for an answer, which is an object or nothing. Any other value becomes the fault
   * `malformed-output`.
   */
  readonly answered: (answer: unknown, details?: LaneDetails) => HookExecutionResult;
  readonly faulted: (
    code: FaultCode,
    message: string,
    details?: LaneDetails & { cause?: unknown },
  ) => HookExecutionResult;
}

/**
 * Runs all hooks of one type.
 *
 * `run` runs one hook once and returns a result created by `answered` or `faulted`. It may be called many times at
 * once. The engine handles timeouts; a lane must not. When `signal` aborts, the lane must end what it began. An answer
 * within two event loop turns after the abort still counts. If a lane throws, rejects or returns another value, the run
 * gets the fault `threw`. The engine applies `onFault`.
 */
export interface Lane {
  run(call: LaneCall): HookExecutionResult | Promise<HookExecutionResult>;
  /** Checks a hook for `explain` and `doctor`. Must not run anything. */
  inspect?(hook: HookConfig): readonly Notice[] | Promise<readonly Notice[]>;
  /** Resolves when no run of this lane is active or being ended. */
  idle?(): Promise<void>;
  /** Called when an engine ends, once per engine if several share the lane. */
  dispose?(): void | Promise<void>;
  /** True if runs start processes on this machine. Such runs wait for a process slot. */
  readonly startsProcesses?: boolean;
}

/** Hook type → its lane. A lane for a built-in type replaces the built-in lane. */
export type Lanes = Readonly<Record<string, Lane>>;

const malformed = (
  hookConfig: HookConfig,
  eventName: string,
  message: string,
  duration: number,
  fix?: string,
): HookExecutionResult => ({
  hookConfig,
  eventName,
  success: true,
  duration,
  code: 'malformed-output',
  output: { decision: 'allow', systemMessage: message },
  outputFormat: 'text',
  warnings: [notice('malformed-output', message, fix === undefined ? {} : { fix })],
});

const DENIAL = "{ decision: 'deny', reason: '…' }";

export const readAnswer = (
  hookConfig: HookConfig,
  eventName: string,
  answer: unknown,
  duration: number,
): HookExecutionResult => {
  if (answer instanceof AnswerWithWarnings) {
    const read = readAnswer(hookConfig, eventName, answer.answer, duration);
    return { ...read, warnings: [...(read.warnings ?? []), ...answer.warnings] };
  }
  if (answer === undefined || answer === null) return { hookConfig, eventName, success: true, duration };
  // A generator or a Map has no field that can be read, so a verdict in it would be lost.
  const isIterable = isRecord(answer) && (Symbol.iterator in answer || Symbol.asyncIterator in answer);
  if (!isRecord(answer) || isIterable) {
    const found = isIterable ? `an iterable (${Object.prototype.toString.call(answer)})` : describeValue(answer);
    const message = `a hook must return an object or nothing, got ${found}`;
    return malformed(hookConfig, eventName, message, duration, `To deny, return ${DENIAL}`);
  }
  const read = readOutput(answer);
  if (!read.ok) return malformed(hookConfig, eventName, `the answer cannot be used: ${read.message}`, duration);
  const { output, problems, notices } = read;
  if (problems.length === 0 && notices === undefined)
    return { hookConfig, eventName, success: true, output, outputFormat: 'json', duration };
  const answered: HookExecutionResult = {
    hookConfig,
    eventName,
    success: true,
    duration,
    output,
    outputFormat: 'json',
    ...(problems.length === 0 ? {} : { fieldProblems: problems }),
    ...(notices === undefined ? {} : { warnings: notices }),
  };
  return read.verdictLost ? { ...answered, code: 'malformed-output' } : answered;
};
