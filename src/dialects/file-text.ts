import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';

/** What an agent that hands over the content of a file would still hand over. */
const MAX_BYTES = 1_048_576;

/** The beginning of a regular file; nothing where there is none that can be read. */
export const fileText = (path: string): string => {
  try {
    // A pipe would be waited for.
    if (!statSync(path).isFile()) return '';
    const file = openSync(path, 'r');
    try {
      const bytes = Buffer.alloc(Math.min(fstatSync(file).size, MAX_BYTES));
      return bytes.toString('utf8', 0, readSync(file, bytes, 0, bytes.length, 0));
    } finally {
      closeSync(file);
    }
  } catch {
    // What the hook reads is the agent's word for a file that is not there, too.
    return '';
  }
};
