// Checks a hook's command without running it: missing programs and scripts, permissions, quoting, line endings.
import { type Stats, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, resolve, sep } from 'node:path';
import { attempt } from '../../kit/index.ts';
import { findInterpreter, findProgram, isExecutable, readBeginningText, splitSearchPath } from '../../kit/node.ts';
import { getOrigin, type HookConfig, HookType, type Notice, notice } from '../../protocol/index.ts';
import { createLaunch } from '../command/command-line.ts';
import { findInlineProgram, isInterpreter } from '../command/command-words.ts';
import { getOwnVariables } from '../command/foreign-environment.ts';
import { expandPlainly, splitPlainWords, type Variables } from '../command/shell-words.ts';
import type { Machine } from '../shells.ts';

export interface LaunchContext {
  readonly cwd: string;
  readonly variables: Variables;
  readonly machine: Machine;
}

const readStat = (path: string): Stats | undefined => attempt(() => statSync(path));

const resolvePath = (file: string, cwd: string): string => (isAbsolute(file) ? file : resolve(cwd, file));

const fileExists = (file: string, cwd: string): boolean => readStat(resolvePath(file, cwd)) !== undefined;

const describeSearch = (named: string, path: string): string => (named === path ? '' : ` (looked for ${path})`);

const missingProgramFix = { fix: 'correct the command, or create the program' };

const checkProgramByPath = (file: string, cwd: string): Notice | undefined => {
  const path = resolvePath(file, cwd);
  const stats = readStat(path);
  if (stats === undefined) {
    return notice('executable-not-found', `${file} does not exist${describeSearch(file, path)}`, missingProgramFix);
  }
  if (stats.isDirectory())
    return notice('not-executable', `${file} is a directory`, { fix: 'name an executable program' });
  return isExecutable(path)
    ? undefined
    : notice('not-executable', `${file} has no execute permission`, { fix: `run chmod +x ${file}` });
};

const checkProgramByName = (name: string, searchPath: string | undefined): Notice | undefined => {
  const directories = splitSearchPath(searchPath);
  return findProgram(name, directories) !== undefined
    ? undefined
    : notice('executable-not-found', `${name} is in none of the ${directories.length} directories of PATH`, {
        fix: 'correct the command, or install the program',
      });
};

const findGivenScript = ([file = '', ...args]: readonly string[]): string | undefined =>
  !isInterpreter(file) || findInlineProgram(args, basename(file)) !== undefined
    ? undefined
    : args.find((arg) => !arg.startsWith('-') && arg !== 'run');

const checkScriptExists = (words: readonly string[], cwd: string): Notice | undefined => {
  const [file = ''] = words;
  const script = findGivenScript(words);
  if (script === undefined || fileExists(script, cwd)) return undefined;
  const message = `${basename(file)} runs ${script}, which does not exist${describeSearch(script, resolvePath(script, cwd))}`;
  return notice('suspect-launch', message, { fix: 'correct the path of the script, or create the script' });
};

const INPUT_FIELDS = ['tool_input', 'tool_response'] as const;

const foldFieldName = (name: string): string => name.replaceAll('_', '').toLowerCase();

const findMisnamedFields = (scriptName: string, text: string): Notice[] =>
  INPUT_FIELDS.flatMap((field) => {
    if (text.includes(field)) return [];
    const other = text.match(/[A-Za-z_]\w*/g)?.find((word) => foldFieldName(word).endsWith(foldFieldName(field)));
    const message = `${scriptName} names ${other} and never ${field}`;
    return other === undefined
      ? []
      : [notice('unknown-name', message, { fix: `read ${field} from the JSON that the hook gets on stdin` })];
  });

const checkScript = (
  words: readonly string[],
  { cwd, searchPath, isOurs }: { cwd: string; searchPath: string | undefined; isOurs: boolean },
): Notice[] => {
  const [program = ''] = words;
  const given = findGivenScript(words);
  const named = given ?? (/[\\/]/.test(program) ? program : undefined);
  if (named === undefined) return [];
  const isGivenToShell = given !== undefined && isShell(program);
  const text = readBeginningText(resolvePath(named, cwd));
  const script = { named, isStarted: given === undefined, isGivenToShell, text };
  const isThere = (interpreter: string): boolean =>
    isAbsolute(interpreter)
      ? readStat(interpreter) !== undefined
      : findProgram(interpreter, splitSearchPath(searchPath)) !== undefined;
  return [
    ...listScriptProblems(script, isThere).map(({ what, fix }) => notice('bad-script', what, { fix })),
    ...(isOurs ? findMisnamedFields(named, text ?? '') : []),
  ];
};

const listLeadingWords = (line: string, variables: Variables, home: string | undefined): string[] => {
  const command = line.split(/[|&;<>()\n]/, 1)[0] ?? '';
  if (home === undefined) return splitPlainWords(command, variables) ?? [];
  return splitPlainWords(command.replace(/(?<=^|\s)~(?=\/)/g, '$$HOME'), { ...variables, HOME: home }) ?? [];
};

const shellBuiltinPattern =
  /^(?:[.:[]|\w+=.*|if|for|while|until|case|cd|echo|eval|exec|exit|export|printf|read|set|source|test|trap|true|false|umask|unset)$/;

/** The path has spaces but no quotes, so the shell takes its first word as the program. */
const findUnquotedPath = (words: readonly string[], cwd: string): Notice | undefined => {
  const script = findGivenScript(words);
  const from = script === undefined ? 0 : words.indexOf(script);
  const [first = ''] = words.slice(from);
  if (first === '' || fileExists(first, cwd)) return undefined;
  const parts = words.slice(from).map((_, index, rest) => rest.slice(0, index + 1).join(' '));
  const path = parts.find((part, index) => index > 0 && fileExists(part, cwd));
  if (path === undefined) return undefined;
  const line = [...words.slice(0, from), `'${path}'`, ...words.slice(from + path.split(' ').length)].join(' ');
  const message = `${first} does not exist; ${path} does, and a path with blanks needs quotes`;
  return notice('executable-not-found', message, { fix: `write "command": ${JSON.stringify(line)}` });
};

/** POSIX shells treat the backslashes in a path as escapes. */
const findBackslashes = (line: string, cwd: string): Notice | undefined => {
  const path = /(?:^|[\s"])((?:[\w.~-]*\\)+[\w.-]+)/.exec(line)?.[1];
  if (path === undefined || fileExists(path, cwd)) return undefined;
  const meant = path.replaceAll('\\', '/');
  const written = meant.includes('/') && !/^[.~/]/.test(meant) ? `./${meant}` : meant;
  if (!fileExists(meant, cwd)) return undefined;
  const message = `${path} is written with backslashes, which do not separate directories on this system`;
  return notice('executable-not-found', message, {
    fix: `write "command": ${JSON.stringify(line.replace(path, () => written))}`,
  });
};

interface Misreading {
  readonly why: string;
  readonly from: string;
  readonly to: string;
}

/** No shell replaces a `~` that is quoted or in `args`. */
const readHomePath = (named: string, { args }: HookConfig): Misreading | undefined => {
  if (!named.startsWith('~/')) return undefined;
  const why = args === undefined ? 'in quotes ~ is not replaced' : 'no shell replaces ~ in a command with args';
  return { why, from: '~/', to: '$HOME/' };
};

/** Shells do not expand variables in single quotes. */
const readVariablePath = (named: string, { command = '' }: HookConfig, at: LaunchContext): Misreading | undefined => {
  const variables = { ...at.machine.environment, ...at.variables };
  const from = `'${named}'`;
  const isThere = named.includes('$') && fileExists(expandPlainly(named, variables), at.cwd);
  return isThere && command.includes(from)
    ? { why: 'in single quotes a variable is not replaced', from, to: `"${named}"` }
    : undefined;
};

/** The path is relative to the settings file instead of the working directory. */
const findPathMeantFromSettingsFile = (
  named: string,
  hook: HookConfig,
  { variables, machine }: LaunchContext,
): Misreading | undefined => {
  const file = getOrigin(hook)?.position?.file;
  if (file === undefined || isAbsolute(named) || hook.cwd !== undefined) return undefined;
  const path = resolve(dirname(file), named);
  if (!fileExists(path, '')) return undefined;
  const bases = { HOOKWRIGHT_PROJECT_DIR: variables.HOOKWRIGHT_PROJECT_DIR, HOME: machine.environment.HOME };
  const below = Object.entries(bases).find(([, base]) => base !== undefined && path.startsWith(`${base}${sep}`));
  const to = below === undefined ? path : `$${below[0]}${path.slice(below[1]?.length)}`;
  return { why: 'a path begins at the working directory, not beside the settings', from: named, to };
};

const findMisreading = (words: readonly string[], hook: HookConfig, place: LaunchContext): Notice | undefined => {
  const { args, command = '' } = hook;
  const [program = ''] = words;
  const named = findGivenScript(words) ?? program;
  if (!/[\\/]/.test(named) || fileExists(named, place.cwd)) return undefined;
  const reading =
    readHomePath(named, hook) ??
    readVariablePath(named, hook, place) ??
    findPathMeantFromSettingsFile(named, hook, place);
  if (reading === undefined) return undefined;
  const { why, from, to } = reading;
  const changed = (text: string): string => text.replace(from, () => to);
  const fix =
    args === undefined || named === program
      ? `"command": ${JSON.stringify(changed(command))}`
      : `"args": ${JSON.stringify(args.map((arg) => (arg === named ? changed(arg) : arg)))}`;
  return notice('executable-not-found', `${named} does not exist: ${why}`, { fix: `write ${fix}` });
};

export const inspectLaunch = (hook: HookConfig, { cwd, variables, machine }: LaunchContext): Notice[] => {
  if ((hook.type ?? HookType.Command) !== HookType.Command || hook.command === undefined) return [];
  const directory = hook.cwd === undefined ? cwd : resolvePath(hook.cwd, cwd);
  if (readStat(directory)?.isDirectory() !== true) {
    return [notice('executable-not-found', `the working directory ${directory} does not exist`, missingProgramFix)];
  }
  const launch = createLaunch(hook, variables, machine);
  const { PATH: searchPath, HOME: home } = { ...machine.environment, ...getOwnVariables(hook) };
  const words =
    launch.by === 'direct' ? [launch.file, ...launch.args] : listLeadingWords(hook.command, variables, home);
  const [program] = words;
  const slip =
    findMisreading(words, hook, { cwd: directory, variables, machine }) ??
    (machine.platform === 'win32' ? undefined : findBackslashes(hook.command, directory)) ??
    findUnquotedPath(words, directory);
  if (slip !== undefined) return [slip];
  const checks = [
    launch.by === 'shell' ? findProgramName(launch.file, directory, searchPath) : undefined,
    program === undefined || shellBuiltinPattern.test(program)
      ? undefined
      : findProgramName(program, directory, searchPath),
    checkScriptExists(words, directory),
    ...(machine.platform === 'win32'
      ? []
      : checkScript(words, { cwd: directory, searchPath, isOurs: getOrigin(hook)?.dialect === undefined })),
  ];
  return checks.filter((warning) => warning !== undefined);
};

const findProgramName = (file: string, cwd: string, searchPath: string | undefined): Notice | undefined =>
  /[\\/]/.test(file) ? checkProgramByPath(file, cwd) : checkProgramByName(file, searchPath);

export interface Script {
  readonly named: string;
  readonly isStarted: boolean;
  readonly isGivenToShell: boolean;
  readonly text?: string | undefined;
}

interface ScriptProblem {
  readonly what: string;
  readonly why?: string;
  readonly fix: string;
}

export const isShell = (program: string): boolean => /^(?:ba|da|z|k)?sh$/.test(basename(program));

const isForShell = ({ text, named, isGivenToShell }: Script): boolean => {
  const interpreter = findInterpreter(text);
  if (interpreter !== undefined) return isShell(interpreter);
  return isGivenToShell || named.endsWith('.sh');
};

const checkLineEnds = (script: Script): ScriptProblem[] => {
  const { text = '', named, isStarted } = script;
  const firstLine = /^\ufeff?#![^\n]*\r\n/.test(text) && isStarted;
  if (!firstLine && !(text.includes('\r\n') && isForShell(script))) return [];
  return [
    {
      what: `${named} has Windows line endings (CRLF)`,
      why: firstLine
        ? 'The carriage return becomes part of the interpreter’s name, so the interpreter is not found.'
        : 'For a shell, the carriage return is part of the last word of each line.',
      fix: `run sed -i 's/\\r$//' ${named}, and write *.sh text eol=lf into .gitattributes`,
    },
  ];
};

const checkByteOrderMark = ({ text, named, isStarted }: Script): ScriptProblem[] => {
  if (text?.startsWith('\ufeff') !== true || !isStarted) return [];
  const what = `${named} begins with a byte order mark`;
  const why = 'The system does not find the #! after it.';
  return [{ what, why, fix: 'store it as UTF-8 without a byte order mark' }];
};

const findInterpreterTrouble = (
  { text, named, isStarted }: Script,
  isThere: (program: string) => boolean,
): ScriptProblem[] => {
  const program = isStarted ? findInterpreter(text) : undefined;
  if (program === undefined || isThere(program)) return [];
  const where = isAbsolute(program) ? 'does not exist' : 'is not in PATH';
  const what = `the first line of ${named} names ${program}, which ${where}`;
  return [{ what, fix: `install ${basename(program)}, or name another program` }];
};

export const listScriptProblems = (script: Script, isThere: (program: string) => boolean): ScriptProblem[] => [
  ...checkLineEnds(script),
  ...checkByteOrderMark(script),
  ...findInterpreterTrouble(script, isThere),
];
