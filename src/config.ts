/** `Config`: a host's configuration in memory, which creates the hook system. */
import type { Bus } from './bus/index.ts';
import { createInvalidArgument } from './errors.ts';
import { addEvents, type EventBudgets, explainBadSettings, type HostEvent, isHookEventName } from './events/index.ts';
import { HookSystem, type HookSystemDeps } from './hook-system.ts';
import type {
  ConfigProblem,
  ConfigSource,
  Confirm,
  ConflictRule,
  HookMode,
  HooksByEvent,
  HostConfig,
  HostExtension,
  Parking,
} from './protocol/index.ts';

export interface HookDeps extends HookSystemDeps {
  /** Answers hooks that ask for confirmation. Without it, `ask` blocks only if it is the verdict of a failed guard. */
  readonly confirm?: Confirm | undefined;
  /** Created by `parkedCalls`. With it, `confirm` can park a tool call until a person decides, even days later. */
  readonly parking?: Parking | undefined;
}

export interface ConfigOptions {
  /** Hooks are off unless this is true. */
  readonly enableHooks?: boolean | undefined;
  readonly sessionId?: string | undefined;
  readonly workingDir?: string | undefined;
  readonly transcriptPath?: string | undefined;
  /**
   * The directory that hooks read as `cwd`, after the agent has left `workingDir`. Hooks still start in `workingDir`.
   */
  readonly eventDir?: string | undefined;
  /** Home directory of the user. Default: that of the process. */
  readonly home?: string | undefined;
  /** `false` switches off hooks of the project and of extensions. */
  readonly trustedFolder?: boolean | undefined;
  /** Hooks of the host program itself. They run first and need no approval. */
  readonly runtimeHooks?: HooksByEvent | undefined;
  readonly hooks?: HooksByEvent | undefined;
  readonly userHooks?: HooksByEvent | undefined;
  readonly systemHooks?: HooksByEvent | undefined;
  readonly extensions?: readonly HostExtension[] | undefined;
  /** Names of hooks that are switched off. A hook without a name has its command as its name. */
  readonly disabledHooks?: readonly string[] | undefined;
  /** With `observe`, hooks run and are reported, but block, ask and change nothing. Default: `enforce`. */
  readonly mode?: HookMode | undefined;
  /** With `deny`, an action is denied if parallel hooks change one field to different values. Default: `last`. */
  readonly onConflict?: ConflictRule | undefined;
  /** Milliseconds that all hooks of an event may take together, by event name. */
  readonly budgetMs?: EventBudgets | undefined;
  /** Further events that this host fires, from `defineEvent`. */
  readonly events?: readonly HostEvent[] | undefined;
  readonly bus?: Bus | undefined;
  readonly deps?: HookDeps | undefined;
}

/**
 * A host's configuration in memory. With a bus it creates the hook system at once, so that no request stays unanswered.
 * The first event loads the hooks.
 */
export class Config implements HostConfig {
  readonly #options: ConfigOptions;
  #bus: Bus | undefined;
  #system: HookSystem | undefined;

  constructor(options: ConfigOptions = {}) {
    addEvents(options.events ?? []);
    const mistake = explainBadSettings(options);
    if (mistake !== undefined) throw createInvalidArgument(`Config ${mistake}`);
    this.#options = options;
    this.#bus = options.bus;
    if (this.#bus !== undefined) this.getHookSystem();
  }

  getSessionId(): string {
    return this.#options.sessionId ?? '';
  }

  getWorkingDir(): string {
    return this.#options.workingDir ?? process.cwd();
  }

  getTranscriptPath(): string | undefined {
    return this.#options.transcriptPath;
  }

  getHome(): string | undefined {
    return this.#options.home;
  }

  getEventDir(): string | undefined {
    return this.#options.eventDir;
  }

  getRuntimeHooks(): HooksByEvent | undefined {
    return this.#options.runtimeHooks;
  }

  getHooks(): HooksByEvent | undefined {
    return this.#options.hooks;
  }

  /** Alias of `getHooks`, which other agents' code expects. */
  getProjectHooks(): HooksByEvent | undefined {
    return this.#options.hooks;
  }

  getUserHooks(): HooksByEvent | undefined {
    return this.#options.userHooks;
  }

  getSystemHooks(): HooksByEvent | undefined {
    return this.#options.systemHooks;
  }

  getExtensions(): readonly HostExtension[] {
    return this.#options.extensions ?? [];
  }

  getDisabledHooks(): readonly string[] {
    return this.#options.disabledHooks ?? [];
  }

  isTrustedFolder(): boolean {
    return this.#options.trustedFolder !== false;
  }

  getEnableHooks(): boolean {
    return this.#options.enableHooks === true;
  }

  getMode(): HookMode {
    return this.#options.mode ?? 'enforce';
  }

  getOnConflict(): ConflictRule {
    return this.#options.onConflict ?? 'last';
  }

  getBudgetMs(eventName: string, _source?: ConfigSource): number | undefined {
    return isHookEventName(eventName) ? this.#options.budgetMs?.[eventName] : undefined;
  }

  getEvents(): readonly HostEvent[] {
    return this.#options.events ?? [];
  }

  getMessageBus(): Bus | undefined {
    return this.#bus;
  }

  getDeps(): HookDeps {
    return this.#options.deps ?? {};
  }

  /** Returns the hook system; `undefined` if hooks are off. Uses `bus` if none was given before. */
  getHookSystem(bus?: Bus): HookSystem | undefined {
    if (this.#system === undefined) {
      if (!this.getEnableHooks()) return undefined;
      this.#bus ??= bus;
      this.#system = new HookSystem(this, this.#bus, this.getDeps());
    }
    return this.#system;
  }
}

/** A configuration for the `fire…` functions: a `Config`, or any object with these methods. */
export interface TriggerConfig extends HostConfig {
  getHookSystem?(bus?: Bus): HookSystem | undefined;
  getMessageBus?(): Bus | undefined;
  getDeps?(): HookDeps | undefined;
  /** Directories of the journal of decisions; `undefined` if no journal is written. */
  getJournal?(): { readonly home: string; readonly project: string } | undefined;
  /** Keeps the hook system even if no settings file has hooks. */
  keepOn?(): void;
  /** Problems about other agents' hooks in the project, which do not run. */
  getUnreadAgents?(): Promise<readonly ConfigProblem[]>;
}

/** Hook systems of configurations without `getHookSystem`, which cannot keep one themselves. */
const createdSystems = new WeakMap<TriggerConfig, { readonly system: HookSystem; readonly bus: Bus | undefined }>();

export const getHookSystem = (config: TriggerConfig, bus?: Bus): HookSystem | undefined => {
  if (config.getHookSystem !== undefined) return config.getHookSystem(bus);
  if (config.getEnableHooks?.() === false) return undefined;
  let made = createdSystems.get(config);
  if (made === undefined) {
    const listensOn = config.getMessageBus?.() ?? bus;
    made = { system: new HookSystem(config, listensOn, config.getDeps?.()), bus: listensOn };
    createdSystems.set(config, made);
  }
  return made.system;
};

export const getBus = (config: TriggerConfig): Bus | undefined =>
  createdSystems.get(config)?.bus ?? config.getMessageBus?.();
