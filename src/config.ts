import type { Bus } from './bus/bus.ts';
import { HookSystem, type HookSystemDeps } from './hook-system.ts';
import type { Confirm } from './protocol/confirm.ts';
import type { HostConfig, HostExtension } from './protocol/host.ts';
import type { HooksByEvent } from './protocol/settings.ts';

/** What a host may bring along for the engine and for the triggers. */
export interface HookDeps extends HookSystemDeps {
  /** Answers `ask`. Without it `ask` does not block, except where it stands for a fault. */
  readonly confirm?: Confirm | undefined;
}

export interface ConfigOptions {
  /** Hooks are off unless this is true. */
  readonly enableHooks?: boolean;
  readonly sessionId?: string;
  readonly workingDir?: string;
  readonly transcriptPath?: string;
  /** False takes hooks of the project and of extensions out of service. */
  readonly trustedFolder?: boolean;
  /** Hooks of the program itself: first in order, always trusted. */
  readonly runtimeHooks?: HooksByEvent;
  /** The project's hooks. */
  readonly hooks?: HooksByEvent;
  readonly userHooks?: HooksByEvent;
  readonly systemHooks?: HooksByEvent;
  readonly extensions?: readonly HostExtension[];
  /** Names (or commands) of hooks that are switched off. */
  readonly disabledHooks?: readonly string[];
  readonly bus?: Bus;
  readonly deps?: HookDeps;
}

/**
 * A host's configuration, held in memory. It makes its hook system when first asked for one; with a bus it does so at
 * once, so that no request goes unanswered. Hooks are loaded by the first event.
 */
export class Config implements HostConfig {
  readonly #options: ConfigOptions;
  #system: HookSystem | undefined;

  constructor(options: ConfigOptions = {}) {
    this.#options = options;
    if (options.bus !== undefined) this.getHookSystem();
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

  getMessageBus(): Bus | undefined {
    return this.#options.bus;
  }

  getDeps(): HookDeps {
    return this.#options.deps ?? {};
  }

  /** The one hook system of this configuration; `undefined` when hooks are off. It is not initialized by this. */
  getHookSystem(): HookSystem | undefined {
    if (!this.getEnableHooks()) return undefined;
    this.#system ??= new HookSystem(this, this.#options.bus, this.#options.deps);
    return this.#system;
  }
}

/** What a trigger is called with: a `Config`, or any object that answers the engine's questions. */
export interface TriggerConfig extends HostConfig {
  getHookSystem?(): HookSystem | undefined;
  getMessageBus?(): Bus | undefined;
  getDeps?(): HookDeps | undefined;
}

/** Configurations that cannot make their own system get one, and always the same. */
const systems = new WeakMap<TriggerConfig, HookSystem>();

/** The hook system of a configuration of any kind; `undefined` when hooks are off. */
export const hookSystemOf = (config: TriggerConfig): HookSystem | undefined => {
  if (config.getHookSystem !== undefined) return config.getHookSystem();
  if (config.getEnableHooks?.() === false) return undefined;
  let system = systems.get(config);
  if (system === undefined) {
    system = new HookSystem(config, config.getMessageBus?.(), config.getDeps?.());
    systems.set(config, system);
  }
  return system;
};
