// Stamps of the files that a command names. If one changes, a process that was started ahead is not used.
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { ProcessRequest } from '../../process/run-process.ts';

export const stampOf = (path: string): string => {
  try {
    // Most words of a line are no files.
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats === undefined) return '';
    const { dev, ino, size, mtimeMs, ctimeMs } = stats;
    return `${dev}:${ino}:${size}:${mtimeMs}:${ctimeMs}`;
  } catch {
    return '';
  }
};

/** Words that may name a file: arguments, and words of a shell line. */
const wordsIn = ({ file, args }: Pick<ProcessRequest, 'file' | 'args'>): string[] =>
  [file, ...args].flatMap((arg) => [arg, ...arg.split(/[\s'"`;|&<>()=]+/)]).filter((word) => word !== '');

/** The files that a command names, and those in its `watch`. */
export const filesOf = (
  request: Pick<ProcessRequest, 'file' | 'args' | 'cwd'>,
  watch: readonly string[] = [],
): string[] => [...new Set([...wordsIn(request), ...watch].map((word) => resolve(request.cwd, word)))];

/** The stamps of all files of a command. If they differ, a process that was started before is outdated. */
export const stampsOf = (...command: Parameters<typeof filesOf>): string =>
  filesOf(...command)
    .map((path) => `${path}=${stampOf(path)}`)
    .join('\n');
