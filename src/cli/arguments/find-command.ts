import { nearest } from '../../kit/index.ts';
import type { Command } from '../command.ts';
import { UsageError } from '../usage-error.ts';
import { type CommandSpec, globalFlags } from './spec.ts';

export interface FoundCommand {
  readonly command: Command;
  /** Global flags from before the command, and the words behind it. */
  readonly words: readonly string[];
}

/** How many words in front are flags; `--cwd` has a value. */
const leadingFlags = (argv: readonly string[]): number => {
  let at = 0;
  while (argv[at]?.startsWith('-')) {
    const name = argv[at]?.replace(/^--/, '');
    at += name !== undefined && Object.hasOwn(globalFlags, name) && name === 'cwd' ? 2 : 1;
  }
  return Math.min(at, argv.length);
};

/** Whether it is another form of a command, with a record of its own: `test --races`. */
export const isForm = ({ name }: Pick<CommandSpec, 'name'>): boolean => name.includes(' --');

const unknown = (name: string, next: string | undefined, commands: readonly Command[]): UsageError => {
  const renamed = [`${name} ${next}`, name].flatMap(
    (former) => commands.find(({ spec }) => spec.formerly === former) ?? [],
  )[0];
  if (renamed !== undefined)
    return new UsageError(
      `"${renamed.spec.formerly}" is now "${renamed.spec.name}"`,
      `hookwright ${renamed.spec.name} --help`,
    );
  const names = commands
    .filter(({ spec }) => !spec.hidden)
    .map(({ spec }) => spec.name)
    .filter((one) => !one.includes(' --'));
  const near = nearest(name, names);
  const message = `there is no command ${JSON.stringify(name)}`;
  return new UsageError(
    near === undefined ? message : `${message}; did you mean "${near}"?`,
    near === undefined ? 'hookwright --help lists all commands' : `hookwright ${near} --help`,
  );
};

const membersOf = (family: string, commands: readonly Command[]): readonly Command[] =>
  commands.filter(({ spec }) => !spec.hidden && !isForm(spec) && spec.name.startsWith(`${family} `));

const helpFlags: readonly string[] = ['--help', '-h'];

/** The commands of a family, where a command line asks for help about it: `task --help`, `help task`. */
export const familyIn = (argv: readonly string[], commands: readonly Command[]): readonly Command[] => {
  const [first, second = '', third] = argv[0] === 'help' ? [argv[1], '--help', argv[2]] : argv;
  if (first === undefined || third !== undefined || !helpFlags.includes(second)) return [];
  return membersOf(first, commands);
};

/** The command a command line asks for; `undefined` when it names none. Throws a `UsageError` for an unknown one. */
export const findCommand = (argv: readonly string[], commands: readonly Command[]): FoundCommand | undefined => {
  const at = leadingFlags(argv);
  const [first, second] = argv.slice(at);
  if (first === undefined) return undefined;
  const before = argv.slice(0, at);
  const group = membersOf(first, commands);
  if (group.length > 0) {
    const command = group.find(({ spec }) => spec.name === `${first} ${second}`);
    if (command !== undefined) return { command, words: [...before, ...argv.slice(at + 2)] };
    const known = group.map(({ spec }) => spec.name).join(', ');
    throw new UsageError(`${first} needs a second word: ${known}`, `hookwright ${group[0]?.spec.name} --help`);
  }
  const command = commands.find(({ spec }) => spec.name === first);
  if (command === undefined) throw unknown(first, second, commands);
  const words = argv.slice(at + 1);
  for (const form of commands.filter(({ spec }) => isForm(spec) && spec.name.startsWith(`${first} `))) {
    const where = words.indexOf(form.spec.name.slice(first.length + 1));
    if (where !== -1) return { command: form, words: [...before, ...words.toSpliced(where, 1)] };
  }
  return { command, words: [...before, ...words] };
};
