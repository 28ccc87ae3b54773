/** The home directory of the user. */
import { homedir, userInfo } from 'node:os';
import { isAbsolute, parse } from 'node:path';

/**
 * The home of this user. `HOME` counts only when it is absolute: empty or relative it would lead into the working
 * directory, and files of a cloned repository would pass for settings and approvals of the user. A user unknown to the
 * machine, as in some containers, has no home: then it is a directory that others cannot write.
 */
export const homeDirectory = (): string => {
  for (const candidate of candidates) {
    try {
      const directory = candidate();
      if (isAbsolute(directory)) return directory;
    } catch {
      // The machine does not know this user; the next one may know more.
    }
  }
  return parse(process.cwd()).root;
};

const candidates: readonly (() => string)[] = [homedir, () => userInfo().homedir];
