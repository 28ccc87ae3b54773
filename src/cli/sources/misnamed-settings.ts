import { readdir } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { nearest } from '../../kit/index.ts';
import type { LoadedConfig } from '../../settings/index.ts';
import type { CliProblem } from '../outcome.ts';

const NAME = 'settings.json';

/** Endings of files people write by hand: a copy that an editor keeps beside the file is no mistake. */
const endings: readonly string[] = ['', '.json', '.jsonc', '.json5', '.yaml', '.yml'];

const filesIn = async (directory: string): Promise<string[]> => {
  try {
    const entries = await readdir(directory, { withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
  } catch {
    // No such directory, or none to be looked into: nothing is misnamed there.
    return [];
  }
};

const isMisnamed = (name: string): boolean =>
  name !== NAME && endings.includes(extname(name)) && nearest(name, [NAME]) !== undefined;

/** Files beside which, or in place of which, settings were probably meant. Nothing reads them, and nobody else would say so. */
export const misnamedSettings = async (config: LoadedConfig): Promise<CliProblem[]> => {
  const directories = new Set([config.getProjectDir(), config.getHome()].map((place) => join(place, '.hookwright')));
  const found = await Promise.all(
    [...directories].map(async (directory) =>
      (await filesIn(directory)).filter(isMisnamed).map((name): CliProblem => {
        const hint = `did you mean "${NAME}"?`;
        return { severity: 'warning', file: join(directory, name), message: 'is a file that nothing reads', hint };
      }),
    ),
  );
  return found.flat();
};
