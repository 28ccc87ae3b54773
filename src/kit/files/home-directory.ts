// Finds the user's home directory.
import { homedir, userInfo } from 'node:os';
import { isAbsolute, parse } from 'node:path';

/**
 * An empty or relative `HOME` is ignored. It would point into the working directory, so a cloned repository could
 * provide user settings and approvals. Without any home directory (some containers) the root directory is used, which
 * others cannot write.
 */
export const findHomeDirectory = (): string => {
  for (const candidate of homeDirectoryCandidates) {
    try {
      const directory = candidate();
      if (isAbsolute(directory)) return directory;
    } catch {
      // The system does not know this user.
    }
  }
  return parse(process.cwd()).root;
};

const homeDirectoryCandidates: readonly (() => string)[] = [homedir, () => userInfo().homedir];
