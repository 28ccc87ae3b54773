import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { ProcessRequest } from '../../process/run-process.ts';

/** What says that a file is another one than it was; nothing where there is none. */
export const stampOf = (path: string): string => {
  try {
    // What a word of a line names is mostly no file.
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats === undefined) return '';
    const { dev, ino, size, mtimeMs, ctimeMs } = stats;
    return `${dev}:${ino}:${size}:${mtimeMs}:${ctimeMs}`;
  } catch {
    return '';
  }
};

/** Words that may name a file: those of argv, and within a line for a shell whatever stands between blanks and quotes. */
const wordsIn = ({ file, args }: Pick<ProcessRequest, 'file' | 'args'>): string[] =>
  [file, ...args].flatMap((arg) => [arg, ...arg.split(/[\s'"`;|&<>()=]+/)]).filter((word) => word !== '');

/** The files that a command names, and those it is said to depend on. */
export const filesOf = (
  request: Pick<ProcessRequest, 'file' | 'args' | 'cwd'>,
  watch: readonly string[] = [],
): string[] => [...new Set([...wordsIn(request), ...watch].map((word) => resolve(request.cwd, word)))];

/**
 * What can be told of the files of a command: should any of them be another one, a process that was started before is no
 * longer what the hook means.
 */
export const stampsOf = (...command: Parameters<typeof filesOf>): string =>
  filesOf(...command)
    .map((path) => `${path}=${stampOf(path)}`)
    .join('\n');
