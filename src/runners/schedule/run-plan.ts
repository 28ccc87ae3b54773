import { from, lastValueFrom, map, mergeMap, mergeScan, of } from 'rxjs';
import { catalogue, type HookEventName, type HookInput } from '../../events/index.ts';
import type { HookConfig, HookExecutionResult } from '../../protocol/index.ts';
import { type Running, runHook } from './run-hook.ts';

/** A hook that waits, and its place in the plan. */
interface Waiting {
  readonly index: number;
  readonly run: Promise<HookExecutionResult>;
}

/**
 * All hooks of a plan at once. The results are in the order of the hooks, whatever ended first; they are there at once if no
 * hook waits.
 */
export const runParallel = (
  running: Running,
  hooks: readonly HookConfig[],
): HookExecutionResult[] | Promise<HookExecutionResult[]> => {
  const results = new Array<HookExecutionResult>(hooks.length);
  let waiting: Waiting[] | undefined;
  for (let index = 0; index < hooks.length; index += 1) {
    const run = runHook(running, hooks[index], index);
    if (!(run instanceof Promise)) results[index] = run;
    else if (waiting === undefined) waiting = [{ index, run }];
    else waiting.push({ index, run });
  }
  return waiting === undefined ? results : awaited(waiting, results);
};

const awaited = (waiting: readonly Waiting[], results: HookExecutionResult[]): Promise<HookExecutionResult[]> => {
  const place = (index: number) => (result: HookExecutionResult) => {
    results[index] = result;
    return results;
  };
  const [only, ...others] = waiting;
  // A stream of one costs more than the hook.
  if (only !== undefined && others.length === 0) return only.run.then(place(only.index));
  return lastValueFrom(from(waiting).pipe(mergeMap(({ index, run }) => run.then(place(index)))));
};

/** Where a sequence stands: what the next hook reads, and how those before it ended. */
interface Step<Input> {
  readonly input: Input;
  readonly results: readonly HookExecutionResult[];
}

/** One hook after the other; what one answers changes what the next one reads. */
export const runSequence = <Input>(
  hooks: readonly HookConfig[],
  first: Input,
  runWith: (input: Input) => Running,
  inputAfter: (input: Input, result: HookExecutionResult) => Input,
): Promise<HookExecutionResult[]> => {
  const start: Step<Input> = { input: first, results: [] };
  const steps$ = from(hooks).pipe(
    mergeScan(
      ({ input, results }: Step<Input>, hook, index) => {
        const run = runHook(runWith(input), hook, index);
        const ended$ = run instanceof Promise ? from(run) : of(run);
        return ended$.pipe(map((result) => ({ input: inputAfter(input, result), results: [...results, result] })));
      },
      start,
      1,
    ),
  );
  return lastValueFrom(steps$, { defaultValue: start }).then(({ results }) => [...results]);
};

/**
 * The input of the next hook of a sequence, with the changes that the merge will apply. Plain text and the answer of a failed
 * hook are not passed on; the change of an answer is, also where its verdict cannot be read.
 */
export const inputAfter = <E extends HookEventName>(
  eventName: E,
  input: HookInput<E>,
  result: HookExecutionResult,
): HookInput<E> => {
  // A planner of the host's may name an event that is unknown; its hooks have run all the same.
  const feed = catalogue[eventName]?.feed;
  const { success, outputFormat, output } = result;
  return feed === undefined || !success || outputFormat !== 'json' || output === undefined
    ? input
    : feed(input, output);
};
