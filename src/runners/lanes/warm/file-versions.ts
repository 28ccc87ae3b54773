// Detects by size, times and inode whether files that a command names have changed since its process was started.
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { attempt } from '../../../kit/index.ts';
import type { ProcessRequest } from '../../process/run-process.ts';

/** Differs after each change of the file. Empty if the file does not exist. */
export const readFileVersion = (path: string): string => {
  const stats = attempt(() => statSync(path, { throwIfNoEntry: false }));
  return stats === undefined ? '' : [stats.dev, stats.ino, stats.size, stats.mtimeMs, stats.ctimeMs].join(':');
};

const listWords = ({ file, args }: Pick<ProcessRequest, 'file' | 'args'>): string[] =>
  [file, ...args].flatMap((arg) => [arg, ...arg.split(/[\s'"`;|&<>()=]+/)]).filter((word) => word !== '');

export const listNamedFiles = (
  request: Pick<ProcessRequest, 'file' | 'args' | 'cwd'>,
  watch: readonly string[] = [],
): string[] => [...new Set([...listWords(request), ...watch].map((word) => resolve(request.cwd, word)))];

export const readFileVersions = (...command: Parameters<typeof listNamedFiles>): string =>
  listNamedFiles(...command)
    .map((path) => `${path}=${readFileVersion(path)}`)
    .join('\n');
