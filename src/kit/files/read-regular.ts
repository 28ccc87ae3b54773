// Reads regular files safely: another process may write the file meanwhile, or replace it by a pipe or link.
import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, type Stats } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { basename } from 'node:path';
import { describeThrown } from '../json.ts';
import { attempt, isMissingFileError, readErrorCode } from '../values.ts';

interface ReadFileOptions {
  readonly maxBytes: number;
  readonly follow?: boolean | undefined;
}

type RegularFileContent =
  | { readonly bytes: Buffer; readonly stats: Stats }
  | { readonly missing: true }
  /** Why the file was not read, as a phrase that follows the file name. */
  | { readonly trouble: string };

/**
 * Never blocks on a pipe and never throws. The function is synchronous, because awaiting each of a thousand files takes
 * ten times as long as reading them.
 */
export const readRegularFile = (path: string, { maxBytes, follow = true }: ReadFileOptions): RegularFileContent => {
  try {
    // Windows has no O_NOFOLLOW, so opening the file would follow the link.
    if (!follow && lstatSync(path).isSymbolicLink()) return { trouble: LINK_TROUBLE };
    const { file, stats } = openRegularFileNow(path, { follow });
    if (file === undefined) return { trouble: describeNonFile(stats) };
    try {
      return readUnchanged(file, maxBytes);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    return explainUnreadFile(path, error, follow);
  }
};

export const readBeginning = (path: string, maxBytes: number): Buffer | undefined => {
  let file: number | undefined;
  try {
    const opened = openRegularFileNow(path);
    file = opened.file;
    if (file === undefined) return undefined;
    const buffer = Buffer.alloc(Math.min(opened.stats.size, maxBytes));
    return buffer.subarray(0, fillBuffer(file, buffer));
  } catch {
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
};

const MAX_READ_ATTEMPTS = 3;

const readUnchanged = (file: number, maxBytes: number): RegularFileContent => {
  for (let attempt = 0; attempt < MAX_READ_ATTEMPTS; attempt += 1) {
    const before = fstatSync(file);
    if (before.size > maxBytes) return { trouble: `has ${before.size} bytes; at most ${maxBytes} are read` };
    // One more byte shows whether the file has grown.
    const buffer = Buffer.allocUnsafe(before.size + 1);
    const length = fillBuffer(file, buffer);
    const stats = fstatSync(file);
    if (length === before.size && stats.size === before.size && stats.mtimeMs === before.mtimeMs)
      return { bytes: buffer.subarray(0, length), stats };
  }
  return { trouble: 'changes while it is read; it is read again with the next reload' };
};

const fillBuffer = (file: number, buffer: Buffer): number => {
  let length = 0;
  while (length < buffer.length) {
    const read = readSync(file, buffer, length, buffer.length - length, length);
    if (read === 0) break;
    length += read;
  }
  return length;
};

const LINK_TROUBLE = 'is a symbolic link, which is not followed';
const NOT_REGULAR_TROUBLE = 'is not a regular file; replace it with one';

const describeNonFile = (stats: Stats): string =>
  stats.isDirectory() ? 'is a directory; a file is expected here' : NOT_REGULAR_TROUBLE;

const openErrorTexts: Readonly<Record<string, string>> = {
  EACCES: 'cannot be read by this user; change its permissions',
  EPERM: 'cannot be read by this user; change its permissions',
  // ENXIO and ENODEV: the file is a socket, or its device is missing.
  ENXIO: NOT_REGULAR_TROUBLE,
  ENODEV: NOT_REGULAR_TROUBLE,
};

const explainUnreadFile = (path: string, error: unknown, follow: boolean): RegularFileContent => {
  const code = readErrorCode(error) ?? '';
  if (isMissingFileError(error))
    return follow && attempt(() => lstatSync(path).isSymbolicLink())
      ? { trouble: 'is a symbolic link that leads nowhere' }
      : { missing: true };
  if (code === 'ELOOP' || code === 'EMLINK')
    return { trouble: follow ? 'is a symbolic link to itself; replace it with a file' : LINK_TROUBLE };
  return { trouble: openErrorTexts[code] ?? `cannot be read: ${describeThrown(error)}` };
};

/** Windows has neither O_NONBLOCK nor O_NOFOLLOW. */
const { O_RDONLY, O_NONBLOCK = 0, O_NOFOLLOW = 0 } = constants;

/** Without O_NONBLOCK, opening a named pipe or device waits for its other end. */
const READ_WITHOUT_WAITING = O_RDONLY | O_NONBLOCK;

interface OpenedFile<File> {
  readonly file: File;
  readonly stats: Stats;
}

interface UnopenedFile {
  readonly file?: undefined;
  readonly stats: Stats;
}

const getOpenFlags = (follow: boolean): number => (follow ? READ_WITHOUT_WAITING : READ_WITHOUT_WAITING | O_NOFOLLOW);

export const openRegularFile = async (
  path: string,
  { follow = true } = {},
): Promise<OpenedFile<FileHandle> | UnopenedFile> => {
  const file = await open(path, getOpenFlags(follow));
  try {
    const stats = await file.stat();
    if (stats.isFile()) return { file, stats };
    await file.close();
    return { stats };
  } catch (error) {
    await file.close().catch(() => undefined);
    throw error;
  }
};

export const openRegularFileNow = (path: string, { follow = true } = {}): OpenedFile<number> | UnopenedFile => {
  const file = openSync(path, getOpenFlags(follow));
  let isKept = false;
  try {
    const stats = fstatSync(file);
    isKept = stats.isFile();
    return isKept ? { file, stats } : { stats };
  } finally {
    if (!isKept) closeSync(file);
  }
};

const MAX_BEGINNING_BYTES = 65_536;

export const readBeginningText = (path: string): string | undefined => {
  const bytes = readBeginning(path, MAX_BEGINNING_BYTES);
  return bytes?.includes(0) === false ? bytes.toString('utf8') : undefined;
};

export const parseShebang = (text: string | undefined): { program: string; rest: string } | undefined => {
  const [, program = '', rest = ''] = /^\ufeff?#![ \t]*([^\s]+)[ \t]*([^\r\n]*)/.exec(text ?? '') ?? [];
  return program === '' ? undefined : { program, rest };
};

/** Returns `node` for `#!/usr/bin/env node`, and `undefined` if the text does not start with `#!`. */
export const findInterpreter = (text: string | undefined): string | undefined => {
  const { program, rest } = parseShebang(text) ?? {};
  if (program === undefined || rest === undefined || basename(program) !== 'env') return program;
  const words = rest.split(/\s+/).filter((word) => word !== '' && !word.startsWith('-') && !/^\w+=/.test(word));
  return words[0] ?? program;
};
