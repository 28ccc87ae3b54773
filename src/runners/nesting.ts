// Counts how deep function hooks are nested, and keeps the current trace context.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { HookAction, HookActionContext } from '../protocol/index.ts';

/**
 * At this depth, or up to as many levels later if hooks wait, a hook that fires an event that runs a hook … is refused.
 */
export const MAX_NESTING = 16;

/**
 * The level of asynchronous code. Once used, it slows down every promise of the process, the agent's too, so it is used
 * only while enough events have waiting hooks that one of them could be that deep.
 */
const levels = new AsyncLocalStorage<number>();

/** Number of events with function hooks that wait. */
let waiting = 0;

/** Level of the function hook that is on the stack now, until it first waits. */
let onStack = 0;

export const beginWaiting = (): void => {
  waiting += 1;
};

export const endWaiting = (): void => {
  waiting -= 1;
  if (waiting === 0) levels.disable();
};

/** How many function hooks the current code runs in. */
export const nestingDepth = (): number => (waiting < MAX_NESTING ? onStack : Math.max(levels.getStore() ?? 0, onStack));

/** Runs code at a level although it runs later. */
export const runAtDepth = <T>(depth: number, run: () => T): T => {
  if (depth === 0) return run();
  const outside = onStack;
  onStack = depth;
  try {
    return waiting < MAX_NESTING ? run() : levels.run(depth, run);
  } finally {
    onStack = outside;
  }
};

/** Calls a function hook one level deeper. Its asynchronous code counts too once hooks may be nested too deep. */
export const callNested = (depth: number, action: HookAction, input: object, context: HookActionContext): unknown => {
  const outside = onStack;
  onStack = depth + 1;
  try {
    return waiting < MAX_NESTING
      ? Reflect.apply(action, undefined, [input, context])
      : levels.run(depth + 1, () => Reflect.apply(action, undefined, [input, context]));
  } finally {
    onStack = outside;
  }
};

let traceParent: string | undefined;

/** Runs `run` with the trace context that the hooks it starts will get. */
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

export const traceParentNow = (): string | undefined => traceParent;
