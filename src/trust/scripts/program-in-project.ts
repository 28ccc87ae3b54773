/** Finds programs and scripts in the project that hooks of the user's settings start: the project controls them. */
import { isAbsolute } from 'node:path';
import { isSameList, selectDefinedMembers } from '../../kit/index.ts';
import { findRealPath, isWithin, toPathWithin } from '../../kit/node.ts';
import type { AgentHook, HookConfig } from '../../protocol/index.ts';
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

export interface ProjectDirectories {
  readonly projectDir: string;
  readonly cwd: string;
  readonly home: string;
}

/** Replaces common spellings of the project's and the working directory. */
const spelledOut = (line: string, { projectDir, cwd }: ProjectDirectories): string =>
  line
    .replace(/\$\(\s*git rev-parse --show-toplevel\s*\)|`\s*git rev-parse --show-toplevel\s*`/g, () => projectDir)
    .replace(/\$\(\s*pwd\s*\)|`\s*pwd\s*`|\$(?:PWD\b|\{PWD\})/g, () => cwd);

/** Only a shell could resolve these words. */
const isOpen = (word: string): boolean => /[$`]/.test(word);

export interface ProgramsInProject {
  /** The program or script in the project that a hook starts. */
  find(hook: HookConfig, dialect?: AgentHook): string | undefined;
  /** Whether all programs and links still lead to the same place. */
  isCurrent(): boolean;
}

/** Finds programs in the project by the current state of the machine. */
export const programsInProject = (place: ProjectDirectories): ProgramsInProject => {
  const { projectDir, home, cwd } = place;
  const realPathsNow = () => [findRealPath(projectDir) ?? projectDir, findRealPath(home) ?? home] as const;
  const realPaths = realPathsNow();
  const [real, realHome] = realPaths;
  const isSamePlace = (): boolean => isSameList(realPaths, realPathsNow());
  // A project that is or contains the home directory is the user's own.
  if (isWithin(real, realHome)) return { find: () => undefined, isCurrent: isSamePlace };
  const folders = { projectDir, cwd, sessionId: '' };
  const environment: Variables = selectDefinedMembers(process.env);
  const searchPath = pathOutside(process.env.PATH ?? '', projectDir);
  const programs = new Lookup((directoryAndName) => {
    const [directory = '', name = ''] = directoryAndName.split('\0');
    return findProgram(name, directory, searchPath)?.path;
  });
  const inProject = new Lookup(
    (path) =>
      toPathWithin(projectDir, path) !== undefined || toPathWithin(real, findRealPath(path) ?? path) !== undefined,
  );
  const known = knownVariables(folders, {});
  const variablesOf = ({ env }: HookConfig, dialect: AgentHook | undefined): Variables => {
    if (dialect === undefined) return { ...environment, ...env, ...known };
    return { ...environment, ...env, ...knownVariables(folders, {}, { variables: dialect.environment(folders) }) };
  };
  const programFrom = (directory: string, name: string) => programs.get(`${directory}\0${name}`);
  return {
    find: (hook, dialect) => {
      if (hook.command === undefined) return undefined;
      const paths = pathsIn(hook, place, variablesOf(hook, dialect), programFrom);
      const found = paths.find((path) => inProject.get(path));
      return found && shownIn(found, projectDir);
    },
    isCurrent: () => isSamePlace() && programs.isCurrent() && inProject.isCurrent(),
  };
};

/** Looks each name up once, and can check whether the answers are still the same. */
class Lookup<Answer> {
  readonly #look: (name: string) => Answer;
  readonly #known = new Map<string, { readonly answer: Answer }>();

  constructor(look: (name: string) => Answer) {
    this.#look = look;
  }

  get(name: string): Answer {
    const known = this.#known.get(name) ?? { answer: this.#look(name) };
    this.#known.set(name, known);
    return known.answer;
  }

  isCurrent(): boolean {
    return [...this.#known].every(([name, { answer }]) => this.#look(name) === answer);
  }
}

/** The paths of the words of a line, from the directory in which each command starts. */
const pathsIn = (
  hook: HookConfig,
  place: ProjectDirectories,
  variables: Variables,
  programFrom: (directory: string, name: string) => string | undefined,
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
    const found = program.includes('/') ? undefined : programFrom(directory, program);
    const named = filesStartedBy(one).filter((word) => !isOpen(word) && (word !== program || word.includes('/')));
    return [...named.map((word) => at(directory, word)), ...(found === undefined ? [] : [found])];
  });
};

/** A folder named `~` is not the home directory. */
const shownIn = (path: string, projectDir: string): string =>
  toPathWithin(projectDir, path)?.replace(/^~(?=\/)/, './~') ?? path;
