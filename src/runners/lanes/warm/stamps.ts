// Detects changes of the files that a command names, by size, times and inode. A process started before a change is not
// reused.
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { ProcessRequest } from '../../process/run-process.ts';

export const stampOf = (path: string): string => {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats === undefined) return '';
    const { dev, ino, size, mtimeMs, ctimeMs } = stats;
    return `${dev}:${ino}:${size}:${mtimeMs}:${ctimeMs}`;
  } catch {
    return '';
  }
};

/** Words of a shell line may name files too. */
const wordsIn = ({ file, args }: Pick<ProcessRequest, 'file' | 'args'>): string[] =>
  [file, ...args].flatMap((arg) => [arg, ...arg.split(/[\s'"`;|&<>()=]+/)]).filter((word) => word !== '');

export const filesOf = (
  request: Pick<ProcessRequest, 'file' | 'args' | 'cwd'>,
  watch: readonly string[] = [],
): string[] => [...new Set([...wordsIn(request), ...watch].map((word) => resolve(request.cwd, word)))];

export const stampsOf = (...command: Parameters<typeof filesOf>): string =>
  filesOf(...command)
    .map((path) => `${path}=${stampOf(path)}`)
    .join('\n');
