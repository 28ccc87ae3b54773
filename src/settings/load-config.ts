import type { ConfigOptions, HookDeps } from '../config.ts';
import { invalidArgument } from '../errors.ts';
import { type EventBudgets, whyNotBudgets } from '../events/index.ts';
import { describeValue, isRecord } from '../kit/index.ts';
import { type ConfigProblem, conflictRules, hookModes, hookTypesWith, whyNotWord } from '../protocol/index.ts';
import type { FilesSourceOptions } from './files-source.ts';
import type { LoadedConfig, LoadedConfigOptions } from './loaded-config.ts';

export interface LoadConfigOptions
  extends FilesSourceOptions,
    Pick<ConfigOptions, 'sessionId' | 'transcriptPath' | 'eventDir' | 'mode' | 'onConflict' | 'bus'> {
  /** What all hooks of an event together may take, in milliseconds, by event. It counts more than what files say. */
  readonly budgetMs?: EventBudgets | undefined;
  /** What the engine gets. Without a `trustCheck` approvals are looked up in the user's trust store. */
  readonly deps?: HookDeps | undefined;
}

export interface LoadedFiles {
  readonly config: LoadedConfig;
  /** What is wrong, with file, line and column. */
  readonly problems: readonly ConfigProblem[];
}

const scopes: readonly unknown[] = ['project', 'user', 'system', 'extensions'];

const isFile = (file: unknown): boolean =>
  isRecord(file) && typeof file.path === 'string' && scopes.includes(file.scope);

const mistakeIn = (options: unknown): string | undefined => {
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
  // Empty, it would be the working directory, whose files would pass for those of the user.
  if (options.home === '') return 'needs home as the path of a directory; got an empty text';
  const { files, mode, onConflict, budgetMs } = options;
  const word = whyNotWord('mode', hookModes, mode) ?? whyNotWord('onConflict', conflictRules, onConflict);
  const wrong = word ?? whyNotBudgets(budgetMs);
  if (wrong !== undefined) return wrong;
  if (files === undefined || (Array.isArray(files) && files.every(isFile))) return undefined;
  return `needs files as a list of {path, scope}, scope one of ${scopes.join(', ')}; got ${describeValue(files)}`;
};

/** The part that reads files is loaded when it is needed: who gives hooks in code does not pay for it. */
export const loadWith = async (options: LoadConfigOptions, more: LoadedConfigOptions = {}): Promise<LoadedFiles> => {
  // A mistake in the calling code, in contrast to one in a file, is thrown.
  const mistake = mistakeIn(options);
  if (mistake !== undefined) throw invalidArgument(`loadConfig ${mistake}`);
  const { FilesSource, LoadedConfig } = await import('./read-config.ts');
  const source = await FilesSource.for(options);
  const { sessionId, transcriptPath, eventDir, mode, onConflict, budgetMs, bus, deps } = options;
  const given = { sessionId, transcriptPath, eventDir, mode, onConflict, budgetMs, bus, deps, ...more };
  const config = new LoadedConfig(source, await source.look(hookTypesWith(deps?.lanes)), given);
  await config.lookAtTrust();
  return { config, problems: config.getProblems() };
};

/**
 * Reads the settings files of the project, the user, the system and the extensions. It does not throw for anything that
 * stands in them: what cannot be used is left out and named in `problems`.
 */
export const loadConfig = (options: LoadConfigOptions = {}): Promise<LoadedFiles> => loadWith(options);
