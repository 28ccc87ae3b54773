import { execFile } from 'node:child_process';
import { join, resolve } from 'node:path';

interface Said {
  readonly code: number;
  /** What it printed, with single blanks. */
  readonly said: string;
}

/** Runs a command of the built CLI as a person would, whose home directory is `home` in the project. */
export const hookwright = (root: string, ...words: string[]): Promise<Said> =>
  hookwrightAt(root, join(root, 'home'), ...words);

/** The same for another home directory. */
export const hookwrightAt = (root: string, home: string, ...words: string[]): Promise<Said> =>
  new Promise((done) => {
    const env = { ...process.env, HOME: home, USERPROFILE: home, CI: '' };
    execFile(process.execPath, [resolve('dist/cli.js'), ...words], { cwd: root, env }, (error, stdout, stderr) => {
      const code = typeof error?.code === 'number' ? error.code : 0;
      done({ code, said: `${stdout}${stderr}`.replaceAll(/\s+/g, ' ') });
    });
  });
