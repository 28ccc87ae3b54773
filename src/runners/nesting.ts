import { AsyncLocalStorage } from 'node:async_hooks';
import type { HookAction, HookActionContext } from '../protocol/index.ts';

/** A hook that fires an event whose hook fires an event … is stopped here, or up to as many levels later if hooks wait. */
export const MAX_NESTING = 16;

/**
 * The level of code that a function hook waits for. From its first use on it makes every promise of the process slower, the
 * agent's own too, so it is used only while so many events have hooks that wait that one of them could be that deep.
 */
const levels = new AsyncLocalStorage<number>();

/** How many events have function hooks that wait. */
let waiting = 0;

/** The level of the function hook that is on the stack right now, until it waits for something. */
let onStack = 0;

/** An event has its first hook that waits. */
export const beginWaiting = (): void => {
  waiting += 1;
};

/** The last hook of an event that waited has settled. */
export const endWaiting = (): void => {
  waiting -= 1;
  if (waiting === 0) levels.disable();
};

/** How many function hooks are around the code that asks. */
export const nestingDepth = (): number => (waiting < MAX_NESTING ? onStack : Math.max(levels.getStore() ?? 0, onStack));

/** Runs code that belongs to a level although it runs later. */
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

/** Calls a function hook one level deeper, everything it waits for included if it can be too deep. */
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

/** The trace of the hooks that are being started right now. */
let traceParent: string | undefined;

/** Runs what starts the hooks of an event; they are told the trace they belong to. */
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
