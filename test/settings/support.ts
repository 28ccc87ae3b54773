import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type ConfigProblem, type LoadConfigOptions, type LoadedConfig, loadConfig } from '../../src/index.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** A project and a home directory, both empty, gone when the test ends. */
export interface Place {
  readonly root: string;
  readonly project: string;
  readonly home: string;
  /** Writes a file below the root: `project/.hookwright/settings.json`. */
  write(path: string, content: string | object): string;
  load(options?: LoadConfigOptions): Promise<Loaded>;
}

export interface Loaded {
  readonly config: LoadedConfig;
  readonly problems: readonly ConfigProblem[];
}

export const OWN = 'project/.hookwright/settings.json';
export const GEMINI = 'project/.gemini/settings.json';
export const USER = 'home/.hookwright/settings.json';
export const USER_GEMINI = 'home/.gemini/settings.json';

export const createPlace = (): Place => {
  const root = temporaryFolder('config');
  const [project, home] = [join(root, 'project'), join(root, 'home')];
  for (const directory of [join(project, '.git'), home]) mkdirSync(directory, { recursive: true });
  const write = (path: string, content: string | object): string => {
    const file = join(root, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content, null, 2));
    return file;
  };
  const load = async (options: LoadConfigOptions = {}): Promise<Loaded> => {
    const loaded = await loadConfig({ cwd: project, home, env: {}, ...options });
    onTestFinished(async () => loaded.config.getHookSystem()?.dispose());
    return loaded;
  };
  return { root, project, home, write, load };
};

/** What is wrong with what is written; that hooks wait for an approval is no mistake. */
export const mistakesIn = (problems: readonly ConfigProblem[]): ConfigProblem[] =>
  problems.filter(({ code }) => code !== 'awaiting-approval');

/** `3:7 path` of each problem: where it is. */
export const placesOf = (problems: readonly ConfigProblem[]): string[] =>
  problems.map(({ line, column, path }) => `${line ?? '-'}:${column ?? '-'} ${path}`);

/** Names and skipReasons of everything the engine knows of. */
export const rowsOf = async (config: LoadedConfig): Promise<string[]> => {
  const system = config.getHookSystem();
  if (system === undefined) return [];
  await system.initialize();
  const hooks = system.getRegistry().getConfiguredHooks();
  return hooks.map(({ name, source, skipReasons }) =>
    `${source.kind} ${name}: ${[...new Set(skipReasons)].join(', ')}`.trim(),
  );
};

/** Hooks with these commands for BeforeTool. */
export const beforeTool = (...names: string[]): object => ({
  BeforeTool: [{ hooks: names.map((name) => ({ name, command: `run-${name}` })) }],
});

/** Whatever is approved counts as approved. */
export const trusting = { trustCheck: () => true };
