// Finds shells outside the project, and knows how each one is given a command line.
import { delimiter, isAbsolute, join } from 'node:path';
import { differsByProcess, directoriesOf, findProgram, homeDirectory, isWithin, realPathOf } from '../kit/node.ts';
import type { ShellKind, Variables } from './command/shell-words.ts';

export interface Shell {
  readonly kind: ShellKind;
  readonly file: string;
  readonly argsFor: (line: string) => readonly string[];
  /** Windows: the arguments are already quoted. */
  readonly verbatim?: true;
  /** Whether a line without shell syntax can be run without this shell. Not if it reads a start-up file first. */
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

/** Setting for the user's login shell. */
const LOGIN_SHELL = 'login';

/** `-c` takes an argument that looks like an option for one; a leading space prevents that. */
const afterDashC = (line: string): string => (/^[-+]/.test(line) ? ` ${line}` : line);

/** PowerShell exits with 0 or 1 whatever its last program returned, but the exit code is the answer of the hook. */
const withExitCode = (line: string): string => `${line}\nif ($LASTEXITCODE) { exit $LASTEXITCODE }`;

const bash = (file: string): Shell => ({
  kind: 'posix',
  file,
  // Node's stdin is a socket, so bash assumes a remote login and reads ~/.bashrc unless these options are set.
  argsFor: (line) => ['--norc', '--noprofile', '-c', afterDashC(line)],
  transparent: true,
});

const plain = (file: string, kind: ShellKind, transparent: boolean): Shell => ({
  kind,
  file,
  argsFor: (line) => ['-c', afterDashC(line)],
  transparent,
});

const powershell = (file: string): Shell => ({
  kind: 'powershell',
  file,
  argsFor: (line) => ['-NoProfile', '-Command', withExitCode(line)],
  transparent: false,
});

const cmd = (file: string): Shell => ({
  kind: 'cmd',
  file,
  argsFor: (line) => ['/d', '/s', '/c', `"${line}"`],
  verbatim: true,
  transparent: false,
});

/** The full path of a Windows system file, so that a file of that name in the working directory is not used. */
export const windowsFile = (environment: Readonly<Record<string, string>>, path: string): string =>
  `${environment.SystemRoot ?? environment.SYSTEMROOT ?? 'C:\\Windows'}\\System32\\${path}`;

/** The user's login shell with its profile, which may add directories to PATH. */
const login = ({ environment: { SHELL = '' }, sh = '/bin/sh' }: Machine): Shell => ({
  kind: 'posix',
  file: SHELL.startsWith('/') ? SHELL : sh,
  argsFor: (line) => ['-lc', line],
  transparent: false,
});

const byName: Readonly<Record<string, (file: string) => Shell>> = {
  bash,
  sh: (file) => plain(file, 'posix', true),
  dash: (file) => plain(file, 'posix', true),
  zsh: (file) => plain(file, 'posix', false),
  pwsh: powershell,
  powershell,
  cmd,
};

const nameOf = (file: string): string => (file.split(/[\\/]/).at(-1) ?? file).replace(/\.exe$/i, '').toLowerCase();

const windowsPaths: Readonly<Record<string, string>> = {
  powershell: 'WindowsPowerShell\\v1.0\\powershell.exe',
  cmd: 'cmd.exe',
};

const defaultShell = ({ platform, environment, bash: bashFile, sh = 'sh' }: Machine): Shell => {
  if (platform === 'win32') return powershell(windowsFile(environment, windowsPaths.powershell ?? ''));
  return bashFile === undefined ? plain(sh, 'posix', true) : bash(bashFile);
};

/** The shell that a hook names, by name or path. Default: bash, or sh without bash; PowerShell on Windows. */
export const shellFor = (wish: string | undefined, machine: Machine): Shell => {
  if (wish === undefined) return defaultShell(machine);
  if (wish === LOGIN_SHELL) return login(machine);
  const name = nameOf(wish);
  const make = Object.hasOwn(byName, name) ? byName[name] : undefined;
  if (make === undefined) return plain(wish, 'other', false);
  if (wish === 'bash' && machine.bash !== undefined) return make(machine.bash);
  if (wish === 'sh' && machine.sh !== undefined) return make(machine.sh);
  const windowsPath = machine.platform === 'win32' && wish === name ? windowsPaths[name] : undefined;
  return make(windowsPath === undefined ? wish : windowsFile(machine.environment, windowsPath));
};

const found = new Map<string, Shells>();
const MAX_FOUND = 100;

/**
 * Finds bash and sh: the first of each on an absolute PATH entry outside the project that is no link into it. Cached
 * per PATH, since programs rarely change while an agent runs.
 */
export const findShells = ({ PATH = '' }: Variables, projectDir: string): Shells => {
  const key = `${projectDir}\0${PATH}`;
  let shells = found.get(key);
  if (shells === undefined) {
    const directories = directoriesOf(pathOutside(PATH, projectDir));
    const isOutside = outsideOfProject(projectDir);
    const first = (name: string): string | undefined =>
      directories.flatMap((directory) => findProgram(name, [directory]) ?? []).find(isOutside);
    shells = { bash: first('bash'), sh: first('sh') };
    if (found.size >= MAX_FOUND) found.clear();
    found.set(key, shells);
  }
  return shells;
};

/** The home directory and its parents do not count as a project: they are the user's own. */
const isProject = (projectDir: string): boolean => {
  const home = homeDirectory();
  return !isWithin(projectDir, home);
};

/**
 * Tests whether an absolute path is outside a project, as written and with links resolved. A path that leads each
 * process elsewhere, such as /proc/self, may lead into it, so it is not.
 */
const outsideOfProject = (projectDir: string): ((path: string) => boolean) => {
  const roots = isProject(projectDir) ? [projectDir, realPathOf(projectDir) ?? projectDir] : [];
  return (path) => {
    const realPath = realPathOf(path) ?? path;
    if (roots.some((root) => isWithin(root, path) || isWithin(root, realPath))) return false;
    return roots.length === 0 || !differsByProcess(path, realPath);
  };
};

const known = new Map<string, string>();
const MAX_KNOWN = 100;

/** Interpreters of scripts: a PATH entry in which one of them links into the project belongs to the project. */
const interpreters = ['sh', 'bash', 'dash', 'node', 'python', 'python3'];

/** The PATH entries in which only the user and the system can place programs: absolute ones outside the project. */
export const pathOutside = (searchPath: string, projectDir: string): string => {
  const key = `${projectDir}\0${searchPath}`;
  let outside = known.get(key);
  if (outside === undefined) {
    const outsideOf = outsideOfProject(projectDir);
    outside = searchPath
      .split(delimiter)
      .filter((entry) => isAbsolute(entry) && outsideOf(entry))
      .filter((entry) => interpreters.every((name) => outsideOf(join(entry, name))))
      .join(delimiter);
    if (known.size >= MAX_KNOWN) known.clear();
    known.set(key, outside);
  }
  return outside;
};
