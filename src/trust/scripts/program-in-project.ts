/** Finds programs and scripts in the project that hooks of the user start: a repository could replace them. */
import { isAbsolute } from 'node:path';
import { isSameList, omitUndefined } from '../../kit/index.ts';
import { findRealPath, isWithin, toPathWithin } from '../../kit/node.ts';
import type { AgentHook, HookConfig } from '../../protocol/index.ts';
import {
  expandPlainly,
  listCommands,
  listStartedFiles,
  parseCommands,
  removeProjectFromPath,
  selectKnownVariables,
  type Variables,
} from '../../runners/process-api.ts';
import { findProgram } from './programs.ts';

export interface ProjectDirectories {
  readonly projectDir: string;
  readonly cwd: string;
  readonly home: string;
}

const expandDirectories = (line: string, { projectDir, cwd }: ProjectDirectories): string =>
  line
    .replace(/\$\(\s*git rev-parse --show-toplevel\s*\)|`\s*git rev-parse --show-toplevel\s*`/g, () => projectDir)
    .replace(/\$\(\s*pwd\s*\)|`\s*pwd\s*`|\$(?:PWD\b|\{PWD\})/g, () => cwd);

const needsShell = (word: string): boolean => /[$`]/.test(word);

export interface ProjectProgramFinder {
  find(hook: HookConfig, dialect?: AgentHook): string | undefined;
  isCurrent(): boolean;
}

export const createProjectProgramFinder = (place: ProjectDirectories): ProjectProgramFinder => {
  const { projectDir, home, cwd } = place;
  const realPathsNow = () => [findRealPath(projectDir) ?? projectDir, findRealPath(home) ?? home] as const;
  const realPaths = realPathsNow();
  const [real, realHome] = realPaths;
  const isSamePlace = (): boolean => isSameList(realPaths, realPathsNow());
  // A project that is or contains the home directory is the user's own.
  if (isWithin(real, realHome)) return { find: () => undefined, isCurrent: isSamePlace };
  const folders = { projectDir, cwd, sessionId: '' };
  const environment: Variables = omitUndefined(process.env);
  const searchPath = removeProjectFromPath(process.env.PATH ?? '', projectDir);
  const programs = new CachedLookup((directoryAndName) => {
    const [directory = '', name = ''] = directoryAndName.split('\0');
    return findProgram(name, directory, searchPath)?.path;
  });
  const inProject = new CachedLookup(
    (path) =>
      toPathWithin(projectDir, path) !== undefined || toPathWithin(real, findRealPath(path) ?? path) !== undefined,
  );
  const variablesOf = ({ env }: HookConfig, dialect: AgentHook | undefined): Variables => {
    const agent = dialect && { variables: dialect.environment(folders) };
    return { ...environment, ...env, ...selectKnownVariables(folders, {}, agent) };
  };
  const programFrom = (directory: string, name: string) => programs.get(`${directory}\0${name}`);
  return {
    find: (hook, dialect) => {
      if (hook.command === undefined) return undefined;
      const paths = findStartedPaths(hook, place, variablesOf(hook, dialect), programFrom);
      const found = paths.find((path) => inProject.get(path));
      return found && toShownPath(found, projectDir);
    },
    isCurrent: () => isSamePlace() && programs.isCurrent() && inProject.isCurrent(),
  };
};

class CachedLookup<Answer> {
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

const findStartedPaths = (
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
      ? parseCommands(expandDirectories(command, place), variables)
      : listCommands(
          [command, ...args].map((word) => expandPlainly(word, variables)),
          variables,
        );
  let directory = at(place.cwd, expandPlainly(hook.cwd ?? '', variables));
  return commands.flatMap((one) => {
    const [program = '', to] = one.words;
    if (program === 'cd' && to !== undefined && !needsShell(to)) {
      directory = at(directory, to);
      return [];
    }
    const found = program.includes('/') ? undefined : programFrom(directory, program);
    const named = listStartedFiles(one).filter((word) => !needsShell(word) && (word !== program || word.includes('/')));
    return [...named.map((word) => at(directory, word)), ...(found === undefined ? [] : [found])];
  });
};

/** Shows a path in a folder named `~` as `./~/…`, because it is not in the home directory. */
const toShownPath = (path: string, projectDir: string): string =>
  toPathWithin(projectDir, path)?.replace(/^~(?=\/)/, './~') ?? path;
