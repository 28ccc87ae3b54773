// The public interface of a lane, which runs the hooks of one type, and how it reads their answers.
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

/** Details of a run besides its answer, added to its result and its trace row. */
export type LaneDetails = Pick<HookExecutionResult, 'stdout' | 'stderr' | 'exitCode' | 'signal' | 'warnings'>;

/** One run of one hook, as passed to a lane. */
export interface LaneCall {
  readonly hook: HookConfig;
  readonly eventName: string;
  /** The input: a copy for this run alone. */
  readonly input: object;
  /** The input as JSON, written once for all hooks of the event. */
  readonly json: string;
  /** Timeout of the hook. `signal` aborts when it has passed. */
  readonly timeoutMs: number;
  /** Aborts at the timeout, at the deadline of the request, when it is cancelled, and when the engine is disposed. */
  readonly signal: AbortSignal;
  /** Creates the result of an answer: an object or nothing. Any other value is the fault `malformed-output`. */
  readonly answered: (answer: unknown, details?: LaneDetails) => HookExecutionResult;
  /** Creates the result of a run without an answer. */
  readonly faulted: (
    code: FaultCode,
    message: string,
    details?: LaneDetails & { cause?: unknown },
  ) => HookExecutionResult;
}

/**
 * Runs hooks of one type.
 *
 * `run` runs one hook once and returns the result that `answered` or `faulted` created. A lane must not handle
 * timeouts: `signal` aborts at the timeout and when the answer is no longer needed, and the lane then ends what it
 * began. An answer within two turns of the event loop after that still counts; a later one is dropped. The engine does
 * the rest: each run settles exactly once; a lane that throws, rejects or returns another value is the fault `threw`; a
 * run that continues after its signal is reported as `timeout`, `deadline` or `cancelled`; and `onFault` is applied to
 * the result. A lane may get many runs at once.
 */
export interface Lane {
  run(call: LaneCall): HookExecutionResult | Promise<HookExecutionResult>;
  /** Checks a hook before it runs, for `explain` and `doctor`. Must not run anything. */
  inspect?(hook: HookConfig): readonly Notice[] | Promise<readonly Notice[]>;
  /** Resolves when no run of this lane is active or being ended. */
  idle?(): Promise<void>;
  /** Called when the engine ends; no run follows. A lane shared by several engines gets this call from each. */
  dispose?(): void | Promise<void>;
  /** Whether runs start processes on this machine. If so, they wait for a process slot. */
  readonly startsProcesses?: boolean;
}

/** Lanes by hook type: for new types, or in place of built-in ones. */
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

/** Reads an answer that is a value: an object, `undefined` or `null`. Any other value is a mistake of its author. */
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
  if (!isRecord(answer)) {
    const message = `a hook must return an object or nothing, got ${describeValue(answer)}`;
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
