// The home directory of the user.
import { homedir, userInfo } from 'node:os';
import { isAbsolute, parse } from 'node:path';

/**
 * The home directory of this user. An empty or relative `HOME` is ignored: it would lead into the working directory,
 * and files of a cloned repository would count as settings and approvals of the user. A user unknown to the machine, as
 * in some containers, gets a directory that others cannot write.
 */
export const homeDirectory = (): string => {
  for (const candidate of candidates) {
    try {
      const directory = candidate();
      if (isAbsolute(directory)) return directory;
    } catch {
      // The machine does not know this user.
    }
  }
  return parse(process.cwd()).root;
};

const candidates: readonly (() => string)[] = [homedir, () => userInfo().homedir];
