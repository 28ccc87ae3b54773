import { windowsFile } from '../command/shells.ts';

export interface KillCommand {
  readonly file: string;
  readonly args: readonly string[];
}

/**
 * The command that ends a process of Windows and all below it. Its path is absolute: a `taskkill.exe` in the working
 * directory must not be the one that runs.
 */
export const killTreeCommand = (
  pid: number,
  environment: Readonly<Record<string, string | undefined>>,
): KillCommand => {
  const root = environment.SystemRoot ?? environment.SYSTEMROOT;
  return {
    file: windowsFile(root === undefined ? {} : { SystemRoot: root }, 'taskkill.exe'),
    args: ['/PID', String(pid), '/T', '/F'],
  };
};
