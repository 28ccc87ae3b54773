import { HookRegistryNotInitializedError, HookwrightError } from '../errors.ts';
import { type HookEventName, hookEventNames, isHookEventName } from '../events/index.ts';
import { describeThrown, describeValue, inSlices, isRecord, suggestion } from '../kit/index.ts';
import {
  type Clock,
  type ConfigProblem,
  ConfigSource,
  configSources,
  type Finding,
  formatProblem,
  type HookConfig,
  type HostConfig,
  type HostExtension,
  harmless,
  hookKey,
  type Logger,
  type OnFault,
  type RowSource,
  readHookConfig,
  type SkipReason,
  systemClock,
  withOrigin,
  workingDirOf,
} from '../protocol/index.ts';
import { awaitingApproval, waitsForApproval } from './awaiting-approval.ts';
import { type HookChanges, hookChanges } from './hook-changes.ts';
import { HookIds } from './hook-id.ts';
import { isPausable, paused } from './pause.ts';
import { type ConfiguredHook, type Reading, readHooks } from './read-hooks.ts';

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

/** What was approved of a hook that is another now: what its faults mean, and what it was asked about. */
export interface ApprovedBefore {
  readonly onFault?: OnFault | undefined;
  readonly matcher?: string | undefined;
}

export type TrustVerdict =
  | boolean
  | 'trusted'
  | 'untrusted'
  | 'changed-since-trusted'
  | { readonly changed: ApprovedBefore };

/** What is asked about a hook from a project or an extension before it may run. */
export interface TrustQuestion {
  readonly hookId: string;
  readonly name: string;
  readonly eventName: string;
  /** With file and line when the hook was read from a file. */
  readonly source: RowSource;
  readonly matcher?: string;
  readonly sequential: boolean;
  readonly config: HookConfig;
}

export interface HookRegistryDeps {
  readonly logger?: Logger | undefined;
  /**
   * Asked once per load for every hook of a project or extension. Without it the host's `isTrustedFolder` decides about
   * hooks that were given in code, and those that were read from files are not trusted.
   */
  readonly trustCheck?: ((question: TrustQuestion) => TrustVerdict | Promise<TrustVerdict>) | undefined;
  /** Told once about every reload that succeeded. */
  readonly onReload?: ((changes: HookChanges) => void) | undefined;
  /** For timestamps, and for the end of a pause. */
  readonly clock?: Clock | undefined;
  /** The types that hooks may have. Default: those of `HookType`. */
  readonly hookTypes?: readonly string[] | undefined;
}

/** What the engine around it wants to be told. */
export interface RegistryListeners {
  /** Of every load that finds hooks which cannot run before somebody approved them. */
  readonly onWaiting?: ((problem: ConfigProblem) => void) | undefined;
}

export interface RegisterOptions {
  readonly matcher?: string | undefined;
  readonly sequential?: boolean | undefined;
  readonly source?: ConfigSource | undefined;
}

/** All that one load found. It is replaced as a whole and never changed. */
interface HookSet {
  readonly hooks: readonly ConfiguredHook[];
  readonly problems: readonly ConfigProblem[];
  readonly hooksDisabled: boolean;
  /** Until when a person switched hooks off, if anybody did. */
  readonly offUntil?: number | undefined;
}

interface Registration {
  readonly config: HookConfig;
  readonly eventName: HookEventName;
  readonly options: RegisterOptions;
}

const trustMatters: ReadonlySet<ConfigSource> = new Set([ConfigSource.Project, ConfigSource.Extensions]);

const barrierOf = (verdict: TrustVerdict): readonly SkipReason[] => {
  if (verdict === true || verdict === 'trusted') return [];
  const isChanged = typeof verdict === 'object' || verdict === 'changed-since-trusted';
  return isChanged ? ['changed-since-trusted'] : ['untrusted'];
};

/** Knows which hooks exist, where each comes from and whether it is switched on. Reading it never touches a file. */
export class HookRegistry {
  readonly #config: HostConfig;
  readonly #deps: HookRegistryDeps & RegistryListeners;
  readonly #clock: Clock;
  readonly #registrations = new Set<Registration>();
  /** Switches thrown at run time; they outlive a reload. */
  readonly #switches = new Map<string, boolean>();
  #disabledByConfig: ReadonlySet<string> = new Set();
  #loaded: HookSet | undefined;
  #loading: Promise<void> | undefined;
  #queued: Promise<void> | undefined;
  #version = 0;

  constructor(config: HostConfig, deps: HookRegistryDeps & RegistryListeners = {}) {
    this.#config = config;
    this.#deps = { ...deps, logger: harmless(deps.logger) };
    this.#clock = deps.clock ?? systemClock;
  }

  /** Changes whenever a plan made before could be wrong now. */
  get version(): number {
    this.#endPause();
    return this.#version;
  }

  /** A pause ends by itself, at the first look after its time: nothing has to be loaded again, and no timer runs. */
  #endPause(): void {
    const until = this.#loaded?.offUntil;
    if (this.#loaded === undefined || until === undefined || until > this.#clock.now()) return;
    this.#loaded = { ...this.#loaded, offUntil: undefined };
    this.#version += 1;
    this.#deps.logger?.log?.('The time for which hooks were switched off is over: they run again');
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
    const readings = [
      readHooks(await this.#config.getRuntimeHooks?.(), { source: ConfigSource.Runtime, barriers: [] }, ids, types),
      readHooks(await this.#config.getHooks(), { source: ConfigSource.Project, barriers: [] }, ids, types),
      readHooks(await this.#config.getUserHooks?.(), { source: ConfigSource.User, barriers: [] }, ids, types),
      readHooks(await this.#config.getSystemHooks?.(), { source: ConfigSource.System, barriers: [] }, ids, types),
      ...(await this.#readExtensions(await this.#config.getExtensions?.(), ids)),
    ];
    const hooks = await Promise.all(readings.flatMap((reading) => reading.hooks).map((hook) => this.#withTrust(hook)));
    const disabled = new Set(this.#config.getDisabledHooks?.() ?? []);
    const hooksDisabled = this.#config.getEnableHooks?.() === false;
    const hostProblems = this.#config.getConfigProblems?.() ?? [];
    refuseAborted();
    // Registrations come last and without a pause: what was registered while the rest was loading is among them.
    const registered = [...this.#registrations].map((registration) => this.#place(registration, ids));
    this.#disabledByConfig = disabled;
    const waiting = hooksDisabled ? undefined : awaitingApproval(hooks);
    this.#loaded = {
      hooks: inOrder([...hooks, ...registered]),
      problems: [
        ...hostProblems,
        ...readings.flatMap((reading) => reading.problems),
        ...(waiting === undefined ? [] : [waiting]),
      ],
      hooksDisabled,
      offUntil: hooksDisabled ? undefined : this.#config.getHooksOffUntil?.(),
    };
    this.#version += 1;
    this.#endPause();
    this.#logLoad(this.#loaded);
    if (waiting !== undefined) this.#deps.onWaiting?.(waiting);
  }

  async #readExtensions(extensions: readonly HostExtension[] | undefined, ids: HookIds): Promise<Reading[]> {
    if (!Array.isArray(extensions)) return [];
    const giveTurn = inSlices();
    const readings: Reading[] = [];
    for (const [index, extension] of extensions.entries()) {
      readings.push(this.#readExtension(extension, index, ids));
      await giveTurn();
    }
    return readings;
  }

  #readExtension(extension: unknown, index: number, ids: HookIds): Reading {
    const fallback = `#${index + 1}`;
    try {
      if (!isRecord(extension)) throw new TypeError('an extension must be an object');
      const name = typeof extension.name === 'string' ? extension.name : fallback;
      const barriers: readonly SkipReason[] = extension.isActive !== true ? ['source-inactive'] : [];
      return readHooks(
        extension.hooks,
        { source: ConfigSource.Extensions, extension: name, barriers },
        ids,
        this.#deps.hookTypes,
      );
    } catch (error) {
      const message = `extension ${fallback} cannot be read: ${describeThrown(error)}`;
      const problem = {
        code: 'invalid-value',
        severity: 'warning',
        skipped: true,
        path: `extensions[${index}]`,
        message,
      } as const;
      return { hooks: [], problems: [{ ...problem, source: ConfigSource.Extensions }] };
    }
  }

  #place({ config, eventName, options }: Registration, ids: HookIds): ConfiguredHook {
    const source = options.source ?? ConfigSource.Runtime;
    return {
      hookId: ids.idFor({ source, eventName }, config, config),
      name: hookKey(config),
      eventName,
      source: { kind: source },
      ...(options.matcher === undefined ? {} : { matcher: options.matcher }),
      sequential: options.sequential === true,
      config,
      // Code is trusted without being asked about, but not beyond the folder it speaks for.
      barriers: trustMatters.has(source) && this.#config.isTrustedFolder?.() === false ? ['untrusted'] : [],
    };
  }

  async #withTrust(hook: ConfiguredHook): Promise<ConfiguredHook> {
    const { config } = hook;
    // What came by a way that nobody can vouch for is not even asked about.
    const isSettled = config === undefined || hook.barriers.includes('untrusted');
    if (isSettled || !trustMatters.has(hook.source.kind)) return hook;
    const verdict = await this.#judge(hook, config);
    const barriers = barrierOf(verdict);
    if (barriers.length === 0) return hook;
    const approved = typeof verdict === 'object' ? { approved: verdict.changed } : {};
    return { ...hook, ...approved, barriers: [...hook.barriers, ...barriers] };
  }

  async #judge(hook: ConfiguredHook, config: HookConfig): Promise<TrustVerdict> {
    const { trustCheck } = this.#deps;
    const { hookId, name, eventName, source, matcher, sequential } = hook;
    if (trustCheck === undefined) return source.file === undefined && this.#config.isTrustedFolder?.() !== false;
    const asked = matcher === undefined ? {} : { matcher };
    try {
      return await trustCheck({ hookId, name, eventName, source, sequential, config, ...asked });
    } catch (error) {
      this.#deps.logger?.error?.(
        `The trust check failed for ${hookId}, which therefore stays untrusted: ${describeThrown(error)}`,
      );
      return 'untrusted';
    }
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
    this.#endPause();
    if (this.#loaded === undefined) throw new HookRegistryNotInitializedError(accessor);
    return this.#loaded;
  }

  #isEnabled(hook: ConfiguredHook): boolean {
    return this.#switches.get(hook.name) ?? !(hook.disabled === true || this.#disabledByConfig.has(hook.name));
  }

  #entryOf(hook: ConfiguredHook): HookRegistryEntry | undefined {
    if (hook.config === undefined || !isHookEventName(hook.eventName)) return undefined;
    return {
      hookId: hook.hookId,
      config: hook.config,
      source: hook.source.kind,
      eventName: hook.eventName,
      ...(hook.matcher === undefined ? {} : { matcher: hook.matcher }),
      sequential: hook.sequential,
      enabled: this.#isEnabled(hook),
    };
  }

  /** The enabled hooks of an event that may run, in order of precedence. */
  getHooksForEvent(eventName: HookEventName): HookRegistryEntry[] {
    const { hooks, hooksDisabled, offUntil } = this.#setFor('getHooksForEvent()');
    if (hooksDisabled) return [];
    return hooks
      .filter((hook) => offUntil === undefined || !isPausable(hook))
      .filter((hook) => hook.eventName === eventName && hook.barriers.length === 0 && this.#isEnabled(hook))
      .flatMap((hook) => this.#entryOf(hook) ?? []);
  }

  /** Every hook that could be read and placed, switched on or not; a copy. */
  getAllHooks(): HookRegistryEntry[] {
    return this.#setFor('getAllHooks()')
      .hooks.filter((hook) => !hook.barriers.includes('source-inactive'))
      .flatMap((hook) => this.#entryOf(hook) ?? []);
  }

  /** Every entry there is, also those that can never run, with what stands in their way. The planner reads this. */
  getConfiguredHooks(): readonly ConfiguredHook[] {
    const { hooks: all, hooksDisabled, offUntil } = this.#setFor('getConfiguredHooks()');
    const hooks = offUntil === undefined ? all : all.map((hook) => paused(hook, offUntil));
    const switchedOff: readonly SkipReason[] = hooksDisabled ? ['hooks-disabled'] : [];
    return hooks.map((hook) => ({
      ...hook,
      barriers: [...switchedOff, ...hook.barriers, ...(this.#isEnabled(hook) ? [] : (['disabled'] as const))],
    }));
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

  /**
   * Adds a hook from code, before or after loading. It survives reloads; the returned function takes it away again.
   * An unusable hook throws, because whoever wrote the call is there to read it.
   */
  registerHook(hook: HookConfig, eventName: HookEventName, options: RegisterOptions = {}): () => void {
    const findings: Finding[] = [];
    const config = readHookConfig(hook, 'hook', (finding) => findings.push(finding), this.#deps.hookTypes);
    if (config === undefined) {
      throw new HookwrightError('invalid_config', findings.map((finding) => finding.message).join('; '));
    }
    if (!isHookEventName(eventName)) {
      const near = suggestion(String(eventName), hookEventNames);
      throw new HookwrightError('unsupported_event', `"${String(eventName)}" is not an event${near}`);
    }
    const issue = optionIssue(options);
    if (issue !== undefined) throw new HookwrightError('invalid_config', issue);
    for (const finding of findings) this.#deps.logger?.warn?.(finding.message);
    withOrigin(config, { source: options.source ?? ConfigSource.Runtime });
    const registration = { config, eventName, options };
    this.#registrations.add(registration);
    this.#adopt(registration);
    return () => {
      if (this.#registrations.delete(registration)) this.#abandon(config);
    };
  }

  #adopt(registration: Registration): void {
    if (this.#loaded === undefined) return;
    const ids = new HookIds();
    for (const { hookId } of this.#loaded.hooks) ids.reserve(hookId);
    this.#replaceHooks([...this.#loaded.hooks, this.#place(registration, ids)]);
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

const isCancellation = (error: unknown): boolean => HookwrightError.is(error) && error.code === 'cancelled';

const optionIssue = ({ matcher, sequential, source }: RegisterOptions): string | undefined => {
  const mismatch = (option: string, expected: string, found: unknown): string =>
    `registerHook: ${option} must be ${expected}, found ${describeValue(found)}`;
  if (matcher !== undefined && typeof matcher !== 'string') return mismatch('matcher', 'a string', matcher);
  if (sequential !== undefined && typeof sequential !== 'boolean') {
    return mismatch('sequential', 'true or false', sequential);
  }
  if (source !== undefined && !configSources.includes(source)) {
    return mismatch('source', `one of ${configSources.join(', ')}`, source);
  }
  return undefined;
};

/** By precedence of the source; within one source as configured. */
const inOrder = (hooks: readonly ConfiguredHook[]): readonly ConfiguredHook[] =>
  [...hooks].sort((a, b) => configSources.indexOf(a.source.kind) - configSources.indexOf(b.source.kind));

export type { ConfiguredHook };
