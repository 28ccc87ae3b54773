import { execFile, execFileSync } from 'node:child_process';
import { delimiter, dirname, resolve } from 'node:path';

export interface Run {
  readonly code: number | string | null | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

/** Examples import the package by its name, which leads to dist/. Costs little when that is up to date. */
export const buildPackage = (): void => {
  execFileSync(process.execPath, ['scripts/build.mjs', '--quiet'], { stdio: ['ignore', 'ignore', 'inherit'] });
};

/** Hooks that start with `#!/usr/bin/env node` are to find the Node that runs the tests. */
const path = `${dirname(process.execPath)}${delimiter}${process.env.PATH ?? ''}`;

/** Runs a program to its end, which it has to find by itself. */
export const runNode = (
  file: string,
  {
    args = [],
    env = {},
    program = process.execPath,
  }: { args?: readonly string[]; env?: NodeJS.ProcessEnv; program?: string } = {},
): Promise<Run> =>
  new Promise((done) => {
    const options = { env: { ...process.env, NO_COLOR: '', PATH: path, ...env }, timeout: 20_000 };
    execFile(program, [resolve(file), ...args], options, (error, stdout, stderr) =>
      done({ code: error === null ? 0 : error.code, stdout, stderr }),
    );
  });
