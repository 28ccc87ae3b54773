import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { ProcessRequest } from '../../process/run-process.ts';

const stampOf = (path: string): string => {
  try {
    const { dev, ino, size, mtimeMs, ctimeMs } = statSync(path);
    return `${dev}:${ino}:${size}:${mtimeMs}:${ctimeMs}`;
  } catch {
    return '';
  }
};

/** Words that may name a file: those of argv, and within a line for a shell whatever stands between blanks and quotes. */
const wordsIn = ({ file, args }: Pick<ProcessRequest, 'file' | 'args'>): string[] =>
  [file, ...args].flatMap((arg) => [arg, ...arg.split(/[\s'"`;|&<>()=]+/)]).filter((word) => word !== '');

/**
 * What can be told of the files that a command names and of those it is said to depend on: should any of them be another
 * one, a process that was started before is no longer what the hook means.
 */
export const stampsOf = (
  request: Pick<ProcessRequest, 'file' | 'args' | 'cwd'>,
  watch: readonly string[] = [],
): string => {
  const paths = [...new Set([...wordsIn(request), ...watch].map((word) => resolve(request.cwd, word)))];
  return paths.map((path) => `${path}=${stampOf(path)}`).join('\n');
};
