/** Runs the hooks of an event in parallel or in sequence. */
import { catalogue, type HookEventName, type HookInput } from '../../events/index.ts';
import type { MaybePromise } from '../../kit/index.ts';
import type { HookConfig, HookExecutionResult } from '../../protocol/index.ts';
import { type HookRunContext, runHook } from './run-hook.ts';

/** Returns the results in the order of the hooks, and synchronously if all hooks return synchronously. */
export const runParallel = (
  running: HookRunContext,
  hooks: readonly HookConfig[],
): MaybePromise<HookExecutionResult[]> => {
  const results = new Array<HookExecutionResult>(hooks.length);
  let waiting: PendingRun[] | undefined;
  for (let index = 0; index < hooks.length; index += 1) {
    const run = runHook(running, hooks[index], index);
    if (!(run instanceof Promise)) results[index] = run;
    else if (waiting === undefined) waiting = [{ index, run }];
    else waiting.push({ index, run });
  }
  return waiting === undefined ? results : awaitRuns(waiting, results);
};

interface PendingRun {
  readonly index: number;
  readonly run: Promise<HookExecutionResult>;
}

/** The runs have all started and never reject, so they can be awaited one after another. */
const awaitRuns = async (
  waiting: readonly PendingRun[],
  results: HookExecutionResult[],
): Promise<HookExecutionResult[]> => {
  for (const { index, run } of waiting) results[index] = await run;
  return results;
};

export const runSequence = async <Input>(
  hooks: readonly HookConfig[],
  first: Input,
  runWith: (input: Input) => HookRunContext,
  applyToInput: (input: Input, result: HookExecutionResult) => Input,
): Promise<HookExecutionResult[]> => {
  const results: HookExecutionResult[] = [];
  let input = first;
  for (const [index, hook] of hooks.entries()) {
    const run = runHook(runWith(input), hook, index);
    const result = run instanceof Promise ? await run : run;
    results.push(result);
    input = applyToInput(input, result);
  }
  return results;
};

/**
 * Applies the changes of an answer to the next hook's input, as the merge will do. Plain text and answers of failed
 * hooks change nothing.
 */
export const applyToInput = <E extends HookEventName>(
  eventName: E,
  input: HookInput<E>,
  result: HookExecutionResult,
): HookInput<E> => {
  // A planner that the host wrote may name an unknown event.
  const feed = catalogue[eventName]?.feed;
  const { success, outputFormat, output } = result;
  return feed === undefined || !success || outputFormat !== 'json' || output === undefined
    ? input
    : feed(input, output);
};
