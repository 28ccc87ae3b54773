import { type HookConfig, type HostConfig, originOf, projectDirOf, workingDirOf } from '../../protocol/index.ts';
import { CleanEnvironment, holdsEverywhere, isForeign } from '../command/foreign-environment.ts';
import { pathOutside } from '../command/search-path.ts';
import type { Variables } from '../command/shell-words.ts';

/** A copy of the environment of this process; an engine makes one once, because reading it anew costs more than a function hook. */
export const ownEnvironment = (): Variables => {
  const environment: Record<string, string> = {};
  for (const [name, value] of Object.entries(process.env)) if (value !== undefined) environment[name] = value;
  return environment;
};

export interface VisibleEnvironment {
  readonly environment: Variables;
  readonly variables: Variables | undefined;
  /** Names of what this hook does not see. */
  readonly withheld?: readonly string[] | undefined;
}

/** What the hooks of one engine are told of the host they run for. */
export class HostEnvironment {
  readonly #config: HostConfig;
  readonly #variables: Variables | undefined;
  readonly #clean = new CleanEnvironment();
  #environment: Variables | undefined;
  #outside: Variables | undefined;

  constructor(config: HostConfig, variables: Variables | undefined) {
    this.#config = config;
    this.#variables = variables;
  }

  /** What of the host's environment and variables this hook may see. */
  to(hook: HookConfig): VisibleEnvironment {
    this.#environment ??= ownEnvironment();
    if (!isForeign(hook)) return { environment: this.#environmentOf(hook), variables: this.#variables };
    const allowed = [...(this.#config.getAllowedEnv?.() ?? []), ...(originOf(hook)?.secrets ?? [])];
    return this.#clean.of(this.#environment, this.#variables, allowed);
  }

  /** Hooks that hold in every project must not start a program that one of them brings. */
  #environmentOf(hook: HookConfig): Variables {
    this.#environment ??= ownEnvironment();
    const environment = this.#environment;
    const { PATH } = environment;
    if (PATH === undefined || process.platform === 'win32' || !holdsEverywhere(hook)) return environment;
    const outside = pathOutside(PATH, projectDirOf(this.#config));
    if (outside === PATH) return environment;
    if (this.#outside?.PATH !== outside) this.#outside = { ...environment, PATH: outside };
    return this.#outside;
  }

  /** Where the session is at the moment. */
  place(): { readonly projectDir: string; readonly cwd: string; readonly sessionId: string } {
    const config = this.#config;
    return { projectDir: projectDirOf(config), cwd: workingDirOf(config), sessionId: config.getSessionId() };
  }
}
