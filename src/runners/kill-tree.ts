import { windowsFile } from './shells.ts';

export interface Command {
  readonly file: string;
  readonly args: readonly string[];
}

/**
 * The command that ends a process and all below it, where the system has no process groups. Its path is absolute: a
 * `taskkill.exe` in the working directory must not be the one that runs.
 */
export const killTreeCommand = (
  platform: NodeJS.Platform,
  pid: number,
  environment: Readonly<Record<string, string | undefined>>,
): Command | undefined => {
  if (platform !== 'win32') return undefined;
  const { SystemRoot, SYSTEMROOT } = environment;
  const root = SystemRoot ?? SYSTEMROOT;
  return {
    file: windowsFile(root === undefined ? {} : { SystemRoot: root }, 'taskkill.exe'),
    args: ['/PID', String(pid), '/T', '/F'],
  };
};
