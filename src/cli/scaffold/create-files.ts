import { chmod, mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { describeThrown } from '../../kit/index.ts';
import type { CliProblem } from '../command-outcome.ts';
import { readSettingsText } from '../settings-edit/alter-file.ts';
import type { NewFile } from './plan.ts';

const problemAt = (file: string, message: string): CliProblem => ({ severity: 'error', file, message });

/** Why a file cannot be made, if so: there is one already, or a link leads out of where it belongs. */
const obstacle = async ({ path }: NewFile, mustStayIn: string): Promise<CliProblem | undefined> => {
  const found = await readSettingsText(path, mustStayIn);
  if (!found.ok) return problemAt(path, found.message);
  return found.read.text === undefined ? undefined : problemAt(path, 'already exists and was left as it is');
};

export const obstacles = async (files: readonly NewFile[], mustStayIn: string): Promise<CliProblem[]> =>
  (await Promise.all(files.map((file) => obstacle(file, mustStayIn)))).filter((problem) => problem !== undefined);

/** Makes files, all of them or none. Never writes over one. */
export const createFiles = async (files: readonly NewFile[]): Promise<CliProblem | undefined> => {
  const made: string[] = [];
  for (const { path, text, mode } of files) {
    try {
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, text, { flag: 'wx', mode });
      made.push(path);
      // A umask may have taken away what makes it a program.
      if ((mode & 0o100) !== 0) await chmod(path, mode);
    } catch (error) {
      await removeFiles(made);
      return problemAt(path, `cannot be written: ${describeThrown(error)}`);
    }
  }
  return undefined;
};

/** Takes away what `createFiles` made, when the rest did not work out. */
export const removeFiles = async (paths: readonly string[]): Promise<void> => {
  for (const path of paths) await rm(path, { force: true });
};
