import { from, lastValueFrom, map, mergeScan, type Observable, tap } from 'rxjs';
import type { HookEventName, HookInput } from '../events/catalogue.ts';
import { describeThrown } from '../kit/index.ts';
import { refusalOf } from '../planner/refusal.ts';
import type { HostConfig, Logger } from '../protocol/host.ts';
import { type Notice, notice } from '../protocol/notices.ts';
import type { HookExecutionResult } from '../protocol/run.ts';
import { type HookConfig, HookType } from '../protocol/settings.ts';
import { type HookRun, runBatch } from './batch.ts';
import { copierOf } from './copy-input.ts';
import type { Executor } from './executor.ts';
import { faultResult } from './faults.ts';
import { FunctionGroups, runFunction } from './function.ts';
import { inputAfter } from './input-after.ts';
import { LazyCommandLane } from './lazy-command-lane.ts';
import { defaultLimits, type RunnerLimits } from './limits.ts';
import { NestedLimiters, nestingDepth } from './nesting.ts';
import { notSupported, notYet } from './not-supported.ts';
import { applyOnFault } from './on-fault.ts';
import type { OutputReader } from './parse-output.ts';

/** Told when a hook starts and ends; `index` is its place in the list that was given. */
export type OnHookStart = (hook: HookConfig, index: number) => void;
export type OnHookEnd = (hook: HookConfig, result: HookExecutionResult, index: number) => void;

export interface HookRunnerDeps {
  /** Starts processes. The default runs execa. */
  readonly executor?: Executor | undefined;
  /** Further variables that command lines may name. */
  readonly variables?: Readonly<Record<string, string>> | undefined;
  readonly limits?: Partial<RunnerLimits> | undefined;
  /**
   * Hooks die with the host however it ends, also by SIGKILL or for want of memory: a small shell beside it, shared by all
   * engines of the process and there only while hooks run, ends them. Not on Windows.
   */
  readonly orphanGuard?: boolean | undefined;
  readonly logger?: Logger | undefined;
}

type Settle = (result: HookExecutionResult) => void;

/** What the hooks of one batch share. */
interface Batch {
  readonly eventName: string;
  readonly input: object;
  readonly signal: AbortSignal | undefined;
  readonly depth: number;
  readonly ownCopy: () => object;
  readonly groups: FunctionGroups;
}

/** Runs one hook; `turn` tells hooks apart that started at different times. */
type Lane = (batch: Batch, hook: HookConfig, turn: number, settle: Settle) => void;

/** Runs hooks and nothing else: which ones is the planner's business, what their answers mean the aggregator's. */
export class HookRunner {
  readonly limits: RunnerLimits;
  readonly #limiters: NestedLimiters;
  readonly #commands: LazyCommandLane;
  /** Ends what runs without a signal of its own when the engine is disposed of. */
  readonly #closing = new AbortController();
  #lateAnswers = 0;

  /** `readOutput` is for hooks whose answers are of another kind than those of agent hooks. */
  constructor(config: HostConfig, deps: HookRunnerDeps = {}, readOutput?: OutputReader) {
    this.limits = { ...defaultLimits(), ...deps.limits };
    this.#limiters = new NestedLimiters(this.limits.concurrency);
    this.#commands = new LazyCommandLane(
      config,
      this.limits,
      readOutput === undefined ? deps : { ...deps, readOutput },
    );
  }

  /** Answers of function hooks that came after nobody waited any more. */
  get lateAnswers(): number {
    return this.#lateAnswers;
  }

  /** Runs one hook outside any plan. Never rejects. */
  executeHook<E extends HookEventName>(
    hook: HookConfig,
    eventName: E,
    input: HookInput<E>,
    signal?: AbortSignal,
  ): Promise<HookExecutionResult> {
    return this.executeHooksParallel([hook], eventName, input, undefined, undefined, signal).then(([result]) => {
      if (result !== undefined) return result;
      return faultResult(hook, eventName, { code: 'threw', message: 'the run ended without a result' });
    });
  }

  /** All at once, as far as the limiter allows. Results are in the order of the hooks, whatever finished first. */
  executeHooksParallel<E extends HookEventName>(
    hooks: readonly HookConfig[],
    eventName: E,
    input: HookInput<E>,
    onStart?: OnHookStart,
    onEnd?: OnHookEnd,
    signal?: AbortSignal,
  ): Promise<HookExecutionResult[]> {
    return this.executeAll(hooks, eventName, input, onStart, onEnd, signal);
  }

  /** The same for events of any kind: what hooks read is the caller's business. */
  executeAll(
    hooks: readonly HookConfig[],
    eventName: string,
    input: object,
    onStart?: OnHookStart,
    onEnd?: OnHookEnd,
    signal?: AbortSignal,
  ): Promise<HookExecutionResult[]> {
    return inOrder(this.#parallel(hooks, eventName, input, onStart, signal), hooks, onEnd);
  }

  /** One after another; what a hook answers changes the input of the next. */
  executeHooksSequential<E extends HookEventName>(
    hooks: readonly HookConfig[],
    eventName: E,
    input: HookInput<E>,
    onStart?: OnHookStart,
    onEnd?: OnHookEnd,
    signal?: AbortSignal,
  ): Promise<HookExecutionResult[]> {
    const results: HookExecutionResult[] = [];
    const steps$ = from(hooks).pipe(
      mergeScan(
        (current: HookInput<E>, hook, index) =>
          this.#parallel([hook], eventName, current, onStart && ((one) => onStart(one, index)), signal).pipe(
            tap(({ result }) => {
              results.push(result);
              onEnd?.(hook, result, index);
            }),
            map(({ result }) => inputAfter(eventName, current, result)),
          ),
        input,
        1,
      ),
    );
    return lastValueFrom(steps$, { defaultValue: input }).then(() => results);
  }

  /** What can be said about a hook before it runs: by its type, or by a look at the machine. */
  async inspect(hook: HookConfig): Promise<Notice[]> {
    const refusal = notSupported(hook);
    return refusal === undefined
      ? this.#commands.inspect(hook)
      : [notice('not-supported', refusal, { fix: 'use a command, or a function in the code of the agent' })];
  }

  /** Ends what still runs, and waits until their processes are gone or ending them has taken too long. */
  async dispose(): Promise<void> {
    this.#closing.abort();
    await this.#commands.idle();
  }

  #parallel(
    hooks: readonly HookConfig[],
    eventName: string,
    input: object,
    onStart: OnHookStart | undefined,
    signal: AbortSignal | undefined,
  ): Observable<HookRun> {
    const depth = nestingDepth();
    let copier: (() => object) | undefined;
    const ownCopy = (): object => {
      copier ??= copierOf({ ...input });
      return copier();
    };
    const batch: Batch = { eventName, input, signal, depth, ownCopy, groups: new FunctionGroups(signal) };
    return runBatch({
      hooks,
      eventName,
      limiter: this.#limiters.at(depth),
      signal,
      start: (index, hook, turn, settle) => {
        onStart?.(hook, index);
        this.#start(batch, hook, turn, settle);
      },
    });
  }

  #start(batch: Batch, hook: HookConfig, turn: number, settle: Settle): void {
    const refusal = refusalOf(hook);
    const finish =
      (hook.onFault ?? 'allow') === 'allow' ? settle : (result: HookExecutionResult) => settle(applyOnFault(result));
    if (refusal !== undefined) finish(faultResult(hook, batch.eventName, refusal));
    else this.#lanes[hook.type ?? HookType.Command](batch, hook, turn, finish);
  }

  readonly #onLate = (): void => {
    this.#lateAnswers += 1;
  };

  readonly #runFunction: Lane = ({ eventName, depth, signal, ownCopy, groups }, hook, turn, settle) =>
    runFunction(
      {
        hook,
        eventName,
        input: ownCopy(),
        group: groups.for(hook, turn),
        depth,
        signal: signal ?? this.#closing.signal,
        onLate: this.#onLate,
      },
      settle,
    );

  readonly #runCommand: Lane = ({ eventName, input, signal }, hook, _turn, settle) => {
    this.#commands
      .run(hook, eventName, input, signal ?? this.#closing.signal)
      .then(settle, (error: unknown) =>
        settle(faultResult(hook, eventName, { code: 'threw', message: describeThrown(error), cause: error })),
      );
  };

  readonly #notYet: Lane = ({ eventName }, hook, _turn, settle) => {
    settle(faultResult(hook, eventName, { code: 'not-supported', message: notYet(hook) }));
  };

  /** How each type of hook is run. */
  readonly #lanes: Readonly<Record<HookType, Lane>> = {
    [HookType.Command]: this.#runCommand,
    [HookType.Runtime]: this.#runFunction,
    [HookType.Plugin]: this.#runFunction,
    [HookType.Worker]: this.#notYet,
    [HookType.Http]: this.#notYet,
  };
}

/** Collects the runs of a batch into the order of the configuration. */
const inOrder = (
  runs$: Observable<HookRun>,
  hooks: readonly HookConfig[],
  onEnd: OnHookEnd | undefined,
): Promise<HookExecutionResult[]> =>
  new Promise((resolve, reject) => {
    const results: HookExecutionResult[] = new Array(hooks.length);
    runs$.subscribe({
      next: ({ index, result }) => {
        results[index] = result;
        onEnd?.(result.hookConfig, result, index);
      },
      error: reject,
      complete: () => resolve(results),
    });
  });
