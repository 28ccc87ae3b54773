import { describeThrown, onAbort } from '../../../kit/index.ts';
import { type Execution, failed, readAnswer } from './execution-answer.ts';

export interface FunctionContext {
  /** Aborts when the call has timed out or was cancelled. */
  readonly signal: AbortSignal;
}

export interface FunctionHandler<Call> {
  readonly kind: 'function';
  /** Returns an `AbilityAnswer`, or anything else, which is then the output. To throw is to fail. */
  readonly run: (call: Call, context: FunctionContext) => unknown;
}

/** Runs a function of this process. Never rejects; a function that does not yield cannot be stopped. */
export const executeFunction = async <Call>(
  { run }: FunctionHandler<Call>,
  call: Call,
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<Execution> => {
  const own = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let stopListening: (() => void) | undefined;
  const given = new Promise<Execution>((resolve) => {
    const giveUp = (message: string): void => {
      own.abort();
      resolve(failed(message));
    };
    timer = setTimeout(() => giveUp(`timeout: no answer within ${timeoutMs} ms`), timeoutMs);
    if (signal.aborted) giveUp('cancelled: the caller no longer waits');
    stopListening = onAbort(signal, () => giveUp('cancelled: the caller no longer waits'));
  });
  const answered = (async () => readAnswer(await run(call, { signal: own.signal })))().catch((error: unknown) =>
    failed(describeThrown(error)),
  );
  try {
    return await Promise.race([answered, given]);
  } finally {
    clearTimeout(timer);
    stopListening?.();
  }
};
