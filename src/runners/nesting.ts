// Counts how deep events are nested that hooks fire themselves, and keeps the current trace context.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { HookAction, HookActionContext } from '../protocol/index.ts';

/**
 * Events that nest deeper are refused. Events of asynchronous hooks can nest twice as deep, because their depth is
 * counted only while this many hooks wait.
 */
export const MAX_NESTING = 16;

/**
 * Tracks the depth across `await`. Once used, it slows down every promise of the process, so it is used only while
 * enough hooks wait that the limit could be reached.
 */
const nestingLevels = new AsyncLocalStorage<number>();

let waitingHookCount = 0;

let stackDepth = 0;

export const beginWaiting = (): void => {
  waitingHookCount += 1;
};

export const endWaiting = (): void => {
  waitingHookCount -= 1;
  if (waitingHookCount === 0) nestingLevels.disable();
};

export const getNestingDepth = (): number =>
  waitingHookCount < MAX_NESTING ? stackDepth : Math.max(nestingLevels.getStore() ?? 0, stackDepth);

export const runAtDepth = <T>(depth: number, run: () => T): T => {
  if (depth === 0) return run();
  const outside = stackDepth;
  stackDepth = depth;
  try {
    return waitingHookCount < MAX_NESTING ? run() : nestingLevels.run(depth, run);
  } finally {
    stackDepth = outside;
  }
};

/**
 * Asynchronous code of the hook counts as nested only while at least `MAX_NESTING` events wait. Does not use
 * `runAtDepth`, because a closure per hook would be measurably slower.
 */
export const callNested = (depth: number, action: HookAction, input: object, context: HookActionContext): unknown => {
  const outside = stackDepth;
  stackDepth = depth + 1;
  try {
    return waitingHookCount < MAX_NESTING
      ? Reflect.apply(action, undefined, [input, context])
      : nestingLevels.run(depth + 1, () => Reflect.apply(action, undefined, [input, context]));
  } finally {
    stackDepth = outside;
  }
};

let traceParent: string | undefined;

export const withTraceParent = <T>(parent: string | undefined, run: () => T): T => {
  if (parent === traceParent) return run();
  const outside = traceParent;
  traceParent = parent;
  try {
    return run();
  } finally {
    traceParent = outside;
  }
};

export const getTraceParent = (): string | undefined => traceParent;
