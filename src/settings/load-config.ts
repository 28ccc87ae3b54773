/** Loads a configuration from settings files. */
import type { ConfigOptions, HookDeps } from '../config.ts';
import { createInvalidArgument } from '../errors.ts';
import { type EventBudgets, explainBadSettings } from '../events/index.ts';
import { describeValue, isRecord } from '../kit/index.ts';
import { type ConfigProblem, listHookTypes } from '../protocol/index.ts';
import type { FilesSourceOptions } from './files-source.ts';
import type { LoadedConfig, LoadedConfigOptions } from './loaded-config.ts';

export interface LoadConfigOptions
  extends FilesSourceOptions,
    Pick<ConfigOptions, 'sessionId' | 'transcriptPath' | 'eventDir' | 'mode' | 'onConflict' | 'bus'> {
  /** Milliseconds for all hooks of an event together. Overrides settings files. */
  readonly budgetMs?: EventBudgets | undefined;
  /** Without a `trustCheck`, approvals are read from the user's trust store. */
  readonly deps?: HookDeps | undefined;
}

export interface LoadedFiles {
  readonly config: LoadedConfig;
  readonly problems: readonly ConfigProblem[];
}

const fileScopes: readonly unknown[] = ['project', 'user', 'system', 'extensions'];

const isConfigFile = (file: unknown): boolean =>
  isRecord(file) && typeof file.path === 'string' && fileScopes.includes(file.scope);

const explainBadOptions = (options: unknown): string | undefined => {
  if (!isRecord(options)) return `takes an object of options; got ${describeValue(options)}`;
  for (const key of ['cwd', 'home', 'sessionId', 'transcriptPath', 'eventDir']) {
    const value = options[key];
    if (value !== undefined && typeof value !== 'string')
      return `needs ${key} as a string; got ${describeValue(value)}`;
  }
  for (const key of ['agents', 'dialects']) {
    const value = options[key];
    if (value !== undefined && !isRecord(value))
      return `needs ${key} as an object from names to true or options; got ${describeValue(value)}`;
  }
  // An empty path would resolve to the working directory, whose files would then be read as the user's.
  if (options.home === '') return 'needs home as the path of a directory; got an empty text';
  const wrong = explainBadSettings(options);
  if (wrong !== undefined) return wrong;
  const { files } = options;
  if (files === undefined || (Array.isArray(files) && files.every(isConfigFile))) return undefined;
  return `needs files as a list of {path, scope}, scope one of ${fileScopes.join(', ')}; got ${describeValue(files)}`;
};

/** The file readers are loaded on demand: hosts with hooks in code do not need them. */
export const loadConfigWith = async (
  options: LoadConfigOptions,
  more: LoadedConfigOptions = {},
): Promise<LoadedFiles> => {
  const mistake = explainBadOptions(options);
  if (mistake !== undefined) throw createInvalidArgument(`loadConfig ${mistake}`);
  const { FilesSource, LoadedConfig } = await import('./read-config.ts');
  const source = await FilesSource.for(options);
  const { sessionId, transcriptPath, eventDir, mode, onConflict, budgetMs, bus, deps } = options;
  const given = { sessionId, transcriptPath, eventDir, mode, onConflict, budgetMs, bus, deps, ...more };
  const config = new LoadedConfig(source, await source.look(listHookTypes(deps?.lanes)), given);
  await config.lookAtTrust();
  return { config, problems: config.getProblems() };
};

/** Reads the settings of project, user, system and extensions. Mistakes in files do not throw: see `problems`. */
export const loadConfig = (options: LoadConfigOptions = {}): Promise<LoadedFiles> => loadConfigWith(options);
