/** `Config`: a host's settings in memory, from which a hook system is created. */
import type { Bus } from './bus/index.ts';
import { invalidArgument } from './errors.ts';
import { addEvents, type EventBudgets, type HostEvent, isHookEventName, whyNotBudgets } from './events/index.ts';
import { HookSystem, type HookSystemDeps } from './hook-system.ts';
import {
  type ConfigProblem,
  type ConfigSource,
  type Confirm,
  type ConflictRule,
  conflictRules,
  type HookMode,
  type HooksByEvent,
  type HostConfig,
  type HostExtension,
  hookModes,
  type Parking,
  whyNotWord,
} from './protocol/index.ts';

/** Dependencies of the engine and the triggers, all optional. */
export interface HookDeps extends HookSystemDeps {
  /** Answers `ask`. Without it `ask` does not block, unless it stands for a fault. */
  readonly confirm?: Confirm | undefined;
  /** From `parkedCalls`: lets `confirm` park tool calls whose approval may take days. */
  readonly parking?: Parking | undefined;
}

export interface ConfigOptions {
  /** Hooks are off unless this is true. */
  readonly enableHooks?: boolean | undefined;
  readonly sessionId?: string | undefined;
  readonly workingDir?: string | undefined;
  readonly transcriptPath?: string | undefined;
  /**
   * The directory that hooks read as `cwd` after the agent has left `workingDir`. Hooks still start in `workingDir`.
   */
  readonly eventDir?: string | undefined;
  /** Home directory with the folders of hooks. Default: that of the user. */
  readonly home?: string | undefined;
  /** `false` switches off hooks of the project and of extensions. */
  readonly trustedFolder?: boolean | undefined;
  /** Hooks of the program itself: first in order, always trusted. */
  readonly runtimeHooks?: HooksByEvent | undefined;
  readonly hooks?: HooksByEvent | undefined;
  readonly userHooks?: HooksByEvent | undefined;
  readonly systemHooks?: HooksByEvent | undefined;
  readonly extensions?: readonly HostExtension[] | undefined;
  /** Names (or commands) of hooks that are switched off. */
  readonly disabledHooks?: readonly string[] | undefined;
  /**
   * `enforce` (the default) applies what hooks decide. `observe` runs and reports them, but they block, ask and change
   * nothing.
   */
  readonly mode?: HookMode | undefined;
  /**
   * What happens if parallel hooks set one field to different values: `deny` denies, `last` (the default) takes the
   * last.
   */
  readonly onConflict?: ConflictRule | undefined;
  /** Milliseconds that all hooks of an event together may take, by event. */
  readonly budgetMs?: EventBudgets | undefined;
  /** Further events that this host fires; see `defineEvent`. */
  readonly events?: readonly HostEvent[] | undefined;
  readonly bus?: Bus | undefined;
  readonly deps?: HookDeps | undefined;
}

/**
 * A host's configuration in memory. Creates its hook system on first use, or with a bus immediately, so that no request
 * is left unanswered. The first event loads the hooks.
 */
export class Config implements HostConfig {
  readonly #options: ConfigOptions;
  #bus: Bus | undefined;
  #system: HookSystem | undefined;

  constructor(options: ConfigOptions = {}) {
    const { mode, onConflict, budgetMs, events = [] } = options;
    addEvents(events);
    const word = whyNotWord('mode', hookModes, mode) ?? whyNotWord('onConflict', conflictRules, onConflict);
    const mistake = word ?? whyNotBudgets(budgetMs);
    if (mistake !== undefined) throw invalidArgument(`Config ${mistake}`);
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

  /** Alias of `getHooks`, which is the name that other agents' code expects. */
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

  /**
   * The hook system, not initialized; `undefined` if hooks are off. The first call's `bus` counts if the options have
   * none.
   */
  getHookSystem(bus?: Bus): HookSystem | undefined {
    if (this.#system === undefined) {
      if (!this.getEnableHooks()) return undefined;
      this.#bus ??= bus;
      this.#system = new HookSystem(this, this.#bus, this.getDeps());
    }
    return this.#system;
  }
}

/** A configuration for triggers: a `Config`, or any object with these methods. */
export interface TriggerConfig extends HostConfig {
  getHookSystem?(bus?: Bus): HookSystem | undefined;
  getMessageBus?(): Bus | undefined;
  getDeps?(): HookDeps | undefined;
  /** For settings from files: where decisions are kept; `undefined` if the journal is off. */
  getJournal?(): { readonly home: string; readonly project: string } | undefined;
  /** For settings from files: keeps the hook system even if no file has hooks. */
  keepOn?(): void;
  /** For settings from files: other agents' hooks in the project that do not run. */
  getUnreadAgents?(): Promise<readonly ConfigProblem[]>;
}

interface MadeHere {
  readonly system: HookSystem;
  readonly bus: Bus | undefined;
}

/** The hook systems of configurations that cannot create their own. */
const systems = new WeakMap<TriggerConfig, MadeHere>();

/** The hook system of any configuration; `undefined` if hooks are off. For `bus` see `Config`. */
export const hookSystemOf = (config: TriggerConfig, bus?: Bus): HookSystem | undefined => {
  if (config.getHookSystem !== undefined) return config.getHookSystem(bus);
  if (config.getEnableHooks?.() === false) return undefined;
  let made = systems.get(config);
  if (made === undefined) {
    const listensOn = config.getMessageBus?.() ?? bus;
    made = { system: new HookSystem(config, listensOn, config.getDeps?.()), bus: listensOn };
    systems.set(config, made);
  }
  return made.system;
};

/** The bus of a configuration's hook system, if any. */
export const busOf = (config: TriggerConfig): Bus | undefined => systems.get(config)?.bus ?? config.getMessageBus?.();
