/** Finds programs and scripts of a user's hooks that lie in the project: they are the project's. */
import { isAbsolute } from 'node:path';
import { isWithin, realPathOf, within } from '../../kit/node.ts';
import type { HookConfig, HookDialect } from '../../protocol/index.ts';
import {
  commandsIn,
  commandsOf,
  expandPlainly,
  filesStartedBy,
  knownVariables,
  pathOutside,
  type Variables,
} from '../../runners/process-api.ts';
import { findProgram } from './programs.ts';

export interface InProject {
  readonly projectDir: string;
  readonly cwd: string;
  readonly home: string;
}

/** The ways in which people write where they are, as what they stand for. */
const spelledOut = (line: string, { projectDir, cwd }: InProject): string =>
  line
    .replace(/\$\(\s*git rev-parse --show-toplevel\s*\)|`\s*git rev-parse --show-toplevel\s*`/g, () => projectDir)
    .replace(/\$\(\s*pwd\s*\)|`\s*pwd\s*`|\$(?:PWD\b|\{PWD\})/g, () => cwd);

/** A path that only a shell could tell is not guessed. */
const isOpen = (word: string): boolean => /[$`]/.test(word);

/** The answers of a look at the machine, so that what many hooks name is looked for once. */
const remembered = <Key extends string, Answer>(look: (key: Key) => Answer): ((key: Key) => Answer) => {
  const known = new Map<Key, { readonly answer: Answer }>();
  return (key) => {
    const found = known.get(key) ?? { answer: look(key) };
    known.set(key, found);
    return found.answer;
  };
};

/** Tells of a user's hooks which program or script that they start lies in the project, as the machine is at this moment. */
export const programsInProject = (
  place: InProject,
): ((hook: HookConfig, dialect?: HookDialect) => string | undefined) => {
  const { projectDir, home, cwd } = place;
  const real = realPathOf(projectDir) ?? projectDir;
  // A project that is the home directory, or contains it, is the user's own.
  if (isWithin(real, realPathOf(home) ?? home)) return () => undefined;
  const folders = { projectDir, cwd, sessionId: '' };
  const set = Object.entries(process.env).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  const environment: Variables = Object.fromEntries(set);
  const searchPath = pathOutside(process.env.PATH ?? '', projectDir);
  const programsFrom = remembered((directory) => remembered((name) => findProgram(name, directory, searchPath)?.path));
  const isInProject = remembered(
    (path) => within(projectDir, path) !== undefined || within(real, realPathOf(path) ?? path) !== undefined,
  );
  const known = knownVariables(folders, {});
  const variablesOf = ({ env }: HookConfig, dialect: HookDialect | undefined): Variables => {
    if (dialect === undefined) return { ...environment, ...env, ...known };
    return { ...environment, ...env, ...knownVariables(folders, {}, { variables: dialect.environment(folders) }) };
  };
  return (hook, dialect) => {
    if (hook.command === undefined) return undefined;
    const found = pathsIn(hook, place, variablesOf(hook, dialect), programsFrom).find(isInProject);
    return found && shownIn(found, projectDir);
  };
};

/** Where the words of a line lead, from the directory in which each command starts. */
const pathsIn = (
  hook: HookConfig,
  place: InProject,
  variables: Variables,
  programsFrom: (directory: string) => (name: string) => string | undefined,
): string[] => {
  const { command = '', args } = hook;
  const at = (directory: string, word: string): string => {
    const path = args === undefined ? word.replace(/^~(?=\/|$)/, () => place.home) : word;
    return isAbsolute(path) ? path : `${directory}/${path}`;
  };
  const commands =
    args === undefined
      ? commandsIn(spelledOut(command, place), variables)
      : commandsOf(
          [command, ...args].map((word) => expandPlainly(word, variables)),
          variables,
        );
  let directory = at(place.cwd, expandPlainly(hook.cwd ?? '', variables));
  return commands.flatMap((one) => {
    const [program = '', to] = one.words;
    if (program === 'cd' && to !== undefined && !isOpen(to)) {
      directory = at(directory, to);
      return [];
    }
    const found = program.includes('/') ? undefined : programsFrom(directory)(program);
    const named = filesStartedBy(one).filter((word) => !isOpen(word) && (word !== program || word.includes('/')));
    return [...named.map((word) => at(directory, word)), ...(found === undefined ? [] : [found])];
  });
};

/** A folder named `~` is not the home directory. */
const shownIn = (path: string, projectDir: string): string =>
  within(projectDir, path)?.replace(/^~(?=\/)/, './~') ?? path;
