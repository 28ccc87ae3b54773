// Decides whether a command is started directly or through a shell, and with which arguments.
import type { HookConfig } from '../../protocol/index.ts';
import { createWindowsFilePath, type Machine, type Shell, selectShell } from '../shells.ts';
import {
  expandForShell,
  expandPlainly,
  quoteForCmd,
  quoteForPosix,
  type ShellKind,
  splitPlainWords,
  type Variables,
  type VariableWriter,
} from './shell-words.ts';

export interface CommandLaunch {
  readonly file: string;
  readonly args: readonly string[];
  readonly by: 'shell' | 'direct';
  readonly verbatim?: true;
}

/** A shell interprets these words even if a program with that name exists. */
const shellWords = new Set(
  `. : [ alias bg bind break builtin caller case cd command compgen complete compopt continue coproc declare dirs
  disown do done echo elif else enable esac eval exec exit export false fc fg fi for function getopts hash help history
  if in jobs kill let local logout mapfile popd printf pushd pwd read readarray readonly return select set shift shopt
  source suspend test then time times trap true type typeset ulimit umask unalias unset until wait while`.split(/\s+/),
);

/** `BASH_ENV` names a start-up file that may define any function. */
const mayShellRedefine = (name: string, environment: Variables): boolean =>
  shellWords.has(name) ||
  Object.hasOwn(environment, `BASH_FUNC_${name}%%`) ||
  (environment.BASH_ENV !== undefined && environment.BASH_ENV !== '');

/** Within these kinds of quoting, only a shell can expand variables. */
const shellQuotingPattern = /<<|`|\$'/;

const variableWriters: Readonly<Record<ShellKind, VariableWriter | undefined>> = {
  posix: { unquoted: ({ value }) => quoteForPosix(value), escape: '\\', singleQuotes: true },
  // PowerShell gets a reference, which stays one argument: of `'value'/file` it makes two.
  powershell: {
    unquoted: ({ name }) => `\${env:${name}}`,
    doubleQuoted: ({ name }) => `\${env:${name}}`,
    escape: '`',
    singleQuotes: true,
  },
  cmd: { unquoted: ({ value }) => quoteForCmd(value), escape: '^', singleQuotes: false },
  other: undefined,
};

const writeLineFor = (line: string, kind: ShellKind, variables: Variables): string => {
  const writer = variableWriters[kind];
  if (writer === undefined || (kind === 'posix' && shellQuotingPattern.test(line))) return line;
  return expandForShell(line, variables, writer);
};

/** Windows starts batch files through cmd.exe in any case; starting cmd.exe explicitly keeps the arguments intact. */
const createBatchLaunch = (file: string, args: readonly string[], environment: Variables): CommandLaunch => {
  const line = [quoteForCmd(file), ...args.map((arg) => quoteForCmd(arg, 'batch'))].join(' ');
  return {
    file: createWindowsFilePath(environment, 'cmd.exe'),
    args: ['/d', '/s', '/c', `"${line}"`],
    by: 'direct',
    verbatim: true,
  };
};

const createArgvLaunch = (
  command: string,
  args: readonly string[],
  variables: Variables,
  machine: Machine,
): CommandLaunch => {
  const file = expandPlainly(command, variables);
  const expanded = args.map((arg) => expandPlainly(arg, variables));
  if (machine.platform === 'win32' && /\.(?:cmd|bat)$/i.test(file)) {
    return createBatchLaunch(file, expanded, machine.environment);
  }
  return { file, args: expanded, by: 'direct' };
};

const createDirectLaunch = (
  line: string,
  shell: Shell,
  variables: Variables,
  { platform, environment }: Machine,
): CommandLaunch | undefined => {
  if (!shell.transparent || platform === 'win32') return undefined;
  const [file, ...args] = splitPlainWords(line, variables) ?? [];
  if (file === undefined || file === '' || mayShellRedefine(file, environment)) return undefined;
  return { file, args, by: 'direct' };
};

/** A command line starts without a shell if a shell would not change its meaning and the hook names no shell. */
export const createLaunch = (
  hook: Pick<HookConfig, 'command' | 'args' | 'shell'>,
  variables: Variables,
  machine: Machine,
  { alwaysShell = false } = {},
): CommandLaunch => {
  const { command = '', args } = hook;
  if (args !== undefined) return createArgvLaunch(command, args, variables, machine);
  const shell = selectShell(hook.shell, machine);
  const direct = alwaysShell ? undefined : createDirectLaunch(command, shell, variables, machine);
  if (direct !== undefined) return direct;
  return {
    file: shell.file,
    args: shell.argsFor(writeLineFor(command, shell.kind, variables)),
    by: 'shell',
    ...(shell.verbatim ? { verbatim: true } : {}),
  };
};
