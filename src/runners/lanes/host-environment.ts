// Decides which environment variables, PATH and directories of the host a hook gets.
import { isAbsolute } from 'node:path';
import { type HookConfig, type HostConfig, originOf, projectDirOf, workingDirOf } from '../../protocol/index.ts';
import { CleanEnvironment, holdsEverywhere, isForeign } from '../command/foreign-environment.ts';
import type { Variables } from '../command/shell-words.ts';
import { pathOutside } from '../shells.ts';
import { isOfOneHook, StateFolders } from './state-folders.ts';

/**
 * Leaves out variables of the hook that started this process, if one did. Reading `process.env` is slow, so this runs
 * once per engine.
 */
export const ownEnvironment = (): Variables => {
  const environment: Record<string, string> = {};
  for (const [name, value] of Object.entries(process.env))
    if (value !== undefined && !isOfOneHook(name)) environment[name] = value;
  return environment;
};

export interface VisibleEnvironment {
  readonly environment: Variables;
  readonly variables: Variables | undefined;
  readonly withheld?: readonly string[] | undefined;
}

interface HostEnvironmentOptions {
  readonly variables?: Variables | undefined;
  readonly isTrial?: boolean | undefined;
}

const preloads: readonly string[] = ['BASH_ENV', 'NODE_OPTIONS', 'PERL5OPT', 'RUBYOPT', 'LD_PRELOAD'];

/** True if the variable names a file in the project, or a file relative to the working directory. */
const leadsInto = (projectDir: string, name: string, value: string | undefined): boolean => {
  if (value === undefined) return false;
  if (name === 'BASH_ENV' && !isAbsolute(value)) return true;
  return value.includes(`${projectDir}/`) || /(?:^|[\s=:])\.{1,2}\//.test(value);
};

export class HostEnvironment {
  readonly folders: StateFolders;
  readonly #config: HostConfig;
  readonly #variables: Variables | undefined;
  readonly #clean = new CleanEnvironment();
  #environment: Variables | undefined;
  readonly #outside = new WeakMap<Variables, Variables>();

  constructor(config: HostConfig, { variables, isTrial }: HostEnvironmentOptions) {
    this.folders = isTrial === true ? StateFolders.forTrial(config) : StateFolders.of(config);
    this.#config = config;
    this.#variables = variables;
  }

  visibleTo(hook: HookConfig): VisibleEnvironment {
    this.#environment ??= ownEnvironment();
    if (!isForeign(hook)) return { environment: this.#environmentOf(hook), variables: this.#variables };
    const allowed = [...(this.#config.getAllowedEnv?.() ?? []), ...(originOf(hook)?.secrets ?? [])];
    const isListed = this.#config.getProjectEnv?.() === 'listed';
    const clean = this.#clean.of(this.#environment, this.#variables, { allowed, isListed });
    if (originOf(hook)?.programsOutside !== true) return clean;
    return { ...clean, environment: this.#withPathOutside(clean.environment, this.directoriesFor(hook).projectDir) };
  }

  /** Hooks in user and system settings run in all projects, so they must not start programs that a project contains. */
  #environmentOf(hook: HookConfig): Variables {
    this.#environment ??= ownEnvironment();
    return holdsEverywhere(hook)
      ? this.#withPathOutside(this.#environment, projectDirOf(this.#config))
      : this.#environment;
  }

  /** The same input yields the same object, because caches use the object as their key. */
  #withPathOutside(environment: Variables, projectDir: string): Variables {
    const { PATH } = environment;
    if (PATH === undefined || process.platform === 'win32') return environment;
    const outside = pathOutside(PATH, projectDir);
    const loading = preloads.filter((name) => leadsInto(projectDir, name, environment[name]));
    if (outside === PATH && loading.length === 0) return environment;
    let changed = this.#outside.get(environment);
    if (changed?.PATH !== outside || loading.some((name) => changed?.[name] !== undefined)) {
      const kept = Object.entries(environment).filter(([name]) => !loading.includes(name));
      changed = { ...Object.fromEntries(kept), PATH: outside };
      this.#outside.set(environment, changed);
    }
    return changed;
  }

  directoriesFor(hook?: HookConfig): { readonly projectDir: string; readonly cwd: string; readonly sessionId: string } {
    const config = this.#config;
    const above = hook === undefined ? undefined : originOf(hook)?.projectDir;
    if (above !== undefined) return { projectDir: above, cwd: above, sessionId: config.getSessionId() };
    return { projectDir: projectDirOf(config), cwd: workingDirOf(config), sessionId: config.getSessionId() };
  }
}
