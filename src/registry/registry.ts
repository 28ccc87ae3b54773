import { HookRegistryNotInitializedError, HookwrightError } from '../errors.ts';
import { type HookEventName, isHookEventName } from '../events/index.ts';
import { suggestion } from '../kit/index.ts';
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
import { type FileConfig, sourcesOf } from './hook-source.ts';
import { isPausable, PauseFollower, paused } from './pause.ts';
import type { HookReading } from './read-hooks.ts';
import { placed, type RegisterOptions, type Registration, registrationOf } from './registration.ts';
import { inPlaceOf, missingAmong, type RequiredGuardGap } from './required.ts';
import { awaitingApproval, type TrustCheck, waitsForApproval, withTrust } from './trust-check.ts';

export interface HookRegistryDeps {
  readonly logger?: Logger | undefined;
  /**
   * Asked once per load for every hook of a project or extension. Without it the host's `isTrustedFolder` decides about
   * hooks that were given in code, and those that were read from files are not trusted.
   */
  readonly trustCheck?: TrustCheck | undefined;
  /** Told once about every reload that succeeded. */
  readonly onReload?: ((changes: HookChanges) => void) | undefined;
  /** For timestamps, and for the end of a pause. */
  readonly clock?: Clock | undefined;
  /** The types that hooks may have. Default: those of `HookType`. */
  readonly hookTypes?: readonly string[] | undefined;
}

/** What the engine around it wants to be told. */
export interface RegistryListeners {
  /** Of every load that finds hooks which wait for an approval, or approved guards that are off or gone without one. */
  readonly onWaiting?: ((problem: ConfigProblem) => void) | undefined;
}

/** All that one load found. It is replaced as a whole and never changed. */
interface HookSet {
  readonly hooks: readonly ConfiguredHook[];
  readonly problems: readonly ConfigProblem[];
  readonly hooksDisabled: boolean;
}

/** Knows which hooks exist, where each comes from and whether it is switched on. Reading it never touches a file. */
export class HookRegistry {
  readonly #config: FileConfig;
  readonly #deps: HookRegistryDeps & RegistryListeners;
  readonly #clock: Clock;
  readonly #pause: PauseFollower;
  readonly #registrations = new Set<Registration>();
  /** Switches thrown at run time; they outlive a reload. */
  readonly #switches = new Map<string, boolean>();
  /** Why these are off for one run, by name. */
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

  /** Changes whenever a plan made before could be wrong now. */
  get version(): number {
    this.#lookAtPause();
    return this.#version;
  }

  #lookAtPause(isTold = false): void {
    if (this.#loaded === undefined || this.#loaded.hooksDisabled) return;
    if (this.#pause.look(this.#clock, isTold)) this.#version += 1;
  }

  isInitialized(): boolean {
    return this.#loaded !== undefined;
  }

  /** Loads once; later calls return at once, concurrent ones share the load. */
  async initialize(signal?: AbortSignal): Promise<void> {
    if (this.#loaded !== undefined) return;
    if (this.#loading === undefined) return this.#startLoad(signal);
    // The load that is shared may be cancelled by who began it, which must not cancel the others.
    await this.#loading.catch((error: unknown) => {
      if (!isCancellation(error)) throw error;
    });
    return this.initialize(signal);
  }

  /**
   * Reads everything again. Calls that arrive while one is running share a single later load. A load that fails leaves
   * the previous hooks in place.
   */
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
    // Registrations come last and without a pause: what was registered while the rest was loading is among them.
    const registered = [...this.#registrations].map((registration) => placed(registration, ids, this.#config));
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
    // Of a pause that is there already the problems of the host tell.
    this.#lookAtPause(true);
    this.#logLoad(this.#loaded);
    const urgent = hostProblems.filter(({ code }) => code === 'switched-off' || code === 'removed');
    for (const problem of waiting === undefined ? urgent : [waiting, ...urgent]) this.#deps.onWaiting?.(problem);
  }

  /** The hooks of a judged reading, the same objects as before if it is the same. */
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

  /** The enabled hooks of an event that may run, in order of precedence. */
  getHooksForEvent(eventName: HookEventName): HookRegistryEntry[] {
    const { hooks, hooksDisabled } = this.#setFor('getHooksForEvent()');
    if (hooksDisabled) return [];
    return hooks
      .filter((hook) => this.#pause.until === undefined || !isPausable(hook))
      .filter((hook) => hook.eventName === eventName && hook.barriers.length === 0 && this.#isEnabled(hook))
      .flatMap((hook) => entryOf(hook, this.#isEnabled(hook)) ?? []);
  }

  /** Every hook that could be read and placed, switched on or not; a copy. */
  getAllHooks(): HookRegistryEntry[] {
    return this.#setFor('getAllHooks()')
      .hooks.filter((hook) => !hook.barriers.includes('source-inactive'))
      .flatMap((hook) => entryOf(hook, this.#isEnabled(hook)) ?? []);
  }

  /** Every entry there is, also those that can never run, with what stands in their way. The planner reads this. */
  getConfiguredHooks(): readonly ConfiguredHook[] {
    const { hooks: all, hooksDisabled } = this.#setFor('getConfiguredHooks()');
    const offUntil = hooksDisabled ? undefined : this.#pause.until;
    const hooks = offUntil === undefined ? all : all.map((hook) => paused(hook, offUntil));
    const switchedOff: readonly SkipReason[] = hooksDisabled ? ['hooks-disabled'] : [];
    const found = hooks.map((hook) => ({
      ...hook,
      ...(this.#leftOut.has(hook.name) ? { switchedOff: this.#leftOut.get(hook.name) } : {}),
      barriers: [...switchedOff, ...hook.barriers, ...(this.#isEnabled(hook) ? [] : (['disabled'] as const))],
    }));
    const missing = hooksDisabled ? [] : missingAmong(this.#config.getRequired?.() ?? [], found, this.#config);
    if (missing.length === 0) return found;
    const ids = idsBeside(found);
    return [...found, ...missing.flatMap(inPlaceOf).map((guard) => lostHook(guard, ids))];
  }

  /** Those of these names under which no hook may run. */
  getMissing(names: readonly string[]): readonly RequiredGuardGap[] {
    return missingAmong(
      names,
      this.getConfiguredHooks().filter(({ lost }) => lost === undefined),
      this.#config,
    );
  }

  /** What is wrong with the configuration, entry by entry. */
  getProblems(): readonly ConfigProblem[] {
    return this.#setFor('getProblems()').problems;
  }

  /**
   * Switches every hook of this name (or, for hooks without one, this command) on or off. An unknown name changes
   * nothing, is logged with the nearest known one and answered with false.
   */
  setHookEnabled(name: string, enabled: boolean): boolean {
    const { hooks } = this.#setFor('setHookEnabled()');
    const names = hooks.map((hook) => hook.name);
    if (!names.includes(name)) {
      this.#deps.logger?.warn?.(`No hook is called "${name}"${suggestion(name, names)}; nothing was switched`);
      return false;
    }
    this.#switches.set(name, enabled);
    this.#version += 1;
    return true;
  }

  /** @internal Switches off what one run does not ask for. Rows of hooks that were on give the reason in place of advice. */
  leaveOut(names: readonly string[], why: string): void {
    for (const hook of this.#setFor('leaveOut()').hooks) {
      if (!names.includes(hook.name)) continue;
      if (this.#isEnabled(hook)) this.#leftOut.set(hook.name, why);
    }
    for (const name of names) this.setHookEnabled(name, false);
  }

  /**
   * Adds a hook from code, before or after loading. It survives reloads; the returned function takes it away again.
   * An unusable hook throws, for the author of the call to read.
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
    this.#replaceHooks([...hooks, placed(registration, idsBeside(hooks), this.#config)]);
  }

  /** Its configuration is what stays of a registration over every reload, and no other hook has the same object. */
  #abandon(config: HookConfig): void {
    if (this.#loaded === undefined) return;
    this.#replaceHooks(this.#loaded.hooks.filter((hook) => hook.config !== config));
  }

  #replaceHooks(hooks: readonly ConfiguredHook[]): void {
    if (this.#loaded === undefined) return;
    this.#loaded = { ...this.#loaded, hooks: inOrder(hooks) };
    this.#version += 1;
  }

  /** The key by which a hook is switched on and off: its name, else its command. */
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

/** A hook that is configured for an event and could be read. */
export interface HookRegistryEntry {
  readonly hookId: string;
  readonly config: HookConfig;
  readonly source: ConfigSource;
  readonly eventName: HookEventName;
  readonly matcher?: string;
  readonly sequential?: boolean;
  readonly enabled: boolean;
}

/** A configured hook as an entry; nothing where it could not be read, or is for no event of ours. */
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

/** What a reload changed, by the ids of the hooks. */
export interface HookChanges {
  readonly added: string[];
  readonly removed: string[];
  readonly changed: string[];
}

const neverRuns = (barrier: string): boolean =>
  ['unknown-event', 'event-not-fired', 'source-inactive'].includes(barrier);

/** The hooks that can run on an event of this host, by id. */
const runnable = (hooks: readonly ConfiguredHook[]): Map<string, ConfiguredHook> =>
  new Map(
    hooks
      .filter(({ config, barriers }) => config !== undefined && !barriers.some(neverRuns))
      .map((hook) => [hook.hookId, hook]),
  );

const isSameHook = (before: ConfiguredHook, after: ConfiguredHook): boolean =>
  before.barriers.join() === after.barriers.join() &&
  (before.config === after.config || contentOf(before) === contentOf(after));

/** Compares two loads. A hook that was only moved within its file is not changed; one that is no longer trusted is. */
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
