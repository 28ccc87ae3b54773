import { Observable } from 'rxjs';
import { onAbort } from '../kit/index.ts';
import type { HookExecutionResult } from '../protocol/run.ts';
import type { HookConfig } from '../protocol/settings.ts';
import { abortFault, faultResult } from './faults.ts';
import type { Limiter } from './limiter.ts';
import { applyOnFault } from './on-fault.ts';

/** One hook of a batch has ended; `index` is its place in the configuration. */
export interface HookRun {
  readonly index: number;
  readonly result: HookExecutionResult;
}

export interface BatchOptions {
  readonly hooks: readonly HookConfig[];
  readonly eventName: string;
  readonly limiter: Limiter;
  readonly signal?: AbortSignal | undefined;
  /** Runs one hook and calls back exactly once, at once or later. Hooks with the same `turn` start together. */
  readonly start: (
    index: number,
    hook: HookConfig,
    turn: number,
    settle: (result: HookExecutionResult) => void,
  ) => void;
}

/**
 * All hooks of a parallel plan as one stream: each run is emitted when it ends, and the stream completes after the last.
 * One Observable for the whole batch, because one per hook costs more than the hooks themselves. Unsubscribing stops
 * hooks that have not started; those that run are stopped by the signal.
 */
export const runBatch = ({ hooks, eventName, limiter, signal, start }: BatchOptions): Observable<HookRun> =>
  new Observable((subscriber) => {
    let left = hooks.length;
    let next = 0;
    let turn = 0;
    let stopWaiting: (() => void) | undefined;
    let stopListening: (() => void) | undefined;

    const settled = (index: number, result: HookExecutionResult): void => {
      left -= 1;
      subscriber.next({ index, result });
      if (left > 0) return;
      stopListening?.();
      subscriber.complete();
    };

    const startNext = (): void => {
      const index = next;
      const hook = hooks[index];
      next += 1;
      if (hook === undefined) {
        limiter.release();
        return;
      }
      start(index, hook, turn, (result) => {
        // Told before the place is given away, so that nobody sees more hooks at once than there are places.
        settled(index, result);
        limiter.release();
      });
    };

    const startAll = (): void => {
      while (next < hooks.length && limiter.tryTake()) startNext();
      if (next < hooks.length) stopWaiting = limiter.wait(resume);
    };

    const resume = (): void => {
      stopWaiting = undefined;
      turn += 1;
      startNext();
      startAll();
    };

    /** Hooks still in line when the request ends are answered without having run. */
    const refuseRest = (): void => {
      stopWaiting?.();
      stopWaiting = undefined;
      if (signal === undefined) return;
      const fault = abortFault(signal);
      while (next < hooks.length) {
        const index = next;
        const hook = hooks[index];
        next += 1;
        if (hook !== undefined) settled(index, applyOnFault(faultResult(hook, eventName, fault)));
      }
    };

    if (left === 0) {
      subscriber.complete();
      return undefined;
    }
    if (signal?.aborted) {
      refuseRest();
      return undefined;
    }
    if (signal !== undefined) stopListening = onAbort(signal, refuseRest);
    startAll();
    return () => {
      next = hooks.length;
      stopWaiting?.();
      stopListening?.();
    };
  });
