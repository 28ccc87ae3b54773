import { delimiter, isAbsolute, join } from 'node:path';
import { homeDirectory, isSeenByEachAlone, isWithin, realPathOf } from '../../kit/node.ts';

/** In the home directory, or above it, there is no project apart from what is the user's own. */
const isProject = (projectDir: string): boolean => {
  const home = homeDirectory();
  return !isWithin(projectDir, home);
};

/**
 * Says of absolute paths whether they are outside of a project, as they are written and where they lead. What leads every process
 * elsewhere may lead a hook into it.
 */
export const outsideOfProject = (projectDir: string): ((path: string) => boolean) => {
  const roots = isProject(projectDir) ? [projectDir, realPathOf(projectDir) ?? projectDir] : [];
  return (path) => {
    const realPath = realPathOf(path) ?? path;
    if (roots.some((root) => isWithin(root, path) || isWithin(root, realPath))) return false;
    return roots.length === 0 || !isSeenByEachAlone(path, realPath);
  };
};

const known = new Map<string, string>();
const MAX_KNOWN = 100;

/** What scripts are read by: an entry in which one of them is a link into the project is one of the project's. */
const interpreters = ['sh', 'bash', 'dash', 'node', 'python', 'python3'];

/** The entries of PATH that only the user and the system can put a program into: absolute ones outside of the project. */
export const pathOutside = (searchPath: string, projectDir: string): string => {
  const key = `${projectDir}\0${searchPath}`;
  let outside = known.get(key);
  if (outside === undefined) {
    const outsideOf = outsideOfProject(projectDir);
    outside = searchPath
      .split(delimiter)
      .filter((entry) => isAbsolute(entry) && outsideOf(entry))
      .filter((entry) => interpreters.every((name) => outsideOf(join(entry, name))))
      .join(delimiter);
    if (known.size >= MAX_KNOWN) known.clear();
    known.set(key, outside);
  }
  return outside;
};
