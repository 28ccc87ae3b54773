/** Runs the hooks of an event in parallel or in sequence. */
import { from, lastValueFrom, map, mergeMap, mergeScan, of } from 'rxjs';
import { catalogue, type HookEventName, type HookInput } from '../../events/index.ts';
import type { MaybePromise } from '../../kit/index.ts';
import type { HookConfig, HookExecutionResult } from '../../protocol/index.ts';
import { type HookRunContext, runHook } from './run-hook.ts';

interface PendingRun {
  readonly index: number;
  readonly run: Promise<HookExecutionResult>;
}

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
  return waiting === undefined ? results : awaitAllRuns(waiting, results);
};

const awaitAllRuns = (
  waiting: readonly PendingRun[],
  results: HookExecutionResult[],
): Promise<HookExecutionResult[]> => {
  const place = (index: number) => (result: HookExecutionResult) => {
    results[index] = result;
    return results;
  };
  const [only, ...others] = waiting;
  // For a single promise, an RxJS stream would cost more than the hook itself.
  if (only !== undefined && others.length === 0) return only.run.then(place(only.index));
  return lastValueFrom(from(waiting).pipe(mergeMap(({ index, run }) => run.then(place(index)))));
};

interface SequenceStep<Input> {
  readonly input: Input;
  readonly results: readonly HookExecutionResult[];
}

export const runSequence = <Input>(
  hooks: readonly HookConfig[],
  first: Input,
  runWith: (input: Input) => HookRunContext,
  applyToInput: (input: Input, result: HookExecutionResult) => Input,
): Promise<HookExecutionResult[]> => {
  const start: SequenceStep<Input> = { input: first, results: [] };
  const steps$ = from(hooks).pipe(
    mergeScan(
      ({ input, results }: SequenceStep<Input>, hook, index) => {
        const run = runHook(runWith(input), hook, index);
        const ended$ = run instanceof Promise ? from(run) : of(run);
        return ended$.pipe(map((result) => ({ input: applyToInput(input, result), results: [...results, result] })));
      },
      start,
      1,
    ),
  );
  return lastValueFrom(steps$, { defaultValue: start }).then(({ results }) => [...results]);
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
