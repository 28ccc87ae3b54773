import { delimiter, isAbsolute, join } from 'node:path';
import { directoriesOf, findProgram, homeDirectory, isSeenByEachAlone, isWithin, realPathOf } from '../kit/node.ts';
import type { ShellKind, Variables } from './command/shell-words.ts';

/** A shell and how it is given a line. */
export interface Shell {
  readonly kind: ShellKind;
  readonly file: string;
  readonly argsFor: (line: string) => readonly string[];
  /** Windows: the arguments are quoted already and must not be quoted again. */
  readonly verbatim?: true;
  /** A line without shell syntax means the same without this shell. Not so for one that reads a start-up file first. */
  readonly transparent: boolean;
}

/** Where the shells of a machine are, if they are there. */
interface Shells {
  readonly bash?: string | undefined;
  readonly sh?: string | undefined;
}

export interface Machine extends Shells {
  readonly platform: NodeJS.Platform;
  readonly environment: Readonly<Record<string, string>>;
}

/** In place of the name of a shell: the one that the user logs in with, as one. */
const LOGIN_SHELL = 'login';

/** `-c` reads on after an argument that looks like an option; a blank in front changes nothing else. */
const afterDashC = (line: string): string => (/^[-+]/.test(line) ? ` ${line}` : line);

/** PowerShell ends with 0 or 1 whatever its last program returned; the number is what a hook answers with. */
const withExitCode = (line: string): string => `${line}\nif ($LASTEXITCODE) { exit $LASTEXITCODE }`;

const bash = (file: string): Shell => ({
  kind: 'posix',
  file,
  // Node's stdin is a socket, which bash takes for a remote login and reads ~/.bashrc unless told not to.
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

/** A file of Windows itself by its full path, so that none of that name in the working directory is taken for it. */
export const windowsFile = (environment: Readonly<Record<string, string>>, path: string): string =>
  `${environment.SystemRoot ?? environment.SYSTEMROOT ?? 'C:\\Windows'}\\System32\\${path}`;

/** The user's own shell, with what it reads at a login: programs may stand where only its profile says. */
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

/** The shell a hook asks for, by name or path; without a wish, bash where there is one. */
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
 * The shells that read command lines: the first of their name on an absolute entry of PATH outside of the project, and no link
 * into it. Asked once per PATH: programs do not come and go while an agent runs.
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

/** In the home directory, or above it, there is no project apart from what is the user's own. */
const isProject = (projectDir: string): boolean => {
  const home = homeDirectory();
  return !isWithin(projectDir, home);
};

/**
 * Says of absolute paths whether they are outside of a project, as they are written and where they lead. What leads every process
 * elsewhere may lead a hook into it.
 */
const outsideOfProject = (projectDir: string): ((path: string) => boolean) => {
  const roots = isProject(projectDir) ? [projectDir, realPathOf(projectDir) ?? projectDir] : [];
  return (path) => {
    const realPath = realPathOf(path) ?? path;
    if (roots.some((root) => isWithin(root, path) || isWithin(root, realPath))) return false;
    return roots.length === 0 || !isSeenByEachAlone(path, realPath);
  };
};

const known = new Map<string, string>();
const MAX_KNOWN = 100;

/** What scripts are read by: an entry in which one of them is a link into the project is one of the project's. */
const interpreters = ['sh', 'bash', 'dash', 'node', 'python', 'python3'];

/** The entries of PATH that only the user and the system can put a program into: absolute ones outside of the project. */
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
