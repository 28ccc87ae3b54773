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
import { Batch, type RequestEnding, signalOf } from './lanes/event-run.ts';
import type { Lanes } from './lanes/lane.ts';
import { LaneTable } from './lanes/lane-table.ts';
import { defaultLimits, type RunnerLimits } from './limits.ts';
import { nestingDepth, traceParentNow } from './nesting.ts';
import type { Executor } from './process/executor.ts';
import { AdviceClock } from './schedule/advice-clock.ts';
import { ProcessSlots } from './schedule/process-slots.ts';
import type { HookRunnerParts, OnHookEnd, OnHookStart } from './schedule/run-hook.ts';
import { inputAfter, runParallel, runSequence } from './schedule/run-plan.ts';

/** How much longer than the grace period the end of all lanes is waited for. */
const PATIENCE_MS = 300;

export type { OnHookEnd, OnHookStart } from './schedule/run-hook.ts';

/** How hooks of an event are run: who is told, and what ends them early. */
export interface RunOptions {
  readonly onStart?: OnHookStart | undefined;
  readonly onEnd?: OnHookEnd | undefined;
  readonly ending?: RequestEnding | AbortSignal | undefined;
  /** The trace the event belongs to. */
  readonly traceParent?: string | undefined;
}

/** A hook as it is configured, if it could be read. */
export interface PreparedHook {
  readonly config?: HookConfig | undefined;
}

export interface HookRunnerDeps extends HostServices {
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
  /** Hooks are tried, not used: what they keep in their folders is for this engine alone, and is gone with it. */
  readonly isTrial?: boolean | undefined;
  /** Runs hooks of further types, or those there are in another way. A type that has a lane may stand in settings. */
  readonly lanes?: Lanes | undefined;
}

/** Runs hooks and nothing else: which ones is the planner's business, what their answers mean the aggregator's. */
export class HookRunner {
  readonly limits: RunnerLimits;
  readonly #lanes: LaneTable;
  readonly #parts: HookRunnerParts;
  readonly #logger: Logger | undefined;
  readonly #config: HostConfig;
  /** Ends what runs without a signal of its own when the engine is disposed of. */
  readonly #closing = new AbortController();

  /** `readOutput` is for hooks whose answers are of another kind than those of agent hooks. */
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

  /** Answers of function hooks that came too late. */
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

  /** All at once, as far as there are process slots. Results are in the order of the hooks, whatever finished first. */
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

  /** The same for the engine: the results are there at once if no hook waits. */
  runParallel(
    hooks: readonly HookConfig[],
    eventName: string,
    input: object,
    { onStart, onEnd, ending = this.#closing.signal, traceParent }: RunOptions,
  ): HookExecutionResult[] | Promise<HookExecutionResult[]> {
    const advice = this.#adviceFor(hooks, eventName, ending);
    const batch = new Batch(eventName, input, ending, nestingDepth(), traceParent);
    const results = runParallel({ parts: this.#parts, batch, advice, onStart, onEnd }, hooks);
    if (advice === undefined) return results;
    if (results instanceof Promise) return results.finally(() => advice.stop());
    advice.stop();
    return results;
  }

  /** One after another; what a hook answers changes the input of the next. */
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
        const batch = new Batch(eventName, current, signal, depth, traceParent);
        return { parts: this.#parts, batch, advice, onStart, onEnd };
      },
      (current, result) => inputAfter(eventName, current, result),
    );
    return advice === undefined ? results : results.finally(() => advice.stop());
  }

  /** What can be said about a hook before it runs: by its type, or by a look at the machine. */
  async inspect(hook: HookConfig): Promise<readonly Notice[]> {
    return (await this.#lanes.laneOf(hook.type).inspect?.(hook)) ?? [];
  }

  /**
   * The hooks were loaded: what they will need is made ready in advance. No hook is started.
   * @returns whether there are any that start processes.
   */
  prepare(hooks: readonly PreparedHook[]): boolean {
    return this.#lanes.prepare(hooks.flatMap(({ config }) => config ?? []));
  }

  /** The hooks were read again, and these are all there are: what was kept ready for others may go. */
  retain(hooks: readonly HookConfig[]): void {
    this.#lanes.retain(hooks);
  }

  /** Whether there may be something that hooks keep for the session. */
  get hasSession(): boolean {
    return this.#lanes.hasSession;
  }

  /** The session is over: what hooks keep for it goes. */
  endSession(): void {
    this.#lanes.endSession();
  }

  /** Ends what still runs, and waits until their processes are gone or ending them has taken too long. */
  async dispose(): Promise<void> {
    this.#closing.abort();
    await this.#lanes.dispose(this.limits.killGraceMs + PATIENCE_MS);
  }

  /** A clock for the hooks that are advisory; mostly there are none. */
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
