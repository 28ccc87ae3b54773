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

/** What a host may bring along for the engine and for the triggers. */
export interface HookDeps extends HookSystemDeps {
  /** Answers `ask`. Without it `ask` does not block, except where it stands for a fault. */
  readonly confirm?: Confirm | undefined;
  /** Lets `confirm` park tool calls, whose approval may take days; made with `parkedCalls`. */
  readonly parking?: Parking | undefined;
}

export interface ConfigOptions {
  /** Hooks are off unless this is true. */
  readonly enableHooks?: boolean | undefined;
  readonly sessionId?: string | undefined;
  readonly workingDir?: string | undefined;
  readonly transcriptPath?: string | undefined;
  /** Directory that hooks read as `cwd`, when the agent has left `workingDir`. Hooks still start in `workingDir`. */
  readonly eventDir?: string | undefined;
  /** Home directory in which hooks have their folders; that of the user when left out. */
  readonly home?: string | undefined;
  /** False takes hooks of the project and of extensions out of service. */
  readonly trustedFolder?: boolean | undefined;
  /** Hooks of the program itself: first in order, always trusted. */
  readonly runtimeHooks?: HooksByEvent | undefined;
  /** The project's hooks. */
  readonly hooks?: HooksByEvent | undefined;
  readonly userHooks?: HooksByEvent | undefined;
  readonly systemHooks?: HooksByEvent | undefined;
  readonly extensions?: readonly HostExtension[] | undefined;
  /** Names (or commands) of hooks that are switched off. */
  readonly disabledHooks?: readonly string[] | undefined;
  /** With `observe` hooks run and are explained, and nothing is blocked, asked or changed. `enforce` when left out. */
  readonly mode?: HookMode | undefined;
  /** With `deny` parallel hooks that change one field to different values deny. `last` when left out. */
  readonly onConflict?: ConflictRule | undefined;
  /** What all hooks of an event together may take, in milliseconds, by event. */
  readonly budgetMs?: EventBudgets | undefined;
  /** Events that this host fires besides; see `defineEvent`. */
  readonly events?: readonly HostEvent[] | undefined;
  readonly bus?: Bus | undefined;
  readonly deps?: HookDeps | undefined;
}

/**
 * A host's configuration, held in memory. It makes its hook system when first asked for one; with a bus it does so at
 * once, so that no request goes unanswered. Hooks are loaded by the first event.
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

  /** The same as `getHooks`: the name other agents use. */
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
   * The one hook system of this configuration; `undefined` when hooks are off. It is not initialized by this. `bus` is for
   * a configuration that was given none: if this call is the one that makes the system, the system listens there.
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

/** What a trigger is called with: a `Config`, or any object that answers the engine's questions. */
export interface TriggerConfig extends HostConfig {
  getHookSystem?(bus?: Bus): HookSystem | undefined;
  getMessageBus?(): Bus | undefined;
  getDeps?(): HookDeps | undefined;
  /** Of a configuration that was read from files: where decisions are kept, unless that is off. */
  getJournal?(): { readonly home: string; readonly project: string } | undefined;
  /** Of a configuration that is on only while its files bring hooks: an engine was made of it, which stays. */
  keepOn?(): void;
  /** Of a configuration that was read from files: hooks of other agents that lie in the project and do not run. */
  getUnreadAgents?(): Promise<readonly ConfigProblem[]>;
}

interface MadeHere {
  readonly system: HookSystem;
  readonly bus: Bus | undefined;
}

/** Configurations that cannot make their own system get one, and always the same. */
const systems = new WeakMap<TriggerConfig, MadeHere>();

/** The hook system of a configuration of any kind; `undefined` when hooks are off. For `bus` see `Config`. */
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

/** The bus on which the hook system of a configuration listens, if it listens anywhere. */
export const busOf = (config: TriggerConfig): Bus | undefined => systems.get(config)?.bus ?? config.getMessageBus?.();
