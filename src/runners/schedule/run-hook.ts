import { mergeMap, Subject } from 'rxjs';
import { withEventNotice } from '../../events/index.ts';
import { describeThrown, describeValue, isRecord, onAbort } from '../../kit/index.ts';
import { conditionMismatch, isSkippedByCondition, refusalOf } from '../../planner/index.ts';
import { changeSinceApproved, type HookConfig, type HookExecutionResult, hookKey } from '../../protocol/index.ts';
import { asAdvice } from '../answer/advice.ts';
import { abortFault, faultResult } from '../answer/faults.ts';
import { applyOnFault } from '../answer/on-fault.ts';
import type { Batch } from '../lanes/call.ts';
import type { LaneTable } from '../lanes/table.ts';
import type { AdviceClock } from './advice-clock.ts';

/**
 * The places for processes of one engine: so many run at once, the others wait in the order in which they came. Functions
 * and requests need no place, so that no guard in this process waits behind slow commands.
 */
export class Places {
  readonly #jobs = new Subject<() => Promise<void>>();

  constructor(atOnce: number) {
    this.#jobs.pipe(mergeMap((job) => job(), atOnce)).subscribe();
  }

  /** Does the work when there is a place. When the signal aborts before that, `refuse` answers at once instead. */
  take<T>(signal: AbortSignal, work: () => T | Promise<T>, refuse: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      let isWaiting = true;
      const stopListening = onAbort(signal, () => {
        isWaiting = false;
        resolve(refuse());
      });
      this.#jobs.next(async () => {
        if (!isWaiting) return;
        stopListening();
        // The place is given away after this, whatever came of the work: a job that rejects would end all others.
        await Promise.resolve(work()).then(resolve, reject);
      });
    });
  }
}

/**
 * Places of their own for each level of nesting: a hook that waits for the hooks of an event it fired must not hold the
 * place they are waiting for.
 */
export class NestedPlaces {
  readonly #atOnce: number;
  readonly #levels: Places[] = [];

  constructor(atOnce: number) {
    this.#atOnce = atOnce;
  }

  at(depth: number): Places {
    this.#levels[depth] ??= new Places(this.#atOnce);
    return this.#levels[depth];
  }
}

/** Told when a hook starts and ends; `index` is its place in the list that was given. */
export type OnHookStart = (hook: HookConfig, index: number) => void;
export type OnHookEnd = (hook: HookConfig, result: HookExecutionResult, index: number) => void;

/** What hooks are run with, all of one event or one of a sequence. */
export interface Running {
  readonly lanes: LaneTable;
  readonly places: Places;
  readonly batch: Batch;
  readonly projectDir: string;
  /** Says when advisory hooks are no longer waited for; only where there are some, and a budget. */
  readonly advice?: AdviceClock | undefined;
  readonly onStart: OnHookStart | undefined;
  readonly onEnd: OnHookEnd | undefined;
  /** Told of what one of the two threw. */
  readonly onTrouble: (error: unknown) => void;
  /** For the log of the runner. */
  readonly debug: ((line: string) => void) | undefined;
}

/** One hook has ended; `index` is its place in the list that was given. */
export interface HookRun {
  readonly index: number;
  readonly result: HookExecutionResult;
}

type Later<T> = T | Promise<T>;

const notAHook = (entry: unknown, eventName: string): HookExecutionResult =>
  faultResult({}, eventName, { code: 'not-supported', message: `expected a hook, found ${describeValue(entry)}` });

/** An approved hook runs only while what it runs is what was approved. */
const askLane = ({ lanes, batch }: Running, hook: HookConfig): Later<HookExecutionResult> => {
  const changed = changeSinceApproved(hook);
  if (changed === undefined) return lanes.laneOf(hook.type).run(batch, hook);
  return Promise.resolve(changed).then((message) =>
    message === undefined
      ? lanes.laneOf(hook.type).run(batch, hook)
      : faultResult(hook, batch.eventName, { code: 'changed-since-trusted', message }),
  );
};

/** What a lane made of a hook; that it throws or rejects is a fault like others. */
const endOf = (running: Running, hook: HookConfig): Later<HookExecutionResult> => {
  const fail = (cause: unknown): HookExecutionResult =>
    faultResult(hook, running.batch.eventName, { code: 'threw', message: describeThrown(cause), cause });
  try {
    const ended = askLane(running, hook);
    return ended instanceof Promise ? ended.catch(fail) : ended;
  } catch (error) {
    return fail(error);
  }
};

const tellStart = ({ onStart, onTrouble }: Running, hook: HookConfig, index: number): void => {
  try {
    onStart?.(hook, index);
  } catch (error) {
    onTrouble(error);
  }
};

/** Why a hook has no opinion, for whoever follows the log and not the rows. */
const faultLine = ({ hookConfig, eventName, code, duration, error }: HookExecutionResult): string => {
  const who = `${eventName}, hook "${hookKey(hookConfig)}"`;
  return `${who}: fault "${code}" after ${Math.round(duration)} ms: ${error?.message ?? 'nothing more is known'}`;
};

/** The last word about a hook. */
const conclude = (running: Running, hook: HookConfig, ended: HookExecutionResult, index: number): HookRun => {
  const result = withEventNotice(hook?.advisory === true ? asAdvice(ended) : applyOnFault(ended));
  if (result.code !== undefined) running.debug?.(faultLine(result));
  try {
    running.onEnd?.(hook, result, index);
  } catch (error) {
    running.onTrouble(error);
  }
  return { index, result };
};

/** Its request is over before its turn. */
const refuse = (running: Running, hook: HookConfig, index: number): HookRun => {
  const { eventName, signal } = running.batch;
  return conclude(running, hook, faultResult(hook, eventName, abortFault(signal)), index);
};

const start = (running: Running, hook: HookConfig, index: number): Later<HookRun> => {
  tellStart(running, hook, index);
  const ended = endOf(running, hook);
  return ended instanceof Promise
    ? ended.then((result) => conclude(running, hook, result, index))
    : conclude(running, hook, ended, index);
};

/** Advisory hooks are run with a signal of their own. */
const runningOf = (running: Running, hook: HookConfig): Running => {
  const batch = hook?.advisory === true ? running.advice?.batchFor(hook, running.batch) : undefined;
  return batch === undefined ? running : { ...running, batch };
};

/**
 * Runs one hook, from the first word about it to the last, and never rejects. A hook whose request is over before its turn
 * is answered without having run.
 */
export const runHook = (all: Running, hook: HookConfig, index: number): Later<HookRun> => {
  if (!isRecord(hook)) return conclude(all, hook, notAHook(hook, all.batch.eventName), index);
  const running = runningOf(all, hook);
  const { lanes, places, batch } = running;
  const { eventName, signal } = batch;
  const refusal = refusalOf(hook);
  if (refusal === undefined && isSkippedByCondition(hook, batch.input, all.projectDir)) {
    return { index, result: conditionMismatch(hook, eventName) };
  }
  if (signal.aborted) return refuse(running, hook, index);
  if (refusal !== undefined) {
    tellStart(running, hook, index);
    return conclude(running, hook, faultResult(hook, eventName, refusal), index);
  }
  return lanes.laneOf(hook.type).startsProcesses === true
    ? places.take(
        signal,
        () => start(running, hook, index),
        () => refuse(running, hook, index),
      )
    : start(running, hook, index);
};
