// Runs the hooks of a plan and returns their results: the public `HookRunner`.
import type { HookEventName, HookInput } from '../events/index.ts';
import { describeThrown } from '../kit/index.ts';
import {
  type HookConfig,
  type HookExecutionResult,
  type HostConfig,
  type HostServices,
  type Logger,
  type Notice,
  partLogger,
  projectDirOf,
} from '../protocol/index.ts';
import { faultResult } from './answer/faults.ts';
import type { OutputReader } from './answer/parse-output.ts';
import { EventRun, type RequestEnding, signalOf } from './lanes/event-run.ts';
import type { Lanes } from './lanes/lane.ts';
import { LaneTable } from './lanes/lane-table.ts';
import { defaultLimits, type RunnerLimits } from './limits.ts';
import { nestingDepth, traceParentNow } from './nesting.ts';
import type { Executor } from './process/executor.ts';
import { AdviceClock } from './schedule/advice-clock.ts';
import { ProcessSlots } from './schedule/process-slots.ts';
import type { HookRunnerParts, OnHookEnd, OnHookStart } from './schedule/run-hook.ts';
import { inputAfter, runParallel, runSequence } from './schedule/run-plan.ts';

/** Added to the grace period when waiting for all lanes to end. */
const PATIENCE_MS = 300;

export type { OnHookEnd, OnHookStart } from './schedule/run-hook.ts';

/** Options of one event: callbacks, and the signal or lifetime that ends its hooks early. */
export interface RunOptions {
  readonly onStart?: OnHookStart | undefined;
  readonly onEnd?: OnHookEnd | undefined;
  readonly ending?: RequestEnding | AbortSignal | undefined;
  /** W3C trace context of the event. */
  readonly traceParent?: string | undefined;
}

/** A configured hook; `config` is `undefined` if it could not be read. */
export interface PreparedHook {
  readonly config?: HookConfig | undefined;
}

export interface HookRunnerDeps extends HostServices {
  /** Starts processes. Default: the engine itself, or execa on Windows. */
  readonly executor?: Executor | undefined;
  /** Further variables that command lines may use. */
  readonly variables?: Readonly<Record<string, string>> | undefined;
  readonly limits?: Partial<RunnerLimits> | undefined;
  /**
   * Hooks die with the host however it ends, even by SIGKILL or out of memory: a small shell process, shared by all
   * engines of the process and running only while hooks run, ends them. Not on Windows.
   */
  readonly orphanGuard?: boolean | undefined;
  readonly logger?: Logger | undefined;
  /** A trial run: the folders in which hooks keep data are temporary and deleted with the engine. */
  readonly isTrial?: boolean | undefined;
  /** Lanes for further hook types, or replacements of built-in ones. Their types are allowed in settings. */
  readonly lanes?: Lanes | undefined;
}

/** Runs hooks. The planner decides which ones, and merging decides what their answers mean. */
export class HookRunner {
  readonly limits: RunnerLimits;
  readonly #lanes: LaneTable;
  readonly #parts: HookRunnerParts;
  readonly #logger: Logger | undefined;
  readonly #config: HostConfig;
  /** Ends runs that have no signal of their own when the engine is disposed. */
  readonly #closing = new AbortController();

  /** `readOutput` reads answers in another format than that of agent hooks. */
  constructor(config: HostConfig, deps: HookRunnerDeps = {}, readOutput?: OutputReader) {
    this.limits = { ...defaultLimits(), ...deps.limits };
    this.#logger = partLogger(deps.logger, 'runner');
    this.#config = config;
    this.#lanes = new LaneTable(config, this.limits, readOutput === undefined ? deps : { ...deps, readOutput });
    this.#parts = {
      lanes: this.#lanes,
      slots: new ProcessSlots(this.limits.concurrency),
      projectDir: () => projectDirOf(config),
      onTrouble: (error) => this.#logger?.warn?.(`A listener for hook events failed: ${describeThrown(error)}`),
      debug: this.#logger?.debug,
    };
  }

  /** Number of function hooks that answered after their timeout. */
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

  /** Runs hooks in parallel, limited by process slots. Results are in the order of the hooks. */
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

  /** Like `executeHooksParallel`, for events of any family. */
  async executeAll(
    hooks: readonly HookConfig[],
    eventName: string,
    input: object,
    onStart?: OnHookStart,
    onEnd?: OnHookEnd,
    signal?: AbortSignal,
  ): Promise<HookExecutionResult[]> {
    return this.runParallel(hooks, eventName, input, { onStart, onEnd, ending: signal, traceParent: traceParentNow() });
  }

  /** Like `executeAll`, but synchronous if no hook waits. */
  runParallel(
    hooks: readonly HookConfig[],
    eventName: string,
    input: object,
    { onStart, onEnd, ending = this.#closing.signal, traceParent }: RunOptions,
  ): HookExecutionResult[] | Promise<HookExecutionResult[]> {
    const advice = this.#adviceFor(hooks, eventName, ending);
    const eventRun = new EventRun(eventName, input, ending, nestingDepth(), traceParent);
    const results = runParallel({ parts: this.#parts, eventRun, advice, onStart, onEnd }, hooks);
    if (advice === undefined) return results;
    if (results instanceof Promise) return results.finally(() => advice.stop());
    advice.stop();
    return results;
  }

  /** Runs hooks one after another; each answer may change the input of the next hook. */
  executeHooksSequential<E extends HookEventName>(
    hooks: readonly HookConfig[],
    eventName: E,
    input: HookInput<E>,
    onStart?: OnHookStart,
    onEnd?: OnHookEnd,
    signal: AbortSignal = this.#closing.signal,
  ): Promise<HookExecutionResult[]> {
    const [traceParent, depth] = [traceParentNow(), nestingDepth()];
    const advice = this.#adviceFor(hooks, eventName, signal);
    const results = runSequence(
      hooks,
      input,
      (current) => {
        const eventRun = new EventRun(eventName, current, signal, depth, traceParent);
        return { parts: this.#parts, eventRun, advice, onStart, onEnd };
      },
      (current, result) => inputAfter(eventName, current, result),
    );
    return advice === undefined ? results : results.finally(() => advice.stop());
  }

  /** Checks a hook without running it: its type, its command, its files. */
  async inspect(hook: HookConfig): Promise<readonly Notice[]> {
    return (await this.#lanes.laneOf(hook.type).inspect?.(hook)) ?? [];
  }

  /**
   * Prepares what these hooks will need, without starting any of them.
   * @returns whether any of them starts processes.
   */
  prepare(hooks: readonly PreparedHook[]): boolean {
    return this.#lanes.prepare(hooks.flatMap(({ config }) => config ?? []));
  }

  /** Discards everything that was prepared for hooks other than these. */
  retain(hooks: readonly HookConfig[]): void {
    this.#lanes.retain(hooks);
  }

  get hasSession(): boolean {
    return this.#lanes.hasSession;
  }

  /** Discards everything that hooks kept for the session. */
  endSession(): void {
    this.#lanes.endSession();
  }

  /** Ends running hooks, and waits for their processes up to the grace period and a little longer. */
  async dispose(): Promise<void> {
    this.#closing.abort();
    await this.#lanes.dispose(this.limits.killGraceMs + PATIENCE_MS);
  }

  #adviceFor(
    hooks: readonly HookConfig[],
    eventName: string,
    ending: RequestEnding | AbortSignal,
  ): AdviceClock | undefined {
    return hooks.some((hook) => hook?.advisory === true)
      ? new AdviceClock(hooks, eventName, signalOf(ending), this.#config)
      : undefined;
  }
}
