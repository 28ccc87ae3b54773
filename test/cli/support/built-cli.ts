import { execFile } from 'node:child_process';
import { join, resolve } from 'node:path';

/** Runs a command of the built CLI as a person would, whose home directory is `home` in the project. */
export const hookwright = (root: string, ...words: string[]): Promise<{ code: number; said: string }> =>
  new Promise((done) => {
    const env = { ...process.env, HOME: join(root, 'home'), USERPROFILE: join(root, 'home'), CI: '' };
    execFile(process.execPath, [resolve('dist/cli.js'), ...words], { cwd: root, env }, (error, stdout, stderr) => {
      const code = typeof error?.code === 'number' ? error.code : 0;
      done({ code, said: `${stdout}${stderr}`.replaceAll(/\s+/g, ' ') });
    });
  });
