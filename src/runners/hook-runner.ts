import type { HookEventName, HookInput } from '../events/index.ts';
import { describeThrown } from '../kit/index.ts';
import {
  type HookConfig,
  type HookExecutionResult,
  type HostConfig,
  type Logger,
  type Notice,
  partLogger,
  projectDirOf,
} from '../protocol/index.ts';
import { faultResult } from './answer/faults.ts';
import type { OutputReader } from './answer/parse-output.ts';
import { Batch } from './lanes/call.ts';
import type { Lanes } from './lanes/lane.ts';
import { LaneTable } from './lanes/table.ts';
import { defaultLimits, type RunnerLimits } from './limits.ts';
import type { Executor } from './process/executor.ts';
import { AdviceClock } from './schedule/advice-clock.ts';
import { inputAfter } from './schedule/input-after.ts';
import { NestedPlaces, type OnHookEnd, type OnHookStart, type Running } from './schedule/run-hook.ts';
import { runParallel, runSequence } from './schedule/run-plan.ts';
import { nestingDepth, traceParentNow, withTraceParent } from './schedule/surroundings.ts';

/** How much longer than the grace period the end of all lanes is waited for. */
const PATIENCE_MS = 300;

export type { OnHookEnd, OnHookStart } from './schedule/run-hook.ts';

/** A hook as it is configured, if it could be read. */
export interface Prepared {
  readonly config?: HookConfig | undefined;
}

export interface HookRunnerDeps {
  /** Starts processes; by default they are started directly, and with execa on Windows. */
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
  /** Runs hooks of further types, or those there are in another way. A type that has a lane may stand in settings. */
  readonly lanes?: Lanes | undefined;
}

/** Runs hooks and nothing else: which ones is the planner's business, what their answers mean the aggregator's. */
export class HookRunner {
  readonly limits: RunnerLimits;
  readonly #places: NestedPlaces;
  readonly #lanes: LaneTable;
  readonly #logger: Logger | undefined;
  readonly #config: HostConfig;
  /** Ends what runs without a signal of its own when the engine is disposed of. */
  readonly #closing = new AbortController();

  /** `readOutput` is for hooks whose answers are of another kind than those of agent hooks. */
  constructor(config: HostConfig, deps: HookRunnerDeps = {}, readOutput?: OutputReader) {
    this.limits = { ...defaultLimits(), ...deps.limits };
    this.#logger = partLogger(deps.logger, 'runner');
    this.#config = config;
    this.#places = new NestedPlaces(this.limits.concurrency);
    this.#lanes = new LaneTable(config, this.limits, readOutput === undefined ? deps : { ...deps, readOutput });
  }

  /** Answers of function hooks that came after nobody waited any more. */
  get lateAnswers(): number {
    return this.#lanes.lateAnswers;
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
    return this.#inBudget(hooks, eventName, signal, (advice) =>
      runParallel(this.#running(eventName, input, onStart, onEnd, signal, advice), hooks),
    );
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
    const traceParent = traceParentNow();
    return this.#inBudget(hooks, eventName, signal, (advice) =>
      runSequence(
        hooks,
        input,
        (current) =>
          withTraceParent(traceParent, () => this.#running(eventName, current, onStart, onEnd, signal, advice)),
        (current, result) => inputAfter(eventName, current, result),
      ),
    );
  }

  /** What can be said about a hook before it runs: by its type, or by a look at the machine. */
  async inspect(hook: HookConfig): Promise<readonly Notice[]> {
    return (await this.#lanes.laneOf(hook.type).inspect?.(hook)) ?? [];
  }

  /**
   * The hooks were loaded: what they will need is made ready while nobody waits for it. Nothing of theirs is started.
   * @returns whether there are any that start processes.
   */
  prepare(hooks: readonly Prepared[]): boolean {
    return this.#lanes.prepare(hooks.flatMap(({ config }) => config ?? []));
  }

  /** The hooks were read again, and these are all there are: what was kept ready for others may go. */
  retain(hooks: readonly HookConfig[]): void {
    this.#lanes.retain(hooks);
  }

  /** Ends what still runs, and waits until their processes are gone or ending them has taken too long. */
  async dispose(): Promise<void> {
    this.#closing.abort();
    await this.#lanes.dispose(this.limits.killGraceMs + PATIENCE_MS);
  }

  /** Who is told of hooks cannot keep them from running. */
  readonly #onTrouble = (error: unknown): void =>
    this.#logger?.warn?.(`A listener for hook events failed: ${describeThrown(error)}`);

  #running(
    eventName: string,
    input: object,
    onStart: OnHookStart | undefined,
    onEnd: OnHookEnd | undefined,
    signal: AbortSignal = this.#closing.signal,
    advice: AdviceClock | undefined = undefined,
  ): Running {
    const depth = nestingDepth();
    const batch = new Batch(eventName, input, signal, depth);
    const onTrouble = this.#onTrouble;
    const debug = this.#logger?.debug;
    const projectDir = projectDirOf(this.#config);
    const [lanes, places] = [this.#lanes, this.#places.at(depth)];
    return { lanes, places, batch, projectDir, advice, onStart, onEnd, onTrouble, debug };
  }

  /** Runs hooks while a clock runs for those that are advisory; mostly there are none. */
  #inBudget(
    hooks: readonly HookConfig[],
    eventName: string,
    signal: AbortSignal = this.#closing.signal,
    run: (advice: AdviceClock | undefined) => Promise<HookExecutionResult[]>,
  ): Promise<HookExecutionResult[]> {
    if (!hooks.some((hook) => hook?.advisory === true)) return run(undefined);
    const advice = new AdviceClock(hooks, eventName, signal, this.#config);
    return run(advice).finally(() => advice.stop());
  }
}
