// Finds the shell that runs a hook's command line. Shells inside the project are ignored.
import { delimiter, isAbsolute, join } from 'node:path';
import { RecentMap } from '../kit/index.ts';
import {
  differsByProcess,
  findHomeDirectory,
  findProgram,
  findRealPath,
  isWithin,
  splitSearchPath,
} from '../kit/node.ts';
import type { ShellKind, Variables } from './command/shell-words.ts';

export interface Shell {
  readonly kind: ShellKind;
  readonly file: string;
  readonly argsFor: (line: string) => readonly string[];
  readonly verbatim?: true;
  /** A command line without shell syntax may run without the shell, unless the shell reads a start-up file first. */
  readonly transparent: boolean;
}

interface Shells {
  readonly bash?: string | undefined;
  readonly sh?: string | undefined;
}

export interface Machine extends Shells {
  readonly platform: NodeJS.Platform;
  readonly environment: Readonly<Record<string, string>>;
}

const LOGIN_SHELL_NAME = 'login';

/** `sh -c` would read a command line that starts with `-` or `+` as an option. */
const protectFromOptions = (line: string): string => (/^[-+]/.test(line) ? ` ${line}` : line);

/** PowerShell exits with 0 or 1, but the exit code of the last program is the hook's answer. */
const appendExitCode = (line: string): string => `${line}\nif ($LASTEXITCODE) { exit $LASTEXITCODE }`;

const createBash = (file: string): Shell => ({
  kind: 'posix',
  file,
  // Node's stdin is a socket, so bash would assume a remote login and read ~/.bashrc.
  argsFor: (line) => ['--norc', '--noprofile', '-c', protectFromOptions(line)],
  transparent: true,
});

const createPlainShell = (file: string, kind: ShellKind, transparent: boolean): Shell => ({
  kind,
  file,
  argsFor: (line) => ['-c', protectFromOptions(line)],
  transparent,
});

const createPowershell = (file: string): Shell => ({
  kind: 'powershell',
  file,
  argsFor: (line) => ['-NoProfile', '-Command', appendExitCode(line)],
  transparent: false,
});

const createCmd = (file: string): Shell => ({
  kind: 'cmd',
  file,
  argsFor: (line) => ['/d', '/s', '/c', `"${line}"`],
  verbatim: true,
  transparent: false,
});

export const createWindowsFilePath = (environment: Readonly<Record<string, string>>, path: string): string =>
  `${environment.SystemRoot ?? environment.SYSTEMROOT ?? 'C:\\Windows'}\\System32\\${path}`;

const findLoginShell = ({ environment: { SHELL = '' }, sh = '/bin/sh' }: Machine): Shell => ({
  kind: 'posix',
  file: SHELL.startsWith('/') ? SHELL : sh,
  argsFor: (line) => ['-lc', line],
  transparent: false,
});

const shellsByName: Readonly<Record<string, (file: string) => Shell>> = {
  bash: createBash,
  sh: (file) => createPlainShell(file, 'posix', true),
  dash: (file) => createPlainShell(file, 'posix', true),
  zsh: (file) => createPlainShell(file, 'posix', false),
  pwsh: createPowershell,
  powershell: createPowershell,
  cmd: createCmd,
};

const getShellName = (file: string): string =>
  (file.split(/[\\/]/).at(-1) ?? file).replace(/\.exe$/i, '').toLowerCase();

const windowsShellPaths: Readonly<Record<string, string>> = {
  powershell: 'WindowsPowerShell\\v1.0\\powershell.exe',
  cmd: 'cmd.exe',
};

const chooseDefaultShell = ({ platform, environment, bash: bashFile, sh = 'sh' }: Machine): Shell => {
  if (platform === 'win32')
    return createPowershell(createWindowsFilePath(environment, windowsShellPaths.powershell ?? ''));
  return bashFile === undefined ? createPlainShell(sh, 'posix', true) : createBash(bashFile);
};

export const selectShell = (wish: string | undefined, machine: Machine): Shell => {
  if (wish === undefined) return chooseDefaultShell(machine);
  if (wish === LOGIN_SHELL_NAME) return findLoginShell(machine);
  const name = getShellName(wish);
  const make = Object.hasOwn(shellsByName, name) ? shellsByName[name] : undefined;
  if (make === undefined) return createPlainShell(wish, 'other', false);
  if (wish === 'bash' && machine.bash !== undefined) return make(machine.bash);
  if (wish === 'sh' && machine.sh !== undefined) return make(machine.sh);
  const windowsPath = machine.platform === 'win32' && wish === name ? windowsShellPaths[name] : undefined;
  return make(windowsPath === undefined ? wish : createWindowsFilePath(machine.environment, windowsPath));
};

const shellsCache = new RecentMap<Shells>(100);

/**
 * Ignores shells in the project, which could be malicious. Cached by PATH, because installed programs rarely change.
 */
export const findShells = ({ PATH = '' }: Variables, projectDir: string): Shells => {
  const key = `${projectDir}\0${PATH}`;
  const known = shellsCache.get(key);
  if (known !== undefined) return known;
  const directories = splitSearchPath(removeProjectFromPath(PATH, projectDir));
  const isOutside = createOutsideCheck(projectDir);
  const first = (name: string): string | undefined =>
    directories.flatMap((directory) => findProgram(name, [directory]) ?? []).find(isOutside);
  const shells = { bash: first('bash'), sh: first('sh') };
  shellsCache.set(key, shells);
  return shells;
};

/** A path that each process resolves differently, such as /proc/self, is not trusted. */
const createOutsideCheck = (projectDir: string): ((path: string) => boolean) => {
  // A home directory, or a parent of one, contains the user's own files and is not treated as a project.
  const isProject = !isWithin(projectDir, findHomeDirectory());
  const roots = isProject ? [projectDir, findRealPath(projectDir) ?? projectDir] : [];
  return (path) => {
    const realPath = findRealPath(path) ?? path;
    if (roots.some((root) => isWithin(root, path) || isWithin(root, realPath))) return false;
    return roots.length === 0 || !differsByProcess(path, realPath);
  };
};

const outsidePathCache = new RecentMap<string>(100);

const interpreters = ['sh', 'bash', 'dash', 'node', 'python', 'python3'];

/** Keeps only absolute PATH entries outside the project, where the project cannot place programs. */
export const removeProjectFromPath = (searchPath: string, projectDir: string): string => {
  const key = `${projectDir}\0${searchPath}`;
  const known = outsidePathCache.get(key);
  if (known !== undefined) return known;
  const isOutside = createOutsideCheck(projectDir);
  const outside = searchPath
    .split(delimiter)
    .filter((entry) => isAbsolute(entry) && isOutside(entry))
    .filter((entry) => interpreters.every((name) => isOutside(join(entry, name))))
    .join(delimiter);
  outsidePathCache.set(key, outside);
  return outside;
};
