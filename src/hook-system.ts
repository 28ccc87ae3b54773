import type { Bus } from './bus/index.ts';
import { Canaries } from './canaries.ts';
import { HookSystemNotInitializedError, HookwrightError } from './errors.ts';
import { addEvents, catalogue, type HookEventName, type HostEvent, isHookEventName } from './events/index.ts';
import { disposed, HookEventHandler, type HookEventHandlerDeps, type OnDecision } from './handlers/index.ts';
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

/** Everything a host may bring along. All of it is optional. */
export interface HookSystemDeps
  extends Omit<HookRegistryDeps, 'hookTypes'>,
    Omit<HookPlannerDeps, 'projectDir'>,
    HookRunnerDeps,
    Omit<HookEventHandlerDeps, 'ready'> {}

/** A configuration of a host with events of its own. */
interface EventfulHost {
  /** Events that it fires besides ours. */
  getEvents?(): readonly HostEvent[];
}

/** A configuration that knows by itself which hooks the user approved. */
interface TrustingHost {
  getTrustCheck?(): HookRegistryDeps['trustCheck'];
  /** What canaries came to in earlier processes. */
  getCanaryRecord?(): CanaryRecord | undefined;
}

/**
 * Node compiles a function when it is first called, and an event calls hundreds. So once in a process a silent engine fires
 * an event for a function hook that allows.
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

/**
 * The engine, joined from its parts. Building one does nothing but subscribe to the bus; hooks are loaded by
 * `initialize()`, or by the first event that arrives.
 */
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

  /** Loads the hooks. Once is enough: later calls return at once. */
  initialize(signal?: AbortSignal): Promise<void> {
    if (this.#isOver) return Promise.reject(disposed());
    return this.#registry.initialize(signal).then(async () => {
      await this.#canaries.recall();
      this.#prepare();
    });
  }

  /** Prepares in idle time what the first command needs. */
  #prepare(): void {
    const hooks = this.#registry.getConfiguredHooks().filter(({ barriers }) => barriers.length === 0);
    if (!this.#runner.prepare(hooks)) return;
    const eventNames = [...new Set(hooks.map(({ eventName }) => eventName))].filter(isHookEventName);
    // What is not made ready is made by the first event.
    const tell = (error: unknown): void => this.#logger?.debug?.(`not made ready: ${describeThrown(error)}`);
    setImmediate(() => this.#makeReady(eventNames).catch(tell)).unref();
  }

  /** An event that is there already is not held up. */
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
   * Reads the configuration again and tells the bus what is different. When that fails the hooks stay as they were; what
   * runs keeps its plan.
   */
  reload(signal?: AbortSignal): Promise<void> {
    if (this.#isOver) return Promise.reject(disposed());
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

  /** Every hook that could be read, switched on or not. */
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
   * Whether an event that is fired now would come to nothing: no hook runs, and no listener, trace or log needs it. Cheap: who
   * would fire it may leave that out, and everything that has to be made for it. To be asked anew for each event. Without a
   * context it is asked for all subjects.
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

  /** What is wrong with the configuration. */
  getProblems(): readonly ConfigProblem[] {
    this.#expectInitialized('getProblems()');
    return [...this.#registry.getProblems(), ...this.#canaries.failures.map(({ problem }) => problem)];
  }

  /**
   * Runs the canary of every guard that has one, by the way that each call goes: a guard that lets its canary pass is a
   * problem and obeys its `onFault` until it does not. Those of hooks that are off or not approved are not run.
   */
  async checkCanaries(
    also: (hook: ConfiguredHook) => readonly CanaryCall[] = () => [],
  ): Promise<readonly CanaryFailure[]> {
    await this.initialize();
    return this.#canaries.check(also);
  }

  /**
   * Runs the canaries of guards that changed since theirs was run last, in this process or an earlier one. Resolves to what is
   * lost now, of the others as well.
   */
  async checkNewCanaries(): Promise<readonly CanaryFailure[]> {
    await this.initialize();
    return this.#canaries.checkNew();
  }

  setHookEnabled(name: string, enabled: boolean): boolean {
    this.#expectInitialized('setHookEnabled()');
    return this.#registry.setHookEnabled(name, enabled);
  }

  /** Adds a hook from code; it survives reloads. The returned function removes it. */
  registerHook(hook: HookConfig, eventName: HookEventName, options?: RegisterOptions): () => void {
    return this.#registry.registerHook(hook, eventName, options);
  }

  /**
   * Says of every configured hook whether it would run, and why not; with a look at the machine where it would. Nothing
   * is run.
   */
  async explain(eventName?: string, context?: PlanContext): Promise<HookRow[]> {
    await this.#registry.initialize();
    await this.#canaries.recall();
    const configs = new Map(this.#registry.getAllHooks().map(({ hookId, config }) => [hookId, config]));
    const look = async (row: HookRow): Promise<HookRow> => {
      const config = configs.get(row.hookId);
      const found = config === undefined || row.planned === 'skip' ? [] : await this.#runner.inspect(config);
      return found.length === 0 ? row : { ...row, warnings: [...(row.warnings ?? []), ...found] };
    };
    const rows = this.#planner.explain(eventName, context);
    return Promise.all((this.#observes() ? rows.map(observedRow) : rows).map(look));
  }

  /** Waits for canaries of a session that begins, which run beside it; in a process that ends with the event they would end as well. */
  async settleCanaries(): Promise<void> {
    await this.#canaries.settle();
  }

  /** Waits for hooks that no event waits for, as long as that. Resolves to the names of those that still run then. */
  settleBackground(graceMs: number): Promise<readonly string[]> {
    return this.#handler.settleBackground(graceMs);
  }

  /** Has each decision handed to `onDecision` when it is made. Unlike a listener of the bus it is no one who could answer. */
  watchDecisions(onDecision: OnDecision): void {
    this.#handler.watchDecisions(onDecision);
  }

  /** Answers what is in flight as disposed, ends running hooks and waits for their processes to be gone. */
  dispose(): Promise<void> {
    this.#isOver = true;
    return this.#handler.dispose();
  }

  #expectInitialized(accessor: string): void {
    if (!this.isInitialized()) throw new HookSystemNotInitializedError(accessor);
  }
}
