/** `HookSystem`: the engine, built from its parts. */
import type { Bus } from './bus/index.ts';
import { Canaries } from './canaries.ts';
import { HookSystemNotInitializedError, HookwrightError } from './errors.ts';
import { addEvents, catalogue, type HookEventName, type HostEvent, isHookEventName } from './events/index.ts';
import { disposedError, HookEventHandler, type HookEventHandlerDeps, type OnDecision } from './handlers/index.ts';
import { describeThrown } from './kit/index.ts';
import { HookAggregator } from './merging/index.ts';
import { HookPlanner, type HookPlannerDeps, type PlanContext } from './planner/index.ts';
import {
  type CanaryCall,
  type ConfigProblem,
  type HookConfig,
  type HookRow,
  HookType,
  type HostConfig,
  hookTypesWith,
  type Logger,
  MessageBusType,
  observedRow,
  partLogger,
  projectDirOf,
} from './protocol/index.ts';
import {
  type CanaryRecord,
  type ConfiguredHook,
  type HookChanges,
  HookRegistry,
  type HookRegistryDeps,
  type HookRegistryEntry,
  type RegisterOptions,
} from './registry/index.ts';
import type { CanaryFailure } from './run-canary.ts';
import { HookRunner, type HookRunnerDeps } from './runners/index.ts';

/** Dependencies of the engine, all optional. */
export interface HookSystemDeps
  extends Omit<HookRegistryDeps, 'hookTypes'>,
    Omit<HookPlannerDeps, 'projectDir'>,
    HookRunnerDeps,
    Omit<HookEventHandlerDeps, 'ready'> {}

interface EventfulHost {
  /** Events that the host fires in addition to ours. */
  getEvents?(): readonly HostEvent[];
}

/** A configuration that knows the user's approvals. */
interface TrustingHost {
  getTrustCheck?(): HookRegistryDeps['trustCheck'];
  /** Canary results of earlier processes. */
  getCanaryRecord?(): CanaryRecord | undefined;
}

/**
 * Node compiles functions on their first call, and an event calls hundreds: fires one event in an engine without
 * effects.
 */
const rehearse = async (eventName: HookEventName): Promise<void> => {
  const system = new HookSystem({ getSessionId: () => '', getWorkingDir: () => '', getHooks: () => ({}) });
  await system.initialize();
  system.registerHook({ type: HookType.Runtime, name: 'rehearsal', action: () => ({ decision: 'allow' }) }, eventName);
  const { signal } = new AbortController();
  await system.getEventHandler().fire(eventName, catalogue[eventName].sample, { signal });
  await system.dispose();
};

let isRehearsed = false;

const beginsSession = (eventName: string): boolean =>
  isHookEventName(eventName) && catalogue[eventName].beginsSession === true;

/** Building it only subscribes to the bus; `initialize()` or the first event loads the hooks. */
export class HookSystem {
  readonly #registry: HookRegistry;
  readonly #planner: HookPlanner;
  readonly #runner: HookRunner;
  readonly #handler: HookEventHandler;
  readonly #observes: () => boolean;
  readonly #canaries: Canaries;
  readonly #logger: Logger | undefined;
  #isOver = false;
  #wasAsked = false;

  constructor(config: HostConfig & TrustingHost & EventfulHost, bus?: Bus, given: HookSystemDeps = {}) {
    addEvents(config.getEvents?.() ?? []);
    this.#logger = partLogger(given.logger, 'handler');
    this.#observes = () => config.getMode?.() === 'observe';
    const deps = { ...given, trustCheck: given.trustCheck ?? config.getTrustCheck?.() };
    const onReload = (changes: HookChanges): void => {
      this.#runner.retain(this.#registry.getAllHooks().map(({ config: hook }) => hook));
      deps.onReload?.(changes);
      const correlationId = this.#handler.createId();
      bus?.publish({ type: MessageBusType.HOOKS_RELOADED, correlationId, ...changes });
    };
    const onWaiting = ({ code, message }: ConfigProblem): void => {
      const details = { notice: code };
      bus?.report?.(new HookwrightError('invalid_config', message, { details }));
    };
    this.#registry = new HookRegistry(config, { ...deps, onReload, onWaiting, hookTypes: hookTypesWith(deps.lanes) });
    this.#planner = new HookPlanner(this.#registry, { ...deps, projectDir: () => projectDirOf(config) });
    this.#runner = new HookRunner(config, deps);
    const ready = (eventName: string): Promise<void> | undefined => {
      this.#wasAsked = true;
      if (beginsSession(eventName) && !this.#isOver) this.#canaries.checkInBackground(() => this.initialize());
      if (this.#registry.isInitialized() && this.#canaries.isRecalled) return undefined;
      return this.initialize().then(() => this.#canaries.checkForgotten());
    };
    const { translator, clock } = deps;
    const aggregator = new HookAggregator(deps);
    this.#canaries = new Canaries({
      config,
      registry: this.#registry,
      planner: this.#planner,
      runner: this.#runner,
      aggregator,
      handlerDeps: { translator, clock },
      record: config.getCanaryRecord?.(),
      logger: this.#logger,
      reportError: (error) => bus?.report?.(error),
    });
    this.#handler = new HookEventHandler(config, this.#planner, this.#runner, aggregator, bus, {
      ...deps,
      ready,
    });
  }

  /** Loads the hooks once; later calls return immediately. */
  initialize(signal?: AbortSignal): Promise<void> {
    if (this.#isOver) return Promise.reject(disposedError());
    return this.#registry.initialize(signal).then(async () => {
      await this.#canaries.recall();
      this.#prepare();
    });
  }

  /** Prepares in idle time for the first command hook. */
  #prepare(): void {
    const hooks = this.#registry.getConfiguredHooks().filter(({ barriers }) => barriers.length === 0);
    if (!this.#runner.prepare(hooks)) return;
    const eventNames = [...new Set(hooks.map(({ eventName }) => eventName))].filter(isHookEventName);
    // A failed preparation is repeated by the first event.
    const tell = (error: unknown): void => this.#logger?.debug?.(`not made ready: ${describeThrown(error)}`);
    setImmediate(() => this.#makeReady(eventNames).catch(tell)).unref();
  }

  /** Stops as soon as an event has arrived, so it is not delayed. */
  async #makeReady(eventNames: readonly HookEventName[]): Promise<void> {
    if (this.#isOver || this.#wasAsked) return;
    for (const name of eventNames) {
      catalogue[name].read(catalogue[name].sample);
      this.#planner.createExecutionPlan(name);
    }
    const [first] = eventNames;
    if (isRehearsed || first === undefined) return;
    isRehearsed = true;
    await rehearse(first);
  }

  /**
   * Reads the configuration again and publishes the changes. If it fails, the hooks stay; running hooks keep their
   * plan.
   */
  reload(signal?: AbortSignal): Promise<void> {
    if (this.#isOver) return Promise.reject(disposedError());
    return this.#registry.reload(signal).then(() => this.#canaries.recallAgain());
  }

  isInitialized(): boolean {
    return this.#registry.isInitialized();
  }

  getStatus(): { initialized: boolean; totalHooks: number } {
    const initialized = this.isInitialized();
    return { initialized, totalHooks: initialized ? this.#registry.getAllHooks().length : 0 };
  }

  getEventHandler(): HookEventHandler {
    this.#expectInitialized('getEventHandler()');
    return this.#handler;
  }

  getRegistry(): HookRegistry {
    this.#expectInitialized('getRegistry()');
    return this.#registry;
  }

  /** All readable hooks, on or off. */
  getAllHooks(): HookRegistryEntry[] {
    this.#expectInitialized('getAllHooks()');
    return this.#registry.getAllHooks();
  }

  /** Whether any hook would run. Cheap: call it before preparing an input. */
  wouldRun(eventName: HookEventName, context?: PlanContext): boolean {
    this.#expectInitialized('wouldRun()');
    return this.#planner.createExecutionPlan(eventName, context) !== null;
  }

  /**
   * Whether firing an event now has no effect: no hook runs, and no listener, trace or log needs it. Cheap: callers may
   * skip the event and the preparation of its payload. Check again for each event. Without a context it is true only if
   * it is for all subjects.
   */
  comesToNothing(eventName: HookEventName, context?: PlanContext): boolean {
    if (!this.#registry.isInitialized()) return false;
    if (beginsSession(eventName) && this.#canaries.hooks.length > 0) return false;
    try {
      return this.#planner.createExecutionPlan(eventName, context) === null && this.#handler.isNoop(eventName);
    } catch {
      // Firing the event reports this like any failure of the engine.
      return false;
    }
  }

  /** Problems of the configuration. */
  getProblems(): readonly ConfigProblem[] {
    this.#expectInitialized('getProblems()');
    return [...this.#registry.getProblems(), ...this.#canaries.failures.map(({ problem }) => problem)];
  }

  /**
   * Runs the canary of every guard that has one, in the same way as real calls. A guard that lets its canary pass is a
   * problem, and its `onFault` applies until it refuses. Canaries of hooks that are off or not approved do not run.
   */
  async checkCanaries(
    also: (hook: ConfiguredHook) => readonly CanaryCall[] = () => [],
  ): Promise<readonly CanaryFailure[]> {
    await this.initialize();
    return this.#canaries.check(also);
  }

  /** Runs canaries of guards that changed since their last one, in any process. Resolves to all current failures. */
  async checkNewCanaries(): Promise<readonly CanaryFailure[]> {
    await this.initialize();
    return this.#canaries.checkNew();
  }

  setHookEnabled(name: string, enabled: boolean): boolean {
    this.#expectInitialized('setHookEnabled()');
    return this.#registry.setHookEnabled(name, enabled);
  }

  /** Adds a hook in code; it survives reloads. The returned function removes it. */
  registerHook(hook: HookConfig, eventName: HookEventName, options?: RegisterOptions): () => void {
    return this.#registry.registerHook(hook, eventName, options);
  }

  /** Whether each configured hook would run and could be started, and if not, why. Runs nothing. */
  async explain(eventName?: string, context?: PlanContext): Promise<HookRow[]> {
    await this.#registry.initialize();
    await this.#canaries.recall();
    const configs = new Map(this.#registry.getAllHooks().map(({ hookId, config }) => [hookId, config]));
    const look = async (row: HookRow): Promise<HookRow> => {
      const config = configs.get(row.hookId);
      const found = config === undefined || row.planned === 'skip' ? [] : await this.#runner.inspect(config);
      return found.length === 0 ? row : { ...row, warnings: [...(row.warnings ?? []), ...found] };
    };
    const { toolName, payload = toolName === undefined ? undefined : { tool_name: toolName } } = context ?? {};
    const rows = this.#planner.explain(eventName, context && { ...context, payload });
    return Promise.all((this.#observes() ? rows.map(observedRow) : rows).map(look));
  }

  /** Waits for canaries that run beside a new session: in a process that ends with the event they would be cut off. */
  async settleCanaries(): Promise<void> {
    await this.#canaries.settle();
  }

  /** Waits up to `graceMs` for background hooks. Resolves to the names of those that still run. */
  settleBackground(graceMs: number): Promise<readonly string[]> {
    return this.#handler.settleBackground(graceMs);
  }

  /** Calls `onDecision` with each decision. Unlike a listener on the bus, it is never expected to answer. */
  watchDecisions(onDecision: OnDecision): void {
    this.#handler.watchDecisions(onDecision);
  }

  /** Answers open requests with `disposed`, ends running hooks, and waits until their processes are gone. */
  dispose(): Promise<void> {
    this.#isOver = true;
    return this.#handler.dispose();
  }

  #expectInitialized(accessor: string): void {
    if (!this.isInitialized()) throw new HookSystemNotInitializedError(accessor);
  }
}
