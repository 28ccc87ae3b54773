// Decides which environment variables, PATH and directories of the host a hook gets.
import { isAbsolute } from 'node:path';
import { omitUndefined } from '../../kit/index.ts';
import { getOrigin, getProjectDir, getWorkingDir, type HookConfig, type HostConfig } from '../../protocol/index.ts';
import { CleanEnvironment, isForeign, runsInAllProjects } from '../command/foreign-environment.ts';
import type { Variables } from '../command/shell-words.ts';
import { type AgentEnvironment, type RunFolders, selectKnownVariables } from '../environment.ts';
import type { LaunchContext } from '../preflight/inspect-launch.ts';
import { findShells, removeProjectFromPath } from '../shells.ts';
import { isFolderVariable, StateFolders } from './state-folders.ts';

/**
 * If a hook started this process, variables of that hook are left out. Reading `process.env` is slow, so this runs once
 * per engine.
 */
export const readOwnEnvironment = (): Variables => {
  const environment: Record<string, string> = {};
  for (const [name, value] of Object.entries(process.env))
    if (value !== undefined && !isFolderVariable(name)) environment[name] = value;
  return environment;
};

interface VisibleEnvironment {
  readonly environment: Variables;
  readonly variables: Variables | undefined;
  readonly withheld?: readonly string[] | undefined;
}

const preloadVariables: readonly string[] = ['BASH_ENV', 'NODE_OPTIONS', 'PERL5OPT', 'RUBYOPT', 'LD_PRELOAD'];

/** An interpreter loads its start-up files, such as `sitecustomize.py`, from these directories. */
const pathVariables: readonly string[] = ['PATH', 'PYTHONPATH', 'PYTHONHOME', 'PERL5LIB', 'RUBYLIB', 'LD_LIBRARY_PATH'];

/** Options with which Node.js loads code. Node reads `_` as `-`. */
const nodeLoadPattern =
  /(?:^|[\s"])(?:-r|--(?:require|import|(?:experimental[-_])?loader|snapshot[-_]blob))(?:=|\s+)"?([^"\s]*)/g;

const isAbsoluteFile = (name: string): boolean => isAbsolute(name.replace(/^file:\/\//, ''));

/** True for a relative path too, because the working directory may be in the project. */
const mayLoadFrom = (projectDir: string, name: string, value: string | undefined): boolean => {
  if (value === undefined) return false;
  if (name === 'BASH_ENV' && !isAbsolute(value)) return true;
  // Node looks for a name without a path in the node_modules of the project.
  if (name === 'NODE_OPTIONS' && [...value.matchAll(nodeLoadPattern)].some(([, file = '']) => !isAbsoluteFile(file)))
    return true;
  return value.includes(`${projectDir}/`) || /(?:^|[\s=:])\.{1,2}\//.test(value);
};

export class HostEnvironment {
  readonly folders: StateFolders;
  readonly #config: HostConfig;
  readonly #variables: Variables | undefined;
  readonly #clean = new CleanEnvironment();
  #environment: Variables | undefined;
  readonly #outside = new WeakMap<Variables, Variables>();

  constructor(
    config: HostConfig,
    { variables, isTrial }: { readonly variables?: Variables | undefined; readonly isTrial?: boolean | undefined },
  ) {
    this.folders = isTrial === true ? StateFolders.forTrial(config) : StateFolders.of(config);
    this.#config = config;
    this.#variables = variables;
  }

  visibleTo(hook: HookConfig): VisibleEnvironment {
    this.#environment ??= readOwnEnvironment();
    if (!isForeign(hook)) {
      // Hooks in user and system settings run in all projects, so they must not start programs that a project contains.
      const environment = runsInAllProjects(hook)
        ? this.#withPathOutside(this.#environment, getProjectDir(this.#config))
        : this.#environment;
      return { environment, variables: this.#variables };
    }
    const allowed = [...(this.#config.getAllowedEnv?.() ?? []), ...(getOrigin(hook)?.secrets ?? [])];
    const isListed = this.#config.getProjectEnv?.() === 'listed';
    const clean = this.#clean.of(this.#environment, this.#variables, { allowed, isListed });
    if (getOrigin(hook)?.programsOutside !== true) return clean;
    return { ...clean, environment: this.#withPathOutside(clean.environment, this.directoriesFor(hook).projectDir) };
  }

  launchInputs(hook: HookConfig, ofHook?: Variables) {
    const place = this.directoriesFor(hook);
    return {
      ...place,
      ofHook: ofHook ?? this.folders.variablesOf(hook, place.projectDir),
      ofSession: this.folders.variablesFor(hook),
      ...this.visibleTo(hook),
    };
  }

  inspectionContext(hook: HookConfig, agent?: Pick<AgentEnvironment, 'variables'>): LaunchContext {
    const place = this.directoriesFor(hook);
    const { environment, variables } = this.visibleTo(hook);
    return {
      cwd: place.cwd,
      variables: {
        ...selectKnownVariables(place, variables, agent),
        ...this.folders.variablesOf(hook, place.projectDir),
      },
      machine: { platform: process.platform, environment, ...findShells(environment, place.projectDir) },
    };
  }

  /** The same input yields the same object, because caches use the object as their key. */
  #withPathOutside(environment: Variables, projectDir: string): Variables {
    if (environment.PATH === undefined || process.platform === 'win32') return environment;
    const changed: Record<string, string | undefined> = {};
    for (const name of preloadVariables)
      if (mayLoadFrom(projectDir, name, environment[name])) changed[name] = undefined;
    for (const name of pathVariables) {
      const { [name]: list = '' } = environment;
      const outside = list === '' ? '' : removeProjectFromPath(list, projectDir);
      if (outside !== list) changed[name] = outside === '' && name !== 'PATH' ? undefined : outside;
    }
    const names = Object.keys(changed);
    if (names.length === 0) return environment;
    const known = this.#outside.get(environment);
    if (known !== undefined && names.every((name) => known[name] === changed[name])) return known;
    const made = omitUndefined({ ...environment, ...changed });
    this.#outside.set(environment, made);
    return made;
  }

  directoriesFor(hook?: HookConfig): RunFolders {
    const config = this.#config;
    const above = hook && getOrigin(hook)?.projectDir;
    return {
      projectDir: above ?? getProjectDir(config),
      cwd: above ?? getWorkingDir(config),
      sessionId: config.getSessionId(),
    };
  }
}
