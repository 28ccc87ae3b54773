import { realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, isAbsolute, relative, sep } from 'node:path';

const realPathOf = (path: string): string => {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
};

const isIn = (directory: string, path: string): boolean => {
  const way = relative(directory, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
};

/** Whoever works in the home directory, or above it, has no project apart from what is the user's own. */
const isProject = (projectDir: string): boolean => {
  try {
    const home = homedir();
    return !isAbsolute(home) || !isIn(projectDir, home);
  } catch {
    return true;
  }
};

const known = new Map<string, string>();
const MAX_KNOWN = 100;

/**
 * The entries of PATH that nobody but the user and the system can put a program into: absolute ones outside of the
 * project, as they are written and where they lead.
 */
export const pathOutside = (searchPath: string, projectDir: string): string => {
  const key = `${projectDir}\0${searchPath}`;
  let outside = known.get(key);
  if (outside === undefined) {
    const roots = isProject(projectDir) ? [projectDir, realPathOf(projectDir)] : [];
    const isOutside = (entry: string): boolean =>
      isAbsolute(entry) && !roots.some((root) => isIn(root, entry) || isIn(root, realPathOf(entry)));
    outside = searchPath.split(delimiter).filter(isOutside).join(delimiter);
    if (known.size >= MAX_KNOWN) known.clear();
    known.set(key, outside);
  }
  return outside;
};
