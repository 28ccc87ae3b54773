// The public class `HookRunner`: runs the hooks of an event and returns their results.
import type { HookEventName, HookInput } from '../events/index.ts';
import { describeThrown } from '../kit/index.ts';
import {
  callSafely,
  createPartLogger,
  getProjectDir,
  type HookConfig,
  type HookExecutionResult,
  type HostConfig,
  type HostServices,
  type Logger,
  type Notice,
} from '../protocol/index.ts';
import { createFaultResult } from './answer/faults.ts';
import type { OutputReader } from './answer/parse-output.ts';
import { type AbortState, EventRun, getSignal } from './lanes/event-run.ts';
import type { Lanes } from './lanes/lane.ts';
import { LaneTable } from './lanes/lane-table.ts';
import { defaultLimits, type RunnerLimits } from './limits.ts';
import { getNestingDepth, getTraceParent } from './nesting.ts';
import type { Executor } from './process/executor.ts';
import { AdvisoryDeadlines } from './schedule/advisory-deadlines.ts';
import { ProcessSlots } from './schedule/process-slots.ts';
import type { HookRunnerParts, OnHookEnd, OnHookStart } from './schedule/run-hook.ts';
import { applyToInput, runParallel, runSequence } from './schedule/run-plan.ts';

/** Time that lanes get to end after the grace period of their processes. */
const EXTRA_DISPOSE_MS = 300;

export interface RunOptions {
  readonly onStart?: OnHookStart | undefined;
  readonly onEnd?: OnHookEnd | undefined;
  readonly ending?: AbortState | AbortSignal | undefined;
  readonly traceParent?: string | undefined;
}

export interface HookRunnerDeps extends HostServices {
  /** Starts processes, for example in a sandbox. Default: processes start directly, on Windows with execa. */
  readonly executor?: Executor | undefined;
  readonly variables?: Readonly<Record<string, string>> | undefined;
  readonly limits?: Partial<RunnerLimits> | undefined;
  /** Ends hook processes if the host dies, even by SIGKILL. A small shell process watches the host. Not on Windows. */
  readonly orphanGuard?: boolean | undefined;
  readonly logger?: Logger | undefined;
  /** In a trial run, data folders of hooks are temporary. */
  readonly isTrial?: boolean | undefined;
  /** Implementations of additional hook types, or replacements of built-in ones. */
  readonly lanes?: Lanes | undefined;
}

export class HookRunner {
  readonly limits: RunnerLimits;
  readonly #lanes: LaneTable;
  readonly #parts: HookRunnerParts;
  readonly #logger: Logger | undefined;
  readonly #config: HostConfig;
  readonly #closing = new AbortController();

  /** @param readOutput - parses answers that do not have the format of agent hooks. */
  constructor(config: HostConfig, deps: HookRunnerDeps = {}, readOutput?: OutputReader) {
    this.limits = { ...defaultLimits(), ...deps.limits };
    this.#logger = createPartLogger(deps.logger, 'runner');
    this.#config = config;
    this.#lanes = new LaneTable(config, this.limits, readOutput === undefined ? deps : { ...deps, readOutput });
    this.#parts = {
      lanes: this.#lanes,
      slots: new ProcessSlots(this.limits.concurrency),
      projectDir: () => callSafely(this.#logger, 'getProjectDir', () => getProjectDir(config)) ?? '',
      onTrouble: (error) => this.#logger?.warn?.(`A listener for hook events failed: ${describeThrown(error)}`),
      debug: this.#logger?.debug,
    };
  }

  get lateAnswers(): number {
    return this.#lanes.lateAnswers;
  }

  executeHook<E extends HookEventName>(
    hook: HookConfig,
    eventName: E,
    input: HookInput<E>,
    signal?: AbortSignal,
  ): Promise<HookExecutionResult> {
    return this.executeHooksParallel([hook], eventName, input, undefined, undefined, signal).then(([result]) => {
      if (result !== undefined) return result;
      return createFaultResult(hook, eventName, { code: 'threw', message: 'the run ended without a result' });
    });
  }

  /** Runs hooks in parallel, as far as `limits.concurrency` allows. Results are in the order of `hooks`. */
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

  async executeAll(
    hooks: readonly HookConfig[],
    eventName: string,
    input: object,
    onStart?: OnHookStart,
    onEnd?: OnHookEnd,
    signal?: AbortSignal,
  ): Promise<HookExecutionResult[]> {
    return this.runParallel(hooks, eventName, input, { onStart, onEnd, ending: signal, traceParent: getTraceParent() });
  }

  runParallel(
    hooks: readonly HookConfig[],
    eventName: string,
    input: object,
    { onStart, onEnd, ending = this.#closing.signal, traceParent }: RunOptions,
  ): HookExecutionResult[] | Promise<HookExecutionResult[]> {
    const deadlines = this.#createDeadlines(hooks, eventName, ending);
    const eventRun = new EventRun(eventName, input, ending, getNestingDepth(), traceParent);
    const results = runParallel({ parts: this.#parts, eventRun, deadlines, onStart, onEnd }, hooks);
    if (deadlines === undefined) return results;
    if (results instanceof Promise) return results.finally(() => deadlines.stop());
    deadlines.stop();
    return results;
  }

  /** Runs hooks one after another. Each answer may change the input of the next hook. */
  executeHooksSequential<E extends HookEventName>(
    hooks: readonly HookConfig[],
    eventName: E,
    input: HookInput<E>,
    onStart?: OnHookStart,
    onEnd?: OnHookEnd,
    signal: AbortSignal = this.#closing.signal,
  ): Promise<HookExecutionResult[]> {
    const [traceParent, depth] = [getTraceParent(), getNestingDepth()];
    const deadlines = this.#createDeadlines(hooks, eventName, signal);
    const results = runSequence(
      hooks,
      input,
      (current) => {
        const eventRun = new EventRun(eventName, current, signal, depth, traceParent);
        return { parts: this.#parts, eventRun, deadlines, onStart, onEnd };
      },
      (current, result) => applyToInput(eventName, current, result),
    );
    return deadlines === undefined ? results : results.finally(() => deadlines.stop());
  }

  /** Checks a hook without running it, such as whether its program exists. */
  async inspect(hook: HookConfig): Promise<readonly Notice[]> {
    return (await this.#lanes.laneOf(hook.type).inspect?.(hook)) ?? [];
  }

  /**
   * Prepares resources such as warm processes, without running a hook.
   * @returns true if any of the hooks starts processes.
   */
  prepare(hooks: readonly { readonly config?: HookConfig | undefined }[]): boolean {
    return this.#lanes.prepare(hooks.flatMap(({ config }) => config ?? []));
  }

  retain(hooks: readonly HookConfig[]): void {
    this.#lanes.retain(hooks);
  }

  get hasSession(): boolean {
    return this.#lanes.hasSession;
  }

  endSession(): void {
    this.#lanes.endSession();
  }

  async dispose(): Promise<void> {
    this.#closing.abort();
    await this.#lanes.dispose(this.limits.killGraceMs + EXTRA_DISPOSE_MS);
  }

  #createDeadlines(
    hooks: readonly HookConfig[],
    eventName: string,
    ending: AbortState | AbortSignal,
  ): AdvisoryDeadlines | undefined {
    return hooks.some((hook) => hook?.advisory === true)
      ? new AdvisoryDeadlines(hooks, eventName, getSignal(ending), (source) =>
          callSafely(this.#logger, 'getBudgetMs', () => this.#config.getBudgetMs?.(eventName, source)),
        )
      : undefined;
  }
}
