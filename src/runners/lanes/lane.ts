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

/** What may be told of a run beside its answer; it stands in the result and in the row. */
export type LaneDetails = Pick<HookExecutionResult, 'stdout' | 'stderr' | 'exitCode' | 'signal' | 'warnings'>;

/** The run of one hook that a lane is to do. */
export interface LaneCall {
  readonly hook: HookConfig;
  readonly eventName: string;
  /** What the hook reads: a copy of its own. */
  readonly input: object;
  /** The same as JSON, written once for all hooks of the event. */
  readonly json: string;
  /** How long the hook may take. `signal` aborts when that is over. */
  readonly timeoutMs: number;
  /** Aborts at the timeout, at the deadline of the request, when it is cancelled and when the engine is disposed of. */
  readonly signal: AbortSignal;
  /** The hook answered: with an object, or with nothing. Anything else is the fault `malformed-output`. */
  readonly answered: (answer: unknown, details?: LaneDetails) => HookExecutionResult;
  readonly faulted: (
    code: FaultCode,
    message: string,
    details?: LaneDetails & { cause?: unknown },
  ) => HookExecutionResult;
}

/**
 * How hooks of one type are run.
 *
 * `run` runs one hook once and hands in what `answered` or `faulted` made of its end. A lane must not handle timeouts:
 * `signal` aborts at the timeout and when the answer is not needed any more, and the lane then ends what it began. An
 * answer within two turns of the event loop after that still counts; a later one is dropped. The engine does the rest:
 * each run settles exactly once, a lane that throws, rejects or hands in something else is the fault `threw`, one that
 * goes on after its signal is answered for as `timeout`, `deadline` or `cancelled`, and `onFault` is applied to the
 * result. The same lane may get many runs at once.
 */
export interface Lane {
  run(call: LaneCall): HookExecutionResult | Promise<HookExecutionResult>;
  /** What can be said of a hook before it runs, for `explain` and `doctor`. Runs nothing. */
  inspect?(hook: HookConfig): readonly Notice[] | Promise<readonly Notice[]>;
  /** Resolves when nothing of it runs or is being ended any more. */
  idle?(): Promise<void>;
  /** The engine ends; no run follows. A lane that several engines share hears it from each. */
  dispose?(): void | Promise<void>;
  /** Its runs are processes of this machine: they wait for a place among those that one engine runs at once. */
  readonly startsProcesses?: boolean;
}

/** Further lanes by hook type, or others for the types there are. */
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

/** An answer that is a value is an object, or nothing at all. Anything else is a mistake its author wants to hear of. */
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
