import { from, lastValueFrom, map, mergeMap, mergeScan, type Observable, of, reduce } from 'rxjs';
import type { HookConfig, HookExecutionResult } from '../../protocol/index.ts';
import { type HookRun, type Running, runHook } from './run-hook.ts';

/** A function that does not wait has ended already. */
const ended$ = (running: Running, hook: HookConfig, index: number): Observable<HookRun> => {
  const run = runHook(running, hook, index);
  return run instanceof Promise ? from(run) : of(run);
};

/** Most plans hold one hook, for which a stream would cost more than the hook. */
const runOne = async (running: Running, hook: HookConfig): Promise<HookExecutionResult[]> => {
  const run = runHook(running, hook, 0);
  return [(run instanceof Promise ? await run : run).result];
};

/** All hooks of a plan at once. The results are in the order of the hooks, whatever ended first. */
export const runParallel = (running: Running, hooks: readonly HookConfig[]): Promise<HookExecutionResult[]> => {
  const [first] = hooks;
  if (hooks.length === 1 && first !== undefined) return runOne(running, first);
  const results$ = from(hooks).pipe(
    mergeMap((hook, index) => ended$(running, hook, index)),
    reduce((results, { index, result }) => {
      results[index] = result;
      return results;
    }, new Array<HookExecutionResult>(hooks.length)),
  );
  return lastValueFrom(results$);
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
      ({ input, results }: Step<Input>, hook, index) =>
        ended$(runWith(input), hook, index).pipe(
          map(({ result }) => ({ input: inputAfter(input, result), results: [...results, result] })),
        ),
      start,
      1,
    ),
  );
  return lastValueFrom(steps$, { defaultValue: start }).then(({ results }) => [...results]);
};
