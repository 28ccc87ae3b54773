import { accessSync, constants, type Stats, statSync } from 'node:fs';
import { basename, delimiter, isAbsolute, resolve } from 'node:path';
import { type HookConfig, HookType } from '../protocol/settings.ts';
import { launchOf } from './command-line.ts';
import { isInterpreter } from './command-words.ts';
import { ownVariables } from './foreign-environment.ts';
import { inlineProgram } from './script-arguments.ts';
import { plainWords, type Variables } from './shell-words.ts';
import type { Machine } from './shells.ts';

export interface LaunchPlace {
  readonly cwd: string;
  readonly variables: Variables;
  readonly machine: Machine;
}

const statOf = (path: string): Stats | undefined => {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
};

const isExecutable = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

const atPath = (file: string, cwd: string): string => (isAbsolute(file) ? file : resolve(cwd, file));

/** What is wrong with a program named by a path. */
const programByPath = (file: string, cwd: string): string | undefined => {
  const path = atPath(file, cwd);
  const stats = statOf(path);
  if (stats === undefined) return `executable-not-found: ${file} does not exist (looked for ${path})`;
  if (stats.isDirectory()) return `not-executable: ${file} is a directory`;
  return isExecutable(path) ? undefined : `not-executable: ${file} has no execute permission; run chmod +x ${file}`;
};

const programByName = (name: string, searchPath: string | undefined): string | undefined => {
  const places = (searchPath ?? '').split(delimiter).filter((place) => place !== '');
  const found = places.some((place) => {
    const path = resolve(place, name);
    return statOf(path)?.isFile() === true && isExecutable(path);
  });
  return found ? undefined : `executable-not-found: ${name} is on none of the ${places.length} directories of PATH`;
};

const missingScript = ([file = '', ...args]: readonly string[], cwd: string): string | undefined => {
  if (!isInterpreter(file) || inlineProgram(args) !== undefined) return undefined;
  const script = args.find((arg) => !arg.startsWith('-'));
  if (script === undefined || statOf(atPath(script, cwd)) !== undefined) return undefined;
  return `suspect-launch: ${basename(file)} is to run ${script}, which does not exist (looked for ${atPath(script, cwd)})`;
};

/** The first command of a line that a shell reads, as far as it can be made out without being that shell. */
const leadingWords = (line: string, variables: Variables): string[] =>
  plainWords(line.split(/[|&;<>()\n]/, 1)[0] ?? '', variables) ?? [];

/** Words a shell acts on itself; no file of that name is needed. */
const shellOwn =
  /^(?:[.:[]|\w+=.*|if|for|while|until|case|cd|echo|eval|exec|exit|export|printf|read|set|source|test|trap|true|false|umask|unset)$/;

/**
 * Looks at the machine for what would keep a command from doing its work: a program or script that is not there, or may
 * not be executed, or a working directory that is gone. It runs nothing, and says nothing about what it cannot tell.
 */
export const inspectLaunch = (hook: HookConfig, { cwd, variables, machine }: LaunchPlace): string[] => {
  if ((hook.type ?? HookType.Command) !== HookType.Command || hook.command === undefined) return [];
  const directory = hook.cwd === undefined ? cwd : atPath(hook.cwd, cwd);
  if (statOf(directory)?.isDirectory() !== true) {
    return [`executable-not-found: the working directory ${directory} does not exist`];
  }
  const launch = launchOf(hook, variables, machine);
  const words = launch.by === 'direct' ? [launch.file, ...launch.args] : leadingWords(hook.command, variables);
  const searchPath = ownVariables(hook)?.PATH ?? machine.environment.PATH;
  const [program] = words;
  const checks = [
    launch.by === 'shell' ? programOf(launch.file, directory, searchPath) : undefined,
    program === undefined || shellOwn.test(program) ? undefined : programOf(program, directory, searchPath),
    missingScript(words, directory),
  ];
  return checks.filter((warning) => warning !== undefined);
};

const programOf = (file: string, cwd: string, searchPath: string | undefined): string | undefined =>
  /[\\/]/.test(file) ? programByPath(file, cwd) : programByName(file, searchPath);
