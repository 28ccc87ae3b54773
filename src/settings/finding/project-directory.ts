import { access } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** What a project has at its top, and nothing below it. */
const marks = [join('.hookwright', 'settings.json'), join('.gemini', 'settings.json'), '.git'];

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

/**
 * The nearest directory above `cwd`, or itself, that has settings or is a repository; `cwd` when there is none. `more` are
 * files of other agents whose hooks are read besides. The search
 * ends below the home directory: what is there are the settings of the user, not of a project.
 */
export const findProjectDirectory = async (
  cwd: string,
  homes: readonly string[],
  more: readonly string[] = [],
): Promise<string> => {
  for (let directory = cwd; !homes.includes(directory); directory = dirname(directory)) {
    const found = await Promise.all([...marks, ...more].map((mark) => exists(join(directory, mark))));
    if (found.includes(true)) return directory;
    if (directory === dirname(directory)) break;
  }
  return cwd;
};
