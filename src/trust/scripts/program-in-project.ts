/** Finds the program or script of a user's hook that lies in the project: it is the project's. */
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
import { findProgram, leadsInto } from './programs.ts';

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

/** Where the words of a line lead, from the directory in which each command starts. */
const pathsIn = (hook: HookConfig, place: InProject, variables: Variables): string[] => {
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
  const searchPath = pathOutside(process.env.PATH ?? '', place.projectDir);
  return commands.flatMap((one) => {
    const [program = '', to] = one.words;
    if (program === 'cd' && to !== undefined && !isOpen(to)) {
      directory = at(directory, to);
      return [];
    }
    const found = program.includes('/') ? undefined : findProgram(program, directory, searchPath);
    const named = filesStartedBy(one).filter((word) => !isOpen(word) && (word !== program || word.includes('/')));
    return [...named.map((word) => at(directory, word)), ...(found === undefined ? [] : [found.path])];
  });
};

/** The path of what it starts in the project; `undefined` if all of that lies elsewhere. */
export const programInProject = (hook: HookConfig, place: InProject, dialect?: HookDialect): string | undefined => {
  const { projectDir, home, cwd } = place;
  // A project that is the home directory, or contains it, is the user's own.
  if (hook.command === undefined || isWithin(realPathOf(projectDir) ?? projectDir, realPathOf(home) ?? home)) {
    return undefined;
  }
  const folders = { projectDir, cwd, sessionId: '' };
  const environment = Object.entries(process.env).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  const variables = {
    ...Object.fromEntries(environment),
    ...hook.env,
    ...knownVariables(folders, {}, dialect && { variables: dialect.environment(folders) }),
  };
  const found = pathsIn(hook, place, variables).find((path) =>
    leadsInto(projectDir, { path, realPath: realPathOf(path) ?? path }),
  );
  return found && (within(projectDir, found) ?? found);
};
