import type { ConfigProblem } from '../../protocol/index.ts';
import { type ConfigFile, type LoadConfigOptions, type LoadedConfig, loadConfig } from '../../settings/index.ts';
import type { CliProblem } from '../command-outcome.ts';
import type { Context } from '../context.ts';
import { misnamedSettings } from './misnamed-settings.ts';

export interface LoadedSettings {
  readonly config: LoadedConfig;
  readonly problems: readonly CliProblem[];
}

/** What is wrong with a file as a whole, so that some of it or all of it does not count. */
const isBroken = ({ severity, path, file }: CliProblem & Partial<Pick<ConfigProblem, 'path'>>): boolean =>
  severity === 'error' && path === '' && file !== undefined;

/** The settings of an agent that would start here, or those of exactly these files. Files that cannot be read are told at once. */
export const loadSettings = async (
  { cwd, env, broken }: Pick<Context, 'cwd' | 'env' | 'broken'>,
  files?: readonly ConfigFile[],
  more: Pick<
    LoadConfigOptions,
    'sessionId' | 'transcriptPath' | 'eventDir' | 'agents' | 'askedBy' | 'tools' | 'deps'
  > = {},
): Promise<LoadedSettings> => {
  // A command shows faults itself.
  const deps = { warnings: false, ...more.deps };
  const { config, problems: found } = await loadConfig({ cwd, env, files, ...more, deps });
  const misnamed = files === undefined && more.askedBy === undefined ? await misnamedSettings(config) : [];
  const problems = [...found, ...misnamed];
  if (broken === undefined) return { config, problems };
  broken(problems.filter(isBroken));
  return { config, problems: problems.filter((problem) => !isBroken(problem)) };
};
