/** Finds the command that a command line names. */
import { findNearestName } from '../../kit/index.ts';
import type { Command } from '../command.ts';
import { UsageError } from '../usage-error.ts';
import type { CommandSpec } from './spec.ts';

const countLeadingFlags = (argv: readonly string[]): number => {
  let at = 0;
  while (argv[at]?.startsWith('-')) at += argv[at] === '--cwd' ? 2 : 1;
  return Math.min(at, argv.length);
};

export const isCommandVariant = ({ name }: Pick<CommandSpec, 'name'>): boolean => name.includes(' --');

const createUnknownCommandError = (
  name: string,
  next: string | undefined,
  commands: readonly Command[],
): UsageError => {
  const specs = commands.map(({ spec }) => spec);
  const formerly = (former: string) => specs.find((spec) => spec.formerly === former);
  const renamed = formerly(`${name} ${next}`) ?? formerly(name);
  if (renamed !== undefined)
    return new UsageError(`"${renamed.formerly}" is now "${renamed.name}"`, `hookwright ${renamed.name} --help`);
  const names = specs.filter((spec) => !spec.hidden && !isCommandVariant(spec)).map((spec) => spec.name);
  const near = findNearestName(name, names);
  const message = `there is no command ${JSON.stringify(name)}`;
  return near === undefined
    ? new UsageError(message, 'hookwright --help lists all commands')
    : new UsageError(`${message}; did you mean "${near}"?`, `hookwright ${near} --help`);
};

const selectCommandFamily = (family: string, commands: readonly Command[]): readonly Command[] =>
  commands.filter(({ spec }) => !spec.hidden && !isCommandVariant(spec) && spec.name.startsWith(`${family} `));

const helpFlags: readonly string[] = ['--help', '-h'];

export const findCommandFamily = (argv: readonly string[], commands: readonly Command[]): readonly Command[] => {
  const [first, second = '', third] = argv[0] === 'help' ? [argv[1], '--help', argv[2]] : argv;
  if (first === undefined || third !== undefined || !helpFlags.includes(second)) return [];
  return selectCommandFamily(first, commands);
};

export const findCommand = (argv: readonly string[], commands: readonly Command[]) => {
  const at = countLeadingFlags(argv);
  const [first, second] = argv.slice(at);
  if (first === undefined) return undefined;
  const before = argv.slice(0, at);
  const group = selectCommandFamily(first, commands);
  if (group.length > 0) {
    const command = group.find(({ spec }) => spec.name === `${first} ${second}`);
    if (command !== undefined) return { command, words: [...before, ...argv.slice(at + 2)] };
    const known = group.map(({ spec }) => spec.name).join(', ');
    throw new UsageError(`${first} needs a second word: ${known}`, `hookwright ${group[0]?.spec.name} --help`);
  }
  const command = commands.find(({ spec }) => spec.name === first);
  if (command === undefined) throw createUnknownCommandError(first, second, commands);
  const words = argv.slice(at + 1);
  for (const form of commands.filter(({ spec }) => isCommandVariant(spec) && spec.name.startsWith(`${first} `))) {
    const where = words.indexOf(form.spec.name.slice(first.length + 1));
    if (where !== -1) return { command: form, words: [...before, ...words.toSpliced(where, 1)] };
  }
  return { command, words: [...before, ...words] };
};
