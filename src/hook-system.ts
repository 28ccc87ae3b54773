/** `HookSystem`: the engine, built from its parts. */
import type { Bus } from './bus/index.ts';
import { Canaries } from './canaries.ts';
import { HookSystemNotInitializedError, HookwrightError } from './errors.ts';
import {
  addEvents,
  beginsSession,
  catalogue,
  type HookEventName,
  type HostEvent,
  isHookEventName,
} from './events/index.ts';
import { createDisposedError, HookEventHandler, type HookEventHandlerDeps, type OnDecision } from './handlers/index.ts';
import { describeThrown } from './kit/index.ts';
import { HookAggregator } from './merging/index.ts';
import { HookPlanner, type HookPlannerDeps, type PlanContext } from './planner/index.ts';
import {
  type CanaryCall,
  type ConfigProblem,
  createPartLogger,
  getProjectDir,
  type HookConfig,
  type HookRow,
  HookType,
  type HostConfig,
  type Logger,
  listHookTypes,
  MessageBusType,
  toObservedRow,
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

export interface HookSystemDeps
  extends Omit<HookRegistryDeps, 'hookTypes'>,
    Omit<HookPlannerDeps, 'projectDir'>,
    HookRunnerDeps,
    Omit<HookEventHandlerDeps, 'ready'> {}

/** A configuration from settings files also knows the user's approvals. */
interface EngineHost extends HostConfig {
  getEvents?(): readonly HostEvent[];
  getTrustCheck?(): HookRegistryDeps['trustCheck'];
  /** Results of canaries, which test guards, from earlier processes. */
  getCanaryRecord?(): CanaryRecord | undefined;
}

/** Fires an event in an engine without effects, because Node compiles functions on their first call. */
const warmUpEngine = async (eventName: HookEventName): Promise<void> => {
  const system = new HookSystem({ getSessionId: () => '', getWorkingDir: () => '', getHooks: () => ({}) });
  await system.initialize();
  system.registerHook({ type: HookType.Runtime, name: 'rehearsal', action: () => ({ decision: 'allow' }) }, eventName);
  const { signal } = new AbortController();
  await system.getEventHandler().fire(eventName, catalogue[eventName].sample, { signal });
  await system.dispose();
};

let isEngineWarm = false;

/** The constructor only subscribes to the bus. `initialize()` or the first event loads the hooks. */
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

  constructor(config: EngineHost, bus?: Bus, given: HookSystemDeps = {}) {
    addEvents(config.getEvents?.() ?? []);
    this.#logger = createPartLogger(given.logger, 'handler');
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
    this.#registry = new HookRegistry(config, { ...deps, onReload, onWaiting, hookTypes: listHookTypes(deps.lanes) });
    this.#planner = new HookPlanner(this.#registry, { ...deps, projectDir: () => getProjectDir(config) });
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

  /** Loads the hooks once. Later calls return immediately. */
  initialize(signal?: AbortSignal): Promise<void> {
    if (this.#isOver) return Promise.reject(createDisposedError());
    return this.#registry.initialize(signal).then(async () => {
      await this.#canaries.recall();
      this.#prepare();
    });
  }

  /** Prepares the engine in idle time, so that the first event is faster. */
  #prepare(): void {
    const hooks = this.#registry.getConfiguredHooks().filter(({ skipReasons }) => skipReasons.length === 0);
    if (!this.#runner.prepare(hooks)) return;
    const eventNames = [...new Set(hooks.map(({ eventName }) => eventName))].filter(isHookEventName);
    // If the preparation fails, the first event does the work.
    const tell = (error: unknown): void => this.#logger?.debug?.(`not made ready: ${describeThrown(error)}`);
    setImmediate(() => this.#makeReady(eventNames).catch(tell)).unref();
  }

  /** Stops once an event has arrived, because preparing would delay that event. */
  async #makeReady(eventNames: readonly HookEventName[]): Promise<void> {
    if (this.#isOver || this.#wasAsked) return;
    for (const name of eventNames) {
      catalogue[name].read(catalogue[name].sample);
      this.#planner.createExecutionPlan(name);
    }
    const [first] = eventNames;
    if (isEngineWarm || first === undefined) return;
    isEngineWarm = true;
    await warmUpEngine(first);
  }

  /**
   * Reads the configuration again and publishes what changed. If that fails, the hooks stay as they were. Running hooks
   * are not interrupted.
   */
  reload(signal?: AbortSignal): Promise<void> {
    if (this.#isOver) return Promise.reject(createDisposedError());
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

  /** Includes hooks that are switched off. */
  getAllHooks(): HookRegistryEntry[] {
    this.#expectInitialized('getAllHooks()');
    return this.#registry.getAllHooks();
  }

  /** Whether any hook would run. It is fast enough to call before each event. */
  wouldRun(eventName: HookEventName, context?: PlanContext): boolean {
    this.#expectInitialized('wouldRun()');
    return this.#planner.createExecutionPlan(eventName, context) !== null;
  }

  /**
   * Whether an event can be left out, because no hook, listener, trace or log needs it. It is fast, so check it before
   * each event. Without `context`, it is true only if it is true for all tools and other subjects.
   */
  isNoop(eventName: HookEventName, context?: PlanContext): boolean {
    if (!this.#registry.isInitialized()) return false;
    if (beginsSession(eventName) && this.#canaries.hooks.length > 0) return false;
    try {
      return this.#planner.createExecutionPlan(eventName, context) === null && this.#handler.isNoop(eventName);
    } catch {
      // The exception is not lost: firing the event throws and reports it again.
      return false;
    }
  }

  /** @deprecated Call `isNoop`. */
  comesToNothing(eventName: HookEventName, context?: PlanContext): boolean {
    return this.isNoop(eventName, context);
  }

  getProblems(): readonly ConfigProblem[] {
    this.#expectInitialized('getProblems()');
    return [...this.#registry.getProblems(), ...this.#canaries.failures.map(({ problem }) => problem)];
  }

  /**
   * Tests every guard that has a `canary`, a call that it must deny. If a guard does not, a problem is reported, and
   * calls get the verdict of the guard's `onFault` until it does. Hooks that are off or not approved are not tested.
   */
  async checkCanaries(
    also: (hook: ConfiguredHook) => readonly CanaryCall[] = () => [],
  ): Promise<readonly CanaryFailure[]> {
    await this.initialize();
    return this.#canaries.check(also);
  }

  /** Tests guards that changed since their last test in any process. Returns all current failures. */
  async checkNewCanaries(): Promise<readonly CanaryFailure[]> {
    await this.initialize();
    return this.#canaries.checkNew();
  }

  setHookEnabled(name: string, enabled: boolean): boolean {
    this.#expectInitialized('setHookEnabled()');
    return this.#registry.setHookEnabled(name, enabled);
  }

  /** Adds a hook from code, which stays after reloads. Call the returned function to remove it. */
  registerHook(hook: HookConfig, eventName: HookEventName, options?: RegisterOptions): () => void {
    return this.#registry.registerHook(hook, eventName, options);
  }

  /** Returns a row per configured hook: whether it would run and could be started, and if not, why. Runs no hook. */
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
    return Promise.all((this.#observes() ? rows.map(toObservedRow) : rows).map(look));
  }

  /** Waits for tests of guards that run while a session starts. A process that ends would cut them off. */
  async settleCanaries(): Promise<void> {
    await this.#canaries.settle();
  }

  /** Waits up to `graceMs` for background hooks, and returns the names of those that still run. */
  settleBackground(graceMs: number): Promise<readonly string[]> {
    return this.#handler.settleBackground(graceMs);
  }

  /** Calls `onDecision` for every event with a decision. Unlike a listener on the bus, it cannot answer requests. */
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
