import type { Stats } from 'node:fs';
import { type FileHandle, lstat, realpath } from 'node:fs/promises';
import { describeThrown } from '../../kit/index.ts';
import { codeOf, isMissing, openRegular } from '../../kit/node.ts';
import type { Notice } from '../../protocol/index.ts';
import { decode } from '../../runners/commands.ts';
import { MAX_FILE_BYTES } from './limits.ts';

/** What came of opening a file: its text, nothing there, or why it is left alone. */
export type FileContent =
  | {
      readonly kind: 'text';
      readonly text: string;
      readonly realPath: string;
      readonly stats: Stats;
      readonly warnings: readonly Notice[];
    }
  | { readonly kind: 'missing' }
  | { readonly kind: 'unusable'; readonly message: string };

const unusable = (message: string): FileContent => ({ kind: 'unusable', message });

const whyNotOpened: Readonly<Record<string, string>> = {
  ELOOP: 'is a symbolic link to itself; replace it with a file',
  EACCES: 'cannot be read by this user; change its permissions',
  EPERM: 'cannot be read by this user; change its permissions',
  ENXIO: 'is not a regular file; replace it with one',
};

const attempts = 3;

/** Reads as many bytes as the file is said to have, and notices when it changes meanwhile. */
const readExactly = async (file: FileHandle, size: number): Promise<Buffer | undefined> => {
  // One byte more, to see that there is no more.
  const buffer = Buffer.allocUnsafe(size + 1);
  let length = 0;
  for (;;) {
    const { bytesRead } = await file.read(buffer, length, buffer.length - length, length);
    if (bytesRead === 0) break;
    length += bytesRead;
    if (length > size) return undefined;
  }
  return length === size ? buffer.subarray(0, size) : undefined;
};

/** Why what was opened is not read, if so. */
export const whyNotRegular = (stats: Stats): string | undefined => {
  if (stats.isDirectory()) return 'is a directory; a file is expected here';
  if (!stats.isFile()) return 'is not a regular file; replace it with one';
  return stats.size > MAX_FILE_BYTES ? `has ${stats.size} bytes; at most ${MAX_FILE_BYTES} are read` : undefined;
};

/** What an error of opening or reading says to people. */
export const whyNotRead = (error: unknown): string =>
  whyNotOpened[codeOf(error) ?? ''] ?? `cannot be read: ${describeThrown(error)}`;

const readSteady = async (file: FileHandle): Promise<Buffer | string> => {
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const before = await file.stat();
    const problem = whyNotRegular(before);
    if (problem !== undefined) return problem;
    const bytes = await readExactly(file, before.size);
    const after = await file.stat();
    if (bytes !== undefined && after.size === before.size && after.mtimeMs === before.mtimeMs) return bytes;
  }
  return 'changes while it is read; it is read again with the next reload';
};

/** A link that leads nowhere is a mistake worth a word; a file that is not there is none. */
const missing = async (path: string): Promise<FileContent> => {
  try {
    if ((await lstat(path)).isSymbolicLink()) return unusable('is a symbolic link that leads nowhere');
  } catch {
    return { kind: 'missing' };
  }
  return { kind: 'missing' };
};

/** Reads a settings file. Whatever lies there, it neither throws nor waits, and reads no more than the limit. */
export const readFileSafely = async (path: string): Promise<FileContent> => {
  let file: FileHandle | undefined;
  try {
    const opened = await openRegular(path);
    file = opened.file;
    if (file === undefined)
      return unusable(whyNotRegular(opened.stats) ?? 'is not a regular file; replace it with one');
    const bytes = await readSteady(file);
    if (typeof bytes === 'string') return unusable(bytes);
    const { text, warnings } = decode(bytes, 'the file');
    return { kind: 'text', text, warnings, realPath: await realpath(path), stats: await file.stat() };
  } catch (error) {
    if (isMissing(error)) return missing(path);
    return unusable(whyNotRead(error));
  } finally {
    await file?.close().catch(() => undefined);
  }
};
