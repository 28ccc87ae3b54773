import { type HostConfig, projectDirOf, workingDirOf } from '../../protocol/host.ts';
import type { HookConfig } from '../../protocol/settings.ts';
import { CleanEnvironment, isForeign } from '../foreign-environment.ts';
import type { Variables } from '../shell-words.ts';

/** A copy of the host's environment made once, because reading it anew costs more than a function hook. */
const snapshot = (): Variables => {
  const environment: Record<string, string> = {};
  for (const [name, value] of Object.entries(process.env)) if (value !== undefined) environment[name] = value;
  return environment;
};

export interface Told {
  readonly environment: Variables;
  readonly variables: Variables | undefined;
}

/** What the hooks of one engine are told of the host they run for. */
export class HostTold {
  readonly #config: HostConfig;
  readonly #variables: Variables | undefined;
  readonly #clean = new CleanEnvironment();
  #environment: Variables | undefined;

  constructor(config: HostConfig, variables: Variables | undefined) {
    this.#config = config;
    this.#variables = variables;
  }

  /** What of the host's environment and variables this hook may see. */
  to(hook: HookConfig): Told {
    this.#environment ??= snapshot();
    if (!isForeign(hook)) return { environment: this.#environment, variables: this.#variables };
    return this.#clean.of(this.#environment, this.#variables, this.#config.getAllowedEnv?.());
  }

  /** Where the session is at the moment. */
  place(): { readonly projectDir: string; readonly cwd: string; readonly sessionId: string } {
    const config = this.#config;
    return { projectDir: projectDirOf(config), cwd: workingDirOf(config), sessionId: config.getSessionId() };
  }
}
