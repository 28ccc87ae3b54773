// The public interface `Lane`, with which a host adds types of hooks.
import { describeValue, isRecord } from '../../kit/index.ts';
import {
  AnswerWithWarnings,
  type FaultCode,
  type HookConfig,
  type HookExecutionResult,
  type Notice,
  notice,
  readOutput,
  withWarnings,
} from '../../protocol/index.ts';

/** Members that a lane adds to the result of a run. */
export type LaneDetails = Pick<HookExecutionResult, 'stdout' | 'stderr' | 'exitCode' | 'signal' | 'warnings'>;

export interface LaneCall {
  readonly hook: HookConfig;
  readonly eventName: string;
  readonly input: object;
  /** The input as JSON, serialized once for all hooks of the event. */
  readonly json: string;
  readonly timeoutMs: number;
  /** Aborts on timeout, deadline or cancellation, and when the engine is disposed. */
  readonly signal: AbortSignal;
  /** Creates the result for an answer: an object or `undefined`. Any other value is the fault `malformed-output`. */
  readonly answered: (answer: unknown, details?: LaneDetails) => HookExecutionResult;
  readonly faulted: (
    code: FaultCode,
    message: string,
    details?: LaneDetails & { cause?: unknown },
  ) => HookExecutionResult;
}

/**
 * Runs all hooks of one type. `run` may be called many times at once, and returns a result of `answered` or `faulted`.
 * The engine handles timeouts: when `signal` aborts, the lane must end the run; an answer within two event loop turns
 * still counts. A lane that throws gets the fault `threw`.
 */
export interface Lane {
  run(call: LaneCall): HookExecutionResult | Promise<HookExecutionResult>;
  /** Checks a hook for `explain` and `doctor`. Must not run anything. */
  inspect?(hook: HookConfig): readonly Notice[] | Promise<readonly Notice[]>;
  /** Resolves when no run of this lane is active. */
  idle?(): Promise<void>;
  /** Called once for each engine that ends. */
  dispose?(): void | Promise<void>;
  /** Runs that start processes on this machine wait for a process slot. */
  readonly startsProcesses?: boolean;
}

/** Hook type → its lane. A lane for a built-in type replaces the built-in lane. */
export type Lanes = Readonly<Record<string, Lane>>;

const createMalformed = (
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

const DENIAL_EXAMPLE = "{ decision: 'deny', reason: '…' }";

/** A generator, a Map or an Error has no field that can be read, so a verdict in it would be lost. */
const describeUnreadable = (answer: unknown): string | undefined => {
  if (!isRecord(answer)) return describeValue(answer);
  if (answer instanceof Error && Object.keys(answer).length === 0) return `an error (${answer.message})`;
  const isIterable = Symbol.iterator in answer || Symbol.asyncIterator in answer;
  return isIterable ? `an iterable (${Object.prototype.toString.call(answer)})` : undefined;
};

export const readAnswer = (
  hookConfig: HookConfig,
  eventName: string,
  answer: unknown,
  duration: number,
): HookExecutionResult => {
  if (answer instanceof AnswerWithWarnings) {
    return withWarnings(readAnswer(hookConfig, eventName, answer.answer, duration), answer.warnings);
  }
  if (answer === undefined || answer === null) return { hookConfig, eventName, success: true, duration };
  const found = describeUnreadable(answer);
  if (!isRecord(answer) || found !== undefined) {
    const message = `a hook must return an object or nothing, got ${found}`;
    return createMalformed(hookConfig, eventName, message, duration, `To deny, return ${DENIAL_EXAMPLE}`);
  }
  const read = readOutput(answer);
  if (!read.ok) return createMalformed(hookConfig, eventName, `the answer cannot be used: ${read.message}`, duration);
  const { output, problems, notices } = read;
  const answered = { hookConfig, eventName, success: true, output, outputFormat: 'json', duration } as const;
  if (problems.length === 0 && notices === undefined) return answered;
  return {
    ...answered,
    ...(problems.length === 0 ? {} : { fieldProblems: problems }),
    ...(notices === undefined ? {} : { warnings: notices }),
    ...(read.verdictLost ? { code: 'malformed-output' } : {}),
  };
};
