// The registry loads all configured hooks and knows whether each is enabled, trusted and able to run.
import { HookRegistryNotInitializedError, HookwrightError } from '../errors.ts';
import { type HookEventName, isHookEventName } from '../events/index.ts';
import { describeThrown, formatSuggestion, omitUndefined } from '../kit/index.ts';
import {
  type Clock,
  type ConfigProblem,
  type ConfigSource,
  configSources,
  createPartLogger,
  formatProblem,
  getHookKey,
  getWorkingDir,
  type HookConfig,
  type Logger,
  type LostGuard,
  type SkipReason,
  systemClock,
} from '../protocol/index.ts';
import { type ConfiguredHook, copyWithOwnConfig } from './configured-hook.ts';
import { HookIds, toComparableText } from './hook-id.ts';
import type { FileConfig } from './hook-source.ts';
import { PauseFollower, pauseHook } from './pause.ts';
import type { HookReading } from './read-hooks.ts';
import { createRegistration, type RegisterOptions, type Registration, toConfiguredHook } from './registration.ts';
import { createStandIns, findMissingGuards, type RequiredGuardGap } from './required-guards.ts';
import type { TrustCheck } from './trust-check.ts';

export interface HookRegistryDeps {
  readonly logger?: Logger | undefined;
  /**
   * Called once per load for every hook of a project or extension. Default: `isTrustedFolder` of the host for hooks
   * from code; hooks from files are not trusted.
   */
  readonly trustCheck?: TrustCheck | undefined;
  /** Called after every successful reload. */
  readonly onReload?: ((changes: HookChanges) => void) | undefined;
  /** Decides when a pause ends. */
  readonly clock?: Clock | undefined;
  /** Allowed types of hooks. Default: those of `HookType`. */
  readonly hookTypes?: readonly string[] | undefined;
}

export interface RegistryListeners {
  /** Called for each load after which hooks await approval, or approved guards are disabled or gone. */
  readonly onWaiting?: ((problem: ConfigProblem) => void) | undefined;
}

/** Immutable: each load creates a new set. */
interface HookSet {
  readonly hooks: readonly ConfiguredHook[];
  readonly problems: readonly ConfigProblem[];
  readonly hooksDisabled: boolean;
}

/** The configured hooks, their sources and switches. Reading it does not access files. */
export class HookRegistry {
  readonly #config: FileConfig;
  readonly #deps: HookRegistryDeps & RegistryListeners;
  readonly #clock: Clock;
  readonly #pause: PauseFollower;
  readonly #registrations = new Set<Registration>();
  readonly #switches = new Map<string, boolean>();
  readonly #leftOut = new Map<string, string>();
  #judged: ReadonlyMap<HookReading, readonly ConfiguredHook[]> = new Map();
  #disabledByConfig: ReadonlySet<string> = new Set();
  #loaded: HookSet | undefined;
  #loading: Promise<void> | undefined;
  #queued: Promise<void> | undefined;
  #version = 0;

  constructor(config: FileConfig, deps: HookRegistryDeps & RegistryListeners = {}) {
    this.#config = config;
    this.#deps = { ...deps, logger: createPartLogger(deps.logger, 'registry') };
    this.#clock = deps.clock ?? systemClock;
    this.#pause = new PauseFollower(() => config.getHooksOffUntil?.(), this.#deps.logger);
  }

  /** Changes whenever a plan made before could be wrong. */
  get version(): number {
    this.#checkPause();
    return this.#version;
  }

  #checkPause(isReported = false): void {
    if (this.#loaded === undefined || this.#loaded.hooksDisabled) return;
    if (this.#pause.update(this.#clock, isReported)) this.#version += 1;
  }

  isInitialized(): boolean {
    return this.#loaded !== undefined;
  }

  /** Loads once; concurrent calls share the load. */
  async initialize(signal?: AbortSignal): Promise<void> {
    if (this.#loaded !== undefined) return;
    if (this.#loading === undefined) return this.#startLoad(signal);
    // The caller that started the shared load may cancel it, but only for itself.
    await this.#loading.catch((error: unknown) => {
      if (!isCancellation(error)) throw error;
    });
    return this.initialize(signal);
  }

  /** Calls during a load share one later load. A failed load keeps the previous hooks. */
  async reload(signal?: AbortSignal): Promise<void> {
    if (this.#loading === undefined) {
      const before = this.#loaded === undefined ? [] : this.getConfiguredHooks();
      const loading = this.#startLoad(signal, true);
      return loading.then(() => this.#deps.onReload?.(findHookChanges(before, this.getConfiguredHooks())));
    }
    this.#queued ??= this.#loading
      .catch(() => undefined)
      .then(() => {
        this.#queued = undefined;
        return this.reload(signal);
      });
    return this.#queued;
  }

  #startLoad(signal: AbortSignal | undefined, isAgain = false): Promise<void> {
    this.#loading = this.#load(signal, isAgain).finally(() => {
      this.#loading = undefined;
    });
    return this.#loading;
  }

  async #load(signal: AbortSignal | undefined, isAgain: boolean): Promise<void> {
    const refuseAborted = (): void => {
      if (signal?.aborted)
        throw new HookwrightError('cancelled', 'Loading hooks was cancelled', { cause: signal.reason });
    };
    refuseAborted();
    if (isAgain) await this.#config.refreshHooks?.();
    const { createApprovalProblem, listSources, waitsForApproval, withTrust } = await import('./hook-source.ts');
    const ids = new HookIds();
    const types = this.#deps.hookTypes;
    const { trustCheck, logger } = this.#deps;
    const trusting = { trustCheck, logger, config: this.#config };
    const readings: HookReading[] = [];
    for (const source of listSources(this.#config)) readings.push(await source.load(types, trustCheck));
    const judged = new Map(readings.filter(({ isJudged }) => isJudged).map((one) => [one, this.#keepJudged(one, ids)]));
    const withIds = (hook: ConfiguredHook) => ({ ...hook, hookId: ids.unique(hook.hookId) });
    const read = readings.map((one) => judged.get(one) ?? one.hooks.map((hook) => withTrust(trusting, withIds(hook))));
    const hooks = await Promise.all(read.flat());
    const disabled = new Set(this.#config.getDisabledHooks?.() ?? []);
    const hooksDisabled = this.#config.getEnableHooks?.() === false;
    const hostProblems = this.#config.getConfigProblems?.() ?? [];
    const lost = (this.#config.getLostGuards?.() ?? []).map((guard) => createHookForLostGuard(guard, ids));
    refuseAborted();
    // No `await` from here on, so hooks registered during the load are included.
    const registered = [...this.#registrations].map((registration) =>
      toConfiguredHook(registration, ids, this.#config),
    );
    this.#disabledByConfig = disabled;
    this.#judged = judged;
    const waiting = hooksDisabled ? undefined : createApprovalProblem(hooks);
    this.#loaded = {
      hooks: sortByPrecedence([...hooks, ...lost, ...registered]),
      problems: [
        ...hostProblems,
        ...readings.flatMap((reading) => reading.problems),
        ...(waiting === undefined ? [] : [waiting]),
      ],
      hooksDisabled,
    };
    this.#version += 1;
    // The problems of the host include a pause that exists at the load, so it is not reported again.
    this.#checkPause(true);
    this.#logLoad(this.#loaded, this.#loaded.hooks.filter(waitsForApproval).length);
    const urgent = hostProblems.filter(({ code }) => code === 'switched-off' || code === 'removed');
    for (const problem of waiting === undefined ? urgent : [waiting, ...urgent]) this.#deps.onWaiting?.(problem);
  }

  #keepJudged(reading: HookReading, ids: HookIds): readonly ConfiguredHook[] {
    const known = this.#judged.get(reading);
    for (const { hookId } of known ?? []) ids.reserve(hookId);
    return known ?? reading.hooks.map((hook) => ({ ...copyWithOwnConfig(hook), hookId: ids.unique(hook.hookId) }));
  }

  #logLoad({ problems }: HookSet, waiting: number): void {
    const { logger } = this.#deps;
    for (const problem of problems) {
      const line = `${problem.source} hooks: ${formatProblem(problem, getWorkingDir(this.#config))}`;
      if (problem.severity === 'error') logger?.error?.(line);
      else logger?.warn?.(line);
    }
    const count = this.getAllHooks().length - waiting;
    const more = waiting === 0 ? '' : `; ${waiting} more cannot run before they are approved`;
    logger?.log?.(`Hook registry initialized with ${count} hook entries${more}`);
  }

  #expectLoaded(accessor: string): HookSet {
    this.#checkPause();
    if (this.#loaded === undefined) throw new HookRegistryNotInitializedError(accessor);
    return this.#loaded;
  }

  #isEnabled(hook: ConfiguredHook): boolean {
    return this.#switches.get(hook.name) ?? !(hook.disabled === true || this.#disabledByConfig.has(hook.name));
  }

  getHooksForEvent(eventName: HookEventName): HookRegistryEntry[] {
    this.#expectLoaded('getHooksForEvent()');
    return this.getConfiguredHooks()
      .filter((hook) => hook.eventName === eventName && hook.skipReasons.length === 0)
      .flatMap((hook) => toRegistryEntry(hook, true) ?? []);
  }

  /** All readable hooks of active sources, enabled or not. */
  getAllHooks(): HookRegistryEntry[] {
    return this.#expectLoaded('getAllHooks()')
      .hooks.filter((hook) => !hook.skipReasons.includes('source-inactive'))
      .flatMap((hook) => toRegistryEntry(hook, this.#isEnabled(hook)) ?? []);
  }

  /** All entries with the reasons that keep them from running. */
  getConfiguredHooks(): readonly ConfiguredHook[] {
    const { hooks: all, hooksDisabled } = this.#expectLoaded('getConfiguredHooks()');
    const offUntil = hooksDisabled ? undefined : this.#pause.until;
    const hooks = offUntil === undefined ? all : all.map((hook) => pauseHook(hook, offUntil));
    const switchedOff: readonly SkipReason[] = hooksDisabled ? ['hooks-disabled'] : [];
    const found = hooks.map((hook) => ({
      ...hook,
      ...(this.#leftOut.has(hook.name) ? { switchedOff: this.#leftOut.get(hook.name) } : {}),
      skipReasons: [...switchedOff, ...hook.skipReasons, ...(this.#isEnabled(hook) ? [] : (['disabled'] as const))],
    }));
    const missing = hooksDisabled ? [] : this.#findMissingGuards(found);
    if (missing.length === 0) return found;
    const ids = createIdsBeside(found);
    return [...found, ...missing.flatMap(createStandIns).map((guard) => createHookForLostGuard(guard, ids))];
  }

  /** If the host cannot list the required guards, a required guard may be missing, so tool calls are refused. */
  #findMissingGuards(hooks: readonly ConfiguredHook[]): readonly RequiredGuardGap[] {
    try {
      return findMissingGuards(this.#config.getRequired?.() ?? [], hooks, this.#config);
    } catch (error) {
      return [{ name: 'getRequired', why: `getRequired threw: ${describeThrown(error)}` }];
    }
  }

  getMissing(names: readonly string[]): readonly RequiredGuardGap[] {
    return findMissingGuards(
      names,
      this.getConfiguredHooks().filter(({ lost }) => lost === undefined),
      this.#config,
    );
  }

  getProblems(): readonly ConfigProblem[] {
    return this.#expectLoaded('getProblems()').problems;
  }

  /**
   * Enables or disables every hook with this name (or command, without a name). Returns `false` for an unknown name.
   */
  setHookEnabled(name: string, enabled: boolean): boolean {
    const { hooks } = this.#expectLoaded('setHookEnabled()');
    const names = hooks.map((hook) => hook.name);
    if (!names.includes(name)) {
      this.#deps.logger?.warn?.(`No hook is called "${name}"${formatSuggestion(name, names)}; nothing was switched`);
      return false;
    }
    this.#switches.set(name, enabled);
    this.#version += 1;
    return true;
  }

  /** @internal Disables hooks for one run. */
  leaveOut(names: readonly string[], why: string): void {
    for (const hook of this.#expectLoaded('leaveOut()').hooks) {
      if (!names.includes(hook.name)) continue;
      if (this.#isEnabled(hook)) this.#leftOut.set(hook.name, why);
    }
    for (const name of names) this.setHookEnabled(name, false);
  }

  /** Adds a hook from code until the returned function is called. Throws for an invalid hook. */
  registerHook(hook: HookConfig, eventName: HookEventName, options: RegisterOptions = {}): () => void {
    const warn = (message: string): void => this.#deps.logger?.warn?.(message);
    const registration = createRegistration(hook, eventName, options, this.#deps.hookTypes, warn);
    this.#registrations.add(registration);
    this.#changeHooks((hooks) => [...hooks, toConfiguredHook(registration, createIdsBeside(hooks), this.#config)]);
    return () => {
      if (!this.#registrations.delete(registration)) return;
      this.#changeHooks((hooks) => hooks.filter(({ config }) => config !== registration.config));
    };
  }

  #changeHooks(change: (hooks: readonly ConfiguredHook[]) => readonly ConfiguredHook[]): void {
    if (this.#loaded === undefined) return;
    this.#loaded = { ...this.#loaded, hooks: sortByPrecedence(change(this.#loaded.hooks)) };
    this.#version += 1;
  }

  /** The name by which a hook is disabled: its `name`, or its command. */
  getHookName(entry: { readonly config: HookConfig }): string {
    return getHookKey(entry.config);
  }
}

const createIdsBeside = (hooks: readonly ConfiguredHook[]): HookIds => {
  const ids = new HookIds();
  for (const { hookId } of hooks) ids.reserve(hookId);
  return ids;
};

const createHookForLostGuard = (lost: LostGuard, ids: HookIds): ConfiguredHook => {
  const { name, eventName, matcher, source, message } = lost;
  return {
    hookId: ids.idFor({ source: source.kind, eventName }, lost, { name }),
    name,
    eventName,
    source,
    ...(matcher === undefined ? {} : { matcher }),
    sequential: false,
    skipReasons: [lost.code],
    hint: message,
    lost,
  };
};

const isCancellation = (error: unknown): boolean => HookwrightError.is(error) && error.code === 'cancelled';

const sortByPrecedence = (hooks: readonly ConfiguredHook[]): readonly ConfiguredHook[] =>
  [...hooks].sort((a, b) => configSources.indexOf(a.source.kind) - configSources.indexOf(b.source.kind));

/** A readable hook at a known event. */
export interface HookRegistryEntry {
  readonly hookId: string;
  readonly config: HookConfig;
  readonly source: ConfigSource;
  readonly eventName: HookEventName;
  readonly matcher?: string;
  readonly sequential?: boolean;
  readonly enabled: boolean;
}

const toRegistryEntry = (hook: ConfiguredHook, enabled: boolean): HookRegistryEntry | undefined => {
  if (hook.config === undefined || !isHookEventName(hook.eventName)) return undefined;
  const { hookId, config, source, eventName, matcher, sequential } = hook;
  return { ...omitUndefined({ hookId, config, eventName, matcher, sequential }), source: source.kind, enabled };
};

export interface HookChanges {
  readonly added: string[];
  readonly removed: string[];
  readonly changed: string[];
}

const neverRuns = (reason: string): boolean => ['unknown-event', 'event-not-fired', 'source-inactive'].includes(reason);

const indexRunnable = (hooks: readonly ConfiguredHook[]): Map<string, ConfiguredHook> =>
  new Map(
    hooks
      .filter(({ config, skipReasons }) => config !== undefined && !skipReasons.some(neverRuns))
      .map((hook) => [hook.hookId, hook]),
  );

const isSameHook = (before: ConfiguredHook, after: ConfiguredHook): boolean =>
  before.skipReasons.join() === after.skipReasons.join() &&
  (before.config === after.config || toComparableText(before) === toComparableText(after));

/** Moving a hook within its file is no change; losing its trust is one. */
export const findHookChanges = (before: readonly ConfiguredHook[], after: readonly ConfiguredHook[]): HookChanges => {
  const earlier = indexRunnable(before);
  const later = indexRunnable(after);
  const added = [...later.keys()].filter((hookId) => !earlier.has(hookId));
  const removed = [...earlier.keys()].filter((hookId) => !later.has(hookId));
  const changed = [...later].flatMap(([hookId, hook]) => {
    const previous = earlier.get(hookId);
    return previous === undefined || isSameHook(previous, hook) ? [] : [hookId];
  });
  return { added, removed, changed };
};
