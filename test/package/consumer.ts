import { execFile } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { inject, onTestFinished } from 'vitest';
import { temporaryFolder } from '../support/temporary-folder.ts';

const execute = promisify(execFile);

/** Every file of the tarball, as paths inside the package. */
export const packedFiles = async (): Promise<string[]> => {
  const { stdout } = await execute('tar', ['-tzf', inject('tarball')]);
  return stdout
    .trim()
    .split('\n')
    .map((path) => path.replace(/^package\//, ''));
};

export interface Consumer {
  readonly directory: string;
  write(file: string, text: string): void;
  /** Runs a Node script in the project and resolves to its stdout; rejects with what it said when it fails. */
  node(...args: string[]): Promise<string>;
}

/**
 * A project of somebody who installed the tarball, gone when the test is over, or when `atEnd` says so. It has nothing else
 * in node_modules but the packages in `also`, which are linked from ours.
 */
export const createConsumer = async (
  also: readonly string[] = [],
  atEnd: (cleanUp: () => void) => void = onTestFinished,
): Promise<Consumer> => {
  const directory = temporaryFolder('consumer');
  atEnd(() => rmSync(directory, { recursive: true, force: true }));
  const installed = join(directory, 'node_modules', 'hookwright');
  mkdirSync(installed, { recursive: true });
  await execute('tar', ['-xzf', inject('tarball'), '--strip-components=1', '-C', installed]);
  for (const name of also) {
    const link = join(directory, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(resolve('node_modules', name), link, 'junction');
  }
  const write = (file: string, text: string): void => writeFileSync(join(directory, file), text);
  write('package.json', JSON.stringify({ name: 'consumer', private: true, type: 'module' }));
  return {
    directory,
    write,
    async node(...args) {
      const { stdout } = await execute(process.execPath, args, { cwd: directory });
      return stdout.trim();
    },
  };
};
