// The registry: loads all configured hooks and knows whether each is enabled, trusted and able to run.
import { HookRegistryNotInitializedError, HookwrightError } from '../errors.ts';
import { type HookEventName, isHookEventName } from '../events/index.ts';
import { formatSuggestion } from '../kit/index.ts';
import {
  type Clock,
  type ConfigProblem,
  type ConfigSource,
  configSources,
  formatProblem,
  type HookConfig,
  hookKey,
  type Logger,
  type LostGuard,
  partLogger,
  type SkipReason,
  systemClock,
  workingDirOf,
} from '../protocol/index.ts';
import { type ConfiguredHook, ownConfig } from './configured-hook.ts';
import { contentOf, HookIds } from './hook-id.ts';
import type { FileConfig } from './hook-source.ts';
import { isPausable, PauseFollower, pausedHook } from './pause.ts';
import type { HookReading } from './read-hooks.ts';
import { configuredHookOf, type RegisterOptions, type Registration, registrationOf } from './registration.ts';
import { missingGuards, type RequiredGuardGap, standInGuards } from './required-guards.ts';
import { awaitingApproval, type TrustCheck, waitsForApproval, withTrust } from './trust-check.ts';

export interface HookRegistryDeps {
  readonly logger?: Logger | undefined;
  /**
   * Called once per load for every hook of a project or extension. Without it `isTrustedFolder` of the host decides
   * about hooks from code, and hooks from files are not trusted.
   */
  readonly trustCheck?: TrustCheck | undefined;
  /** Called after every successful reload. */
  readonly onReload?: ((changes: HookChanges) => void) | undefined;
  /** Clock for timestamps and for the end of a pause. */
  readonly clock?: Clock | undefined;
  /** The allowed types of hooks; those of `HookType` by default. */
  readonly hookTypes?: readonly string[] | undefined;
}

export interface RegistryListeners {
  /** Called for each load with hooks that await approval, or approved guards that are off or gone. */
  readonly onWaiting?: ((problem: ConfigProblem) => void) | undefined;
}

/** The result of one load; immutable, replaced as a whole. */
interface HookSet {
  readonly hooks: readonly ConfiguredHook[];
  readonly problems: readonly ConfigProblem[];
  readonly hooksDisabled: boolean;
}

/** Knows the configured hooks, their sources and switches. Reading it never accesses files. */
export class HookRegistry {
  readonly #config: FileConfig;
  readonly #deps: HookRegistryDeps & RegistryListeners;
  readonly #clock: Clock;
  readonly #pause: PauseFollower;
  readonly #registrations = new Set<Registration>();
  /** Switches set at run time; they survive a reload. */
  readonly #switches = new Map<string, boolean>();
  /** Hook name → why it is off for one run. */
  readonly #leftOut = new Map<string, string>();
  #judged: ReadonlyMap<HookReading, readonly ConfiguredHook[]> = new Map();
  #disabledByConfig: ReadonlySet<string> = new Set();
  #loaded: HookSet | undefined;
  #loading: Promise<void> | undefined;
  #queued: Promise<void> | undefined;
  #version = 0;

  constructor(config: FileConfig, deps: HookRegistryDeps & RegistryListeners = {}) {
    this.#config = config;
    this.#deps = { ...deps, logger: partLogger(deps.logger, 'registry') };
    this.#clock = deps.clock ?? systemClock;
    this.#pause = new PauseFollower(() => config.getHooksOffUntil?.(), this.#deps.logger);
  }

  /** Changes whenever an earlier plan could be wrong. */
  get version(): number {
    this.#lookAtPause();
    return this.#version;
  }

  #lookAtPause(isReported = false): void {
    if (this.#loaded === undefined || this.#loaded.hooksDisabled) return;
    if (this.#pause.look(this.#clock, isReported)) this.#version += 1;
  }

  isInitialized(): boolean {
    return this.#loaded !== undefined;
  }

  /** Loads once; later calls return at once, concurrent ones share the load. */
  async initialize(signal?: AbortSignal): Promise<void> {
    if (this.#loaded !== undefined) return;
    if (this.#loading === undefined) return this.#startLoad(signal);
    // The caller that started the shared load may cancel it without cancelling the others.
    await this.#loading.catch((error: unknown) => {
      if (!isCancellation(error)) throw error;
    });
    return this.initialize(signal);
  }

  /** Reads everything again. Calls during a load share a single later load. A failed load keeps the previous hooks. */
  async reload(signal?: AbortSignal): Promise<void> {
    if (this.#loading === undefined) {
      const before = this.#loaded === undefined ? [] : this.getConfiguredHooks();
      const loading = this.#startLoad(signal, true);
      return loading.then(() => this.#deps.onReload?.(hookChanges(before, this.getConfiguredHooks())));
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
    const { sourcesOf } = await import('./hook-source.ts');
    const ids = new HookIds();
    const types = this.#deps.hookTypes;
    const { trustCheck, logger } = this.#deps;
    const trusting = { trustCheck, logger, config: this.#config };
    const readings: HookReading[] = [];
    for (const source of sourcesOf(this.#config)) readings.push(await source.load(types, trustCheck));
    const judged = new Map(readings.filter(({ isJudged }) => isJudged).map((one) => [one, this.#judgedIn(one, ids)]));
    const withIds = (hook: ConfiguredHook) => ({ ...hook, hookId: ids.unique(hook.hookId) });
    const read = readings.map((one) => judged.get(one) ?? one.hooks.map((hook) => withTrust(trusting, withIds(hook))));
    const hooks = await Promise.all(read.flat());
    const disabled = new Set(this.#config.getDisabledHooks?.() ?? []);
    const hooksDisabled = this.#config.getEnableHooks?.() === false;
    const hostProblems = this.#config.getConfigProblems?.() ?? [];
    const lost = (this.#config.getLostGuards?.() ?? []).map((guard) => lostHook(guard, ids));
    refuseAborted();
    // Synchronous, so that hooks registered during the load are included.
    const registered = [...this.#registrations].map((registration) =>
      configuredHookOf(registration, ids, this.#config),
    );
    this.#disabledByConfig = disabled;
    this.#judged = judged;
    const waiting = hooksDisabled ? undefined : awaitingApproval(hooks);
    this.#loaded = {
      hooks: inOrder([...hooks, ...lost, ...registered]),
      problems: [
        ...hostProblems,
        ...readings.flatMap((reading) => reading.problems),
        ...(waiting === undefined ? [] : [waiting]),
      ],
      hooksDisabled,
    };
    this.#version += 1;
    // The host's problems report a pause that exists at the load.
    this.#lookAtPause(true);
    this.#logLoad(this.#loaded);
    const urgent = hostProblems.filter(({ code }) => code === 'switched-off' || code === 'removed');
    for (const problem of waiting === undefined ? urgent : [waiting, ...urgent]) this.#deps.onWaiting?.(problem);
  }

  /** The hooks of a judged reading; the same objects as before if the reading is the same. */
  #judgedIn(reading: HookReading, ids: HookIds): readonly ConfiguredHook[] {
    const known = this.#judged.get(reading);
    for (const { hookId } of known ?? []) ids.reserve(hookId);
    return known ?? reading.hooks.map((hook) => ({ ...ownConfig(hook), hookId: ids.unique(hook.hookId) }));
  }

  #logLoad({ problems, hooks }: HookSet): void {
    const { logger } = this.#deps;
    for (const problem of problems) {
      const line = `${problem.source} hooks: ${formatProblem(problem, workingDirOf(this.#config))}`;
      if (problem.severity === 'error') logger?.error?.(line);
      else logger?.warn?.(line);
    }
    const waiting = hooks.filter(waitsForApproval).length;
    const count = this.getAllHooks().length - waiting;
    const more = waiting === 0 ? '' : `; ${waiting} more cannot run before they are approved`;
    logger?.log?.(`Hook registry initialized with ${count} hook entries${more}`);
  }

  #setFor(accessor: string): HookSet {
    this.#lookAtPause();
    if (this.#loaded === undefined) throw new HookRegistryNotInitializedError(accessor);
    return this.#loaded;
  }

  #isEnabled(hook: ConfiguredHook): boolean {
    return this.#switches.get(hook.name) ?? !(hook.disabled === true || this.#disabledByConfig.has(hook.name));
  }

  /** The enabled hooks of an event that may run, by precedence. */
  getHooksForEvent(eventName: HookEventName): HookRegistryEntry[] {
    const { hooks, hooksDisabled } = this.#setFor('getHooksForEvent()');
    if (hooksDisabled) return [];
    return hooks
      .filter((hook) => this.#pause.until === undefined || !isPausable(hook))
      .filter((hook) => hook.eventName === eventName && hook.barriers.length === 0 && this.#isEnabled(hook))
      .flatMap((hook) => entryOf(hook, this.#isEnabled(hook)) ?? []);
  }

  /** Copies of all readable hooks of active sources, enabled or not. */
  getAllHooks(): HookRegistryEntry[] {
    return this.#setFor('getAllHooks()')
      .hooks.filter((hook) => !hook.barriers.includes('source-inactive'))
      .flatMap((hook) => entryOf(hook, this.#isEnabled(hook)) ?? []);
  }

  /** All entries, including those that can never run, with the reasons. For the planner. */
  getConfiguredHooks(): readonly ConfiguredHook[] {
    const { hooks: all, hooksDisabled } = this.#setFor('getConfiguredHooks()');
    const offUntil = hooksDisabled ? undefined : this.#pause.until;
    const hooks = offUntil === undefined ? all : all.map((hook) => pausedHook(hook, offUntil));
    const switchedOff: readonly SkipReason[] = hooksDisabled ? ['hooks-disabled'] : [];
    const found = hooks.map((hook) => ({
      ...hook,
      ...(this.#leftOut.has(hook.name) ? { switchedOff: this.#leftOut.get(hook.name) } : {}),
      barriers: [...switchedOff, ...hook.barriers, ...(this.#isEnabled(hook) ? [] : (['disabled'] as const))],
    }));
    const missing = hooksDisabled ? [] : missingGuards(this.#config.getRequired?.() ?? [], found, this.#config);
    if (missing.length === 0) return found;
    const ids = idsBeside(found);
    return [...found, ...missing.flatMap(standInGuards).map((guard) => lostHook(guard, ids))];
  }

  /** The names of required guards under which no hook can run. */
  getMissing(names: readonly string[]): readonly RequiredGuardGap[] {
    return missingGuards(
      names,
      this.getConfiguredHooks().filter(({ lost }) => lost === undefined),
      this.#config,
    );
  }

  /** Mistakes in the configuration, one per entry. */
  getProblems(): readonly ConfigProblem[] {
    return this.#setFor('getProblems()').problems;
  }

  /**
   * Enables or disables every hook with this name (or command, for hooks without a name). For an unknown name it logs
   * the nearest known one and returns false.
   */
  setHookEnabled(name: string, enabled: boolean): boolean {
    const { hooks } = this.#setFor('setHookEnabled()');
    const names = hooks.map((hook) => hook.name);
    if (!names.includes(name)) {
      this.#deps.logger?.warn?.(`No hook is called "${name}"${formatSuggestion(name, names)}; nothing was switched`);
      return false;
    }
    this.#switches.set(name, enabled);
    this.#version += 1;
    return true;
  }

  /** @internal Disables hooks for one run; their rows give `why` as the reason. */
  leaveOut(names: readonly string[], why: string): void {
    for (const hook of this.#setFor('leaveOut()').hooks) {
      if (!names.includes(hook.name)) continue;
      if (this.#isEnabled(hook)) this.#leftOut.set(hook.name, why);
    }
    for (const name of names) this.setHookEnabled(name, false);
  }

  /**
   * Adds a hook from code, before or after loading. It survives reloads; the returned function removes it. Throws for
   * an invalid hook.
   */
  registerHook(hook: HookConfig, eventName: HookEventName, options: RegisterOptions = {}): () => void {
    const warn = (message: string): void => this.#deps.logger?.warn?.(message);
    const registration = registrationOf(hook, eventName, options, this.#deps.hookTypes, warn);
    this.#registrations.add(registration);
    this.#adopt(registration);
    return () => {
      if (this.#registrations.delete(registration)) this.#abandon(registration.config);
    };
  }

  #adopt(registration: Registration): void {
    if (this.#loaded === undefined) return;
    const { hooks } = this.#loaded;
    this.#replaceHooks([...hooks, configuredHookOf(registration, idsBeside(hooks), this.#config)]);
  }

  /** A registration keeps its configuration object over reloads, and no other hook has it. */
  #abandon(config: HookConfig): void {
    if (this.#loaded === undefined) return;
    this.#replaceHooks(this.#loaded.hooks.filter((hook) => hook.config !== config));
  }

  #replaceHooks(hooks: readonly ConfiguredHook[]): void {
    if (this.#loaded === undefined) return;
    this.#loaded = { ...this.#loaded, hooks: inOrder(hooks) };
    this.#version += 1;
  }

  /** The name by which a hook is enabled and disabled: its `name`, else its command. */
  getHookName(entry: { readonly config: HookConfig }): string {
    return hookKey(entry.config);
  }
}

const idsBeside = (hooks: readonly ConfiguredHook[]): HookIds => {
  const ids = new HookIds();
  for (const { hookId } of hooks) ids.reserve(hookId);
  return ids;
};

const lostHook = (lost: LostGuard, ids: HookIds): ConfiguredHook => {
  const { name, eventName, matcher, source, message } = lost;
  return {
    hookId: ids.idFor({ source: source.kind, eventName }, lost, { name }),
    name,
    eventName,
    source,
    ...(matcher === undefined ? {} : { matcher }),
    sequential: false,
    barriers: [lost.code],
    hint: message,
    lost,
  };
};

const isCancellation = (error: unknown): boolean => HookwrightError.is(error) && error.code === 'cancelled';

/** By precedence of the source; within one source as configured. */
const inOrder = (hooks: readonly ConfiguredHook[]): readonly ConfiguredHook[] =>
  [...hooks].sort((a, b) => configSources.indexOf(a.source.kind) - configSources.indexOf(b.source.kind));

/** A readable hook of a known event. */
export interface HookRegistryEntry {
  readonly hookId: string;
  readonly config: HookConfig;
  readonly source: ConfigSource;
  readonly eventName: HookEventName;
  readonly matcher?: string;
  readonly sequential?: boolean;
  readonly enabled: boolean;
}

/** `undefined` if the hook could not be read or its event is unknown. */
const entryOf = (hook: ConfiguredHook, enabled: boolean): HookRegistryEntry | undefined => {
  if (hook.config === undefined || !isHookEventName(hook.eventName)) return undefined;
  return {
    hookId: hook.hookId,
    config: hook.config,
    source: hook.source.kind,
    eventName: hook.eventName,
    ...(hook.matcher === undefined ? {} : { matcher: hook.matcher }),
    sequential: hook.sequential,
    enabled,
  };
};

/** The ids of hooks that a reload changed. */
export interface HookChanges {
  readonly added: string[];
  readonly removed: string[];
  readonly changed: string[];
}

const neverRuns = (barrier: string): boolean =>
  ['unknown-event', 'event-not-fired', 'source-inactive'].includes(barrier);

const runnable = (hooks: readonly ConfiguredHook[]): Map<string, ConfiguredHook> =>
  new Map(
    hooks
      .filter(({ config, barriers }) => config !== undefined && !barriers.some(neverRuns))
      .map((hook) => [hook.hookId, hook]),
  );

const isSameHook = (before: ConfiguredHook, after: ConfiguredHook): boolean =>
  before.barriers.join() === after.barriers.join() &&
  (before.config === after.config || contentOf(before) === contentOf(after));

/** Compares two loads. Moving a hook within its file is no change; losing its trust is one. */
export const hookChanges = (before: readonly ConfiguredHook[], after: readonly ConfiguredHook[]): HookChanges => {
  const earlier = runnable(before);
  const later = runnable(after);
  const added = [...later.keys()].filter((hookId) => !earlier.has(hookId));
  const removed = [...earlier.keys()].filter((hookId) => !later.has(hookId));
  const changed = [...later].flatMap(([hookId, hook]) => {
    const previous = earlier.get(hookId);
    return previous === undefined || isSameHook(previous, hook) ? [] : [hookId];
  });
  return { added, removed, changed };
};
