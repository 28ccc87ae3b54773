import type { Bus } from './bus/index.ts';
import { HookSystemNotInitializedError, HookwrightError } from './errors.ts';
import { addEvents, catalogue, type HookEventName, type HostEvent, isHookEventName } from './events/index.ts';
import {
  type CanaryFailure,
  type CanaryParts,
  disposed,
  HookEventHandler,
  type HookEventHandlerDeps,
  type OnDecision,
} from './handlers/index.ts';
import { describeThrown, nextTurn } from './kit/index.ts';
import { HookAggregator } from './merging/index.ts';
import { HookPlanner, type HookPlannerDeps, type PlanContext } from './planner/index.ts';
import {
  type CanaryCall,
  type ConfigProblem,
  canaryCalls,
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
  type CanaryPast,
  type CanaryRecord,
  type ConfiguredHook,
  type HookChanges,
  HookRegistry,
  type HookRegistryDeps,
  type HookRegistryEntry,
  type RegisterOptions,
} from './registry/index.ts';
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

const hasCanary = ({ config }: ConfiguredHook): boolean => config?.canary !== undefined;

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
  readonly #canaryParts: CanaryParts;
  readonly #reportError: (error: HookwrightError) => void;
  /** Guards whose canaries were not denied, by id, with each call that passed. */
  #dead = new Map<string, readonly CanaryFailure[]>();
  readonly #canaryRecord: CanaryRecord | undefined;
  #checking: Promise<void> | undefined;
  readonly #logger: Logger | undefined;
  #isRecalled: boolean;
  /** It cannot be told which canaries were lost in earlier processes. */
  #isPastUnread = false;
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
      if (beginsSession(eventName)) this.#checkInBackground();
      if (this.#registry.isInitialized() && this.#isRecalled && !this.#isPastUnread) return undefined;
      return this.initialize().then(() => this.#checkForgotten());
    };
    const { translator, clock } = deps;
    const aggregator = new HookAggregator(deps);
    const parts = { config, planner: this.#planner, runner: this.#runner, aggregator };
    this.#canaryParts = { ...parts, deps: { translator, clock } };
    this.#canaryRecord = config.getCanaryRecord?.();
    this.#isRecalled = this.#canaryRecord === undefined;
    this.#reportError = (error) => bus?.report?.(error);
    this.#handler = new HookEventHandler(config, this.#planner, this.#runner, aggregator, bus, {
      ...deps,
      ready,
    });
  }

  /** Loads the hooks. Once is enough: later calls return at once. */
  initialize(signal?: AbortSignal): Promise<void> {
    if (this.#isOver) return Promise.reject(disposed());
    return this.#registry.initialize(signal).then(async () => {
      await this.#recallCanaries();
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
    return this.#registry.reload(signal).then(() => {
      this.#isRecalled = this.#canaryRecord === undefined;
      return this.#recallCanaries();
    });
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
    if (beginsSession(eventName) && this.#registry.getConfiguredHooks().some(hasCanary)) return false;
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
    const dead = [...this.#dead.values()].flatMap((failures) => failures.map(({ problem }) => problem));
    return dead.length === 0 ? this.#registry.getProblems() : [...this.#registry.getProblems(), ...dead];
  }

  /**
   * Runs the canary of every guard that has one, by the way that each call goes: a guard that lets its canary pass is a
   * problem and obeys its `onFault` until it does not. Those of hooks that are off or not approved are not run.
   */
  async checkCanaries(
    also: (hook: ConfiguredHook) => readonly CanaryCall[] = () => [],
  ): Promise<readonly CanaryFailure[]> {
    await this.initialize();
    return this.#check(this.#registry.getConfiguredHooks(), also);
  }

  /**
   * Runs the canaries of guards that changed since theirs was run last, in this process or an earlier one. Resolves to what is
   * lost now, of the others as well.
   */
  async checkNewCanaries(): Promise<readonly CanaryFailure[]> {
    await this.initialize();
    await this.#checkThose((past) => past?.isUnchanged !== true);
    return [...this.#dead.values()].flat();
  }

  /** Those of guards with a canary that are wanted for what theirs came to before. */
  async #checkThose(isWanted: (past: CanaryPast | undefined) => boolean): Promise<void> {
    const hooks = this.#registry.getConfiguredHooks().filter(hasCanary);
    const past = await this.#canaryRecord?.read(hooks);
    const wanted = hooks.filter(({ hookId }) => isWanted(past === 'unreadable' ? undefined : past?.get(hookId)));
    if (wanted.length > 0) await this.#check(wanted);
  }

  /** A guard whose canary was lost in an earlier process obeys its `onFault` in this one. */
  async #recallCanaries(): Promise<void> {
    if (this.#isRecalled) return;
    const hooks = this.#registry.getConfiguredHooks().filter(hasCanary);
    const past = hooks.length === 0 ? undefined : await this.#canaryRecord?.read(hooks);
    const { lossOf } = past === undefined ? {} : await import('./handlers/canaries.ts');
    this.#isRecalled = true;
    this.#isPastUnread = past === 'unreadable';
    if (past === 'unreadable') return;
    for (const hook of hooks) {
      const loss = past?.get(hook.hookId)?.loss;
      if (loss === undefined || lossOf === undefined || this.#dead.has(hook.hookId)) continue;
      this.#dead.set(hook.hookId, [lossOf(hook, loss)]);
    }
    this.#refuseForDead();
  }

  /** A guard that lost its canary before must not pass a call because that was forgotten: all are run before the first event. */
  async #checkForgotten(): Promise<void> {
    if (!this.#isPastUnread) return;
    this.#isPastUnread = false;
    await (this.#checking ?? this.#check(this.#registry.getConfiguredHooks().filter(hasCanary)));
  }

  async #check(
    hooks: readonly ConfiguredHook[],
    also: (hook: ConfiguredHook) => readonly CanaryCall[] = () => [],
  ): Promise<readonly CanaryFailure[]> {
    const callsFor = (hook: ConfiguredHook) => [...canaryCalls(hook.config?.canary), ...also(hook)];
    const { runCanaries } = await import('./handlers/canaries.ts');
    const { checked, failures } = await runCanaries(hooks, callsFor, this.#canaryParts);
    const known = new Set(this.#registry.getConfiguredHooks().map(({ hookId }) => hookId));
    const before = this.#dead;
    const isOver = new Set(checked.map(({ hookId }) => hookId));
    this.#dead = new Map([...before].filter(([hookId]) => known.has(hookId) && !isOver.has(hookId)));
    for (const failure of failures) {
      this.#dead.set(failure.hookId, [...(this.#dead.get(failure.hookId) ?? []), failure]);
      const { hookId, stage, message } = failure;
      const details = { notice: 'canary-failed', hookId, stage };
      if (!before.has(hookId)) this.#reportError(new HookwrightError('invalid_config', message, { details }));
    }
    this.#refuseForDead();
    const outcomes = checked.filter(hasCanary).map((hook) => [hook, this.#dead.get(hook.hookId)?.[0]] as const);
    if (outcomes.length > 0) await this.#canaryRecord?.keep(new Map(outcomes));
    return failures;
  }

  #refuseForDead(): void {
    this.#planner.refuseUntilAlive(
      new Map([...this.#dead].map(([hookId, [first]]) => [hookId, first?.message ?? 'its canary was not denied'])),
    );
  }

  /** A session does not wait for it. */
  #checkInBackground(): void {
    if (this.#checking !== undefined || this.#isOver) return;
    if (this.isInitialized() && !this.#registry.getConfiguredHooks().some(hasCanary)) return;
    const tell = (error: unknown): void => this.#logger?.warn?.(`canaries could not be run: ${describeThrown(error)}`);
    const check = async (): Promise<void> => {
      await nextTurn();
      await this.initialize();
      await this.#checkThose((past) => past?.isUnchanged !== true || !past.isCovered || past.loss !== undefined);
    };
    this.#checking = check()
      .catch(tell)
      .finally(() => {
        this.#checking = undefined;
      });
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
    await this.#recallCanaries();
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
    await this.#checking;
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
