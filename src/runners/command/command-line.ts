// Decides how a command is started: directly, as a list of arguments, or through a shell.
import type { HookConfig } from '../../protocol/index.ts';
import { type Machine, type Shell, shellFor, windowsFile } from '../shells.ts';
import {
  expandForShell,
  expandPlainly,
  plainWords,
  quoteForCmd,
  quoteForPosix,
  type ShellKind,
  type Variables,
  type Writer,
} from './shell-words.ts';

export interface CommandLaunch {
  readonly file: string;
  readonly args: readonly string[];
  /** `shell` if a shell reads the line, `direct` if the program is started without one. */
  readonly by: 'shell' | 'direct';
  /** Windows: the arguments are already quoted. */
  readonly verbatim?: true;
}

/**
 * First words that shells interpret themselves, even if a program of that name exists: keywords, and builtins of sh and
 * bash.
 */
const shellWords = new Set(
  `. : [ alias bg bind break builtin caller case cd command compgen complete compopt continue coproc declare dirs
  disown do done echo elif else enable esac eval exec exit export false fc fg fi for function getopts hash help history
  if in jobs kill let local logout mapfile popd printf pushd pwd read readarray readonly return select set shift shopt
  source suspend test then time times trap true type typeset ulimit umask unalias unset until wait while`.split(/\s+/),
);

/**
 * Whether a shell finds something else than a program under this name: a function from the environment, or code of a
 * start-up file.
 */
const shellKnowsMore = (name: string, environment: Variables): boolean =>
  shellWords.has(name) ||
  Object.hasOwn(environment, `BASH_FUNC_${name}%%`) ||
  (environment.BASH_ENV !== undefined && environment.BASH_ENV !== '');

/** Quoting that our scan does not know. The shell then expands the variables from its environment. */
const hasForeignQuoting = /<<|`|\$'/;

const writers: Readonly<Record<ShellKind, Writer | undefined>> = {
  posix: { unquoted: ({ value }) => quoteForPosix(value), escape: '\\', singleQuotes: true },
  // In PowerShell a variable reference is always one argument; a quoted text would end the word before it.
  powershell: {
    unquoted: ({ name }) => `\${env:${name}}`,
    doubleQuoted: ({ name }) => `\${env:${name}}`,
    escape: '`',
    singleQuotes: true,
  },
  cmd: { unquoted: ({ value }) => quoteForCmd(value), escape: '^', singleQuotes: false },
  other: undefined,
};

const lineFor = (line: string, kind: ShellKind, variables: Variables): string => {
  const writer = writers[kind];
  if (writer === undefined || (kind === 'posix' && hasForeignQuoting.test(line))) return line;
  return expandForShell(line, variables, writer);
};

/** Windows starts batch files through cmd.exe anyway. Doing it explicitly keeps their arguments intact. */
const batchLaunch = (file: string, args: readonly string[], environment: Variables): CommandLaunch => {
  const line = [quoteForCmd(file), ...args.map((arg) => quoteForCmd(arg, 'batch'))].join(' ');
  return {
    file: windowsFile(environment, 'cmd.exe'),
    args: ['/d', '/s', '/c', `"${line}"`],
    by: 'direct',
    verbatim: true,
  };
};

const argvLaunch = (
  command: string,
  args: readonly string[],
  variables: Variables,
  machine: Machine,
): CommandLaunch => {
  const file = expandPlainly(command, variables);
  const expanded = args.map((arg) => expandPlainly(arg, variables));
  if (machine.platform === 'win32' && /\.(?:cmd|bat)$/i.test(file)) {
    return batchLaunch(file, expanded, machine.environment);
  }
  return { file, args: expanded, by: 'direct' };
};

const withoutShell = (
  line: string,
  shell: Shell,
  variables: Variables,
  { platform, environment }: Machine,
): CommandLaunch | undefined => {
  if (!shell.transparent || platform === 'win32') return undefined;
  const [file, ...args] = plainWords(line, variables) ?? [];
  if (file === undefined || file === '' || shellKnowsMore(file, environment)) return undefined;
  return { file, args, by: 'direct' };
};

/**
 * Decides how a hook's command is started: as a list of arguments if it has `args`; directly if its line means the same
 * without a shell, unless the hook names a shell; otherwise through the shell. A known variable is filled in as one
 * literal argument.
 */
export const launchOf = (
  hook: Pick<HookConfig, 'command' | 'args' | 'shell'>,
  variables: Variables,
  machine: Machine,
  { alwaysShell = false } = {},
): CommandLaunch => {
  const { command = '', args } = hook;
  if (args !== undefined) return argvLaunch(command, args, variables, machine);
  const shell = shellFor(hook.shell, machine);
  const direct = alwaysShell ? undefined : withoutShell(command, shell, variables, machine);
  if (direct !== undefined) return direct;
  return {
    file: shell.file,
    args: shell.argsFor(lineFor(command, shell.kind, variables)),
    by: 'shell',
    ...(shell.verbatim ? { verbatim: true } : {}),
  };
};
