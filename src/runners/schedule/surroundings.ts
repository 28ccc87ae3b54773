import { AsyncLocalStorage } from 'node:async_hooks';
import type { HookAction, HookActionContext } from '../../protocol/index.ts';

/** A hook that fires an event whose hook fires an event … is stopped here. */
export const MAX_NESTING = 16;

const nesting = new AsyncLocalStorage<number>();

/** The level of the function hook that is on the stack right now, if it is one that does not wait for anything. */
let depthOnStack = 0;

const AsyncFunction = (async () => undefined).constructor;

/** Functions that are not written as `async` and were seen to return a promise all the same. */
const knownToWait = new WeakSet<HookAction>();

const mayWait = (action: HookAction): boolean => action instanceof AsyncFunction || knownToWait.has(action);

/** How many function hooks are around the code that asks. */
export const nestingDepth = (): number => Math.max(nesting.getStore() ?? 0, depthOnStack);

/** Runs code that belongs to a level although it runs later. */
export const runAtDepth = <T>(depth: number, run: () => T): T => (depth === 0 ? run() : nesting.run(depth, run));

/** From now on the hook's level is kept across its waiting. */
export const noteWaiting = (action: HookAction): void => {
  knownToWait.add(action);
};

/**
 * Calls a function hook one level deeper, including everything it awaits. Keeping a level across awaits makes every
 * promise of the process a little slower, so a hook that does not wait is counted on the stack alone.
 */
export const callNested = (depth: number, action: HookAction, input: object, context: HookActionContext): unknown => {
  if (mayWait(action)) return nesting.run(depth + 1, call, action, input, context);
  const outside = depthOnStack;
  depthOnStack = depth + 1;
  try {
    return call(action, input, context);
  } finally {
    depthOnStack = outside;
  }
};

const call = (action: HookAction, input: object, context: HookActionContext): unknown =>
  Reflect.apply(action, undefined, [input, context]);

/** The trace that the hooks belong to which are being started right now. */
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
