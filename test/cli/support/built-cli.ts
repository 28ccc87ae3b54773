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
  new Promise((done, fail) => {
    const env = { ...process.env, HOME: home, USERPROFILE: home, CI: '' };
    execFile(process.execPath, [resolve('dist/cli.js'), ...words], { cwd: root, env }, (error, stdout, stderr) => {
      const code = error === null ? 0 : error.code;
      // Without an exit code it did not start, or was killed.
      if (typeof code !== 'number') fail(error);
      else done({ code, said: `${stdout}${stderr}`.replaceAll(/\s+/g, ' ') });
    });
  });

/** Approves all hooks there, or fails with what the command printed. */
export const approveAllAt = async (root: string, home = join(root, 'home')): Promise<void> => {
  const { code, said } = await hookwrightAt(root, home, 'trust', '--yes');
  if (code !== 0) throw new Error(`trust --yes ended with ${code}: ${said}`);
};
