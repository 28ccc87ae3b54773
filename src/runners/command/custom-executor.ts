import { describeThrown, describeValue, isRecord, onAbort, toError } from '../../kit/index.ts';
import type { ExecutionFailure, ExecutionRequest, Executor } from '../process/executor.ts';
import type { ProcessResult } from '../process/run-process.ts';
import { afterSettling } from '../schedule/event-loop.ts';

/** What a custom executor returned. */
export type CustomResult = ProcessResult | ExecutionFailure | { readonly threw: string; readonly cause?: unknown };

/** Its own report of a timeout says more than ours, so it gets a head start. */
const HEAD_START_MS = 50;

const isOutput = (value: unknown): value is string | Uint8Array =>
  typeof value === 'string' || value instanceof Uint8Array;

const isExitCode = (value: unknown): value is number | null => value === null || Number.isInteger(value);

const nothing = { stdout: '', stderr: '' };

const read = (answer: unknown): CustomResult => {
  if (!isRecord(answer)) return { threw: `the executor answered with ${describeValue(answer)}, not with an object` };
  const { error, exitCode, signal, stdout = '', stderr = '', timedOut, tooLarge } = answer;
  if (error !== undefined) return { error: toError(error) };
  const ended = timedOut === true || tooLarge === true;
  if (!isExitCode(exitCode) && !(ended && exitCode === undefined)) {
    return {
      threw: `the executor answered with an exitCode that is ${describeValue(exitCode)}, not a whole number or null`,
    };
  }
  if (!isOutput(stdout) || !isOutput(stderr)) {
    return { threw: 'the executor answered with output that is neither text nor bytes' };
  }
  return {
    exitCode: exitCode ?? null,
    ...(typeof signal === 'string' && signal !== '' ? { signal } : {}),
    stdout,
    stderr,
    terminationReason: timedOut === true ? 'timeout' : tooLarge === true ? 'too-large' : 'complete',
  };
};

const sizeOf = (output: string | Uint8Array): number =>
  typeof output === 'string' ? Buffer.byteLength(output) : output.byteLength;

const withinLimits = (result: CustomResult, { limits }: ExecutionRequest): CustomResult => {
  if (!('exitCode' in result)) return result;
  const isWithin = sizeOf(result.stdout) <= limits.stdoutBytes && sizeOf(result.stderr) <= limits.stderrBytes;
  return isWithin ? result : { exitCode: null, ...nothing, terminationReason: 'too-large' };
};

/** Reads a foreign value that may throw when looked at. */
const readSafely = (answer: unknown, request: ExecutionRequest): CustomResult => {
  try {
    return withinLimits(read(answer), request);
  } catch (cause) {
    return { threw: `reading the executor's answer throws: ${describeThrown(cause)}`, cause };
  }
};

/** Asks an executor we know nothing about. Settles in time, whether it throws, answers nonsense or never answers. */
export const askExecutor = (executor: Executor, request: ExecutionRequest): Promise<CustomResult> =>
  new Promise((resolve) => {
    const settle = (result: CustomResult): void => {
      clearTimeout(timer);
      stopListening?.();
      resolve(result);
    };
    const fail = (cause: unknown): void => settle({ threw: `the executor threw: ${describeThrown(cause)}`, cause });
    const timer = setTimeout(
      () => afterSettling(() => settle({ exitCode: null, ...nothing, terminationReason: 'timeout' })),
      request.timeoutMs + HEAD_START_MS,
    );
    const stopListening =
      request.signal &&
      onAbort(request.signal, () =>
        afterSettling(() => settle({ exitCode: null, ...nothing, terminationReason: 'aborted' })),
      );
    try {
      Promise.resolve(executor(request)).then((answer: unknown) => settle(readSafely(answer, request)), fail);
    } catch (error) {
      fail(error);
    }
  });
