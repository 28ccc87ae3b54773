import { type ConfigFile, type LoadConfigOptions, type LoadedConfig, loadConfig } from '../../config/index.ts';
import type { Context } from '../context.ts';
import type { CliProblem } from '../outcome.ts';

export interface Settings {
  readonly config: LoadedConfig;
  readonly problems: readonly CliProblem[];
}

/** The settings of an agent that would start here, or those of exactly these files. */
export const loadSettings = (
  { cwd, env }: Context,
  files?: readonly ConfigFile[],
  more: Pick<LoadConfigOptions, 'sessionId' | 'dialects' | 'tools' | 'deps'> = {},
): Promise<Settings> => loadConfig({ cwd, env, files, ...more });
