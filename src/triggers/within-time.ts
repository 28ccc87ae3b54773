/** Limits how long a promise may take, by a timeout and a signal. */
import { HookwrightError } from '../errors.ts';
import type { FireOptions } from '../handlers/index.ts';
import { onAbort } from '../kit/index.ts';
import { MAX_TIMEOUT_MS } from '../protocol/index.ts';

/** A later result of the promise is ignored. */
export const limitTime = <T>(promise: PromiseLike<T>, { timeoutMs, signal }: FireOptions): Promise<T> =>
  new Promise((resolve, reject) => {
    const giveUp = (code: 'deadline_exceeded' | 'cancelled', message: string, cause?: unknown): void => {
      stop();
      reject(new HookwrightError(code, message, { cause }));
    };
    const cancelled = (): void => giveUp('cancelled', 'cancelled', signal?.reason);
    const timer =
      timeoutMs === undefined
        ? undefined
        : setTimeout(
            () => giveUp('deadline_exceeded', `not ready within ${timeoutMs} ms`),
            Math.min(Math.max(timeoutMs, 0), MAX_TIMEOUT_MS),
          );
    const stopListening = signal === undefined ? undefined : onAbort(signal, cancelled);
    const stop = (): void => {
      clearTimeout(timer);
      stopListening?.();
    };
    if (signal?.aborted) cancelled();
    void promise.then(resolve, reject).then(stop);
  });
