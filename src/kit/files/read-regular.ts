import { closeSync, readSync, type Stats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { codeOf, isMissing } from '../error-code.ts';
import { describeThrown } from '../json.ts';
import { openRegular, openRegularNow } from './open-regular.ts';

export interface ReadingLimits {
  readonly maxBytes: number;
  /** Whether a link is followed; so it is unless somebody says no. */
  readonly follow?: boolean | undefined;
}

export type RegularFile =
  | { readonly bytes: Buffer; readonly stats: Stats }
  | { readonly missing: true }
  /** What the file is or has, for a sentence that begins with its name. */
  | { readonly trouble: string };

const CHUNK = 65_536;

/** A size is a promise that nobody has to keep: read is what comes, up to the limit. */
const readAll = async (file: FileHandle, maxBytes: number): Promise<Buffer | undefined> => {
  const pieces: Buffer[] = [];
  let length = 0;
  for (;;) {
    const buffer = Buffer.allocUnsafe(CHUNK);
    const { bytesRead } = await file.read(buffer, 0, CHUNK, null);
    if (bytesRead === 0) return Buffer.concat(pieces);
    length += bytesRead;
    if (length > maxBytes) return undefined;
    pieces.push(buffer.subarray(0, bytesRead));
  }
};

/** The bytes of a regular file that is not too large. It waits for no pipe, reads no device, and does not throw. */
export const readRegular = async (path: string, { maxBytes, follow = true }: ReadingLimits): Promise<RegularFile> => {
  let file: FileHandle | undefined;
  try {
    const opened = await openRegular(path, { follow });
    const { stats } = opened;
    file = opened.file;
    if (file === undefined) return { trouble: 'is not a regular file' };
    const bytes = stats.size > maxBytes ? undefined : await readAll(file, maxBytes);
    return bytes === undefined ? { trouble: `has more than ${maxBytes} bytes` } : { bytes, stats };
  } catch (error) {
    return unread(error, follow);
  } finally {
    await file?.close().catch(() => undefined);
  }
};

/** The same without a promise, for a small file that is read while somebody waits anyhow. */
export const readRegularNow = (path: string, { maxBytes, follow = true }: ReadingLimits): RegularFile => {
  try {
    const { file, stats } = openRegularNow(path, { follow });
    if (file === undefined) return { trouble: 'is not a regular file' };
    try {
      const buffer = Buffer.alloc(maxBytes + 1);
      const length = stats.size > maxBytes ? maxBytes + 1 : readSync(file, buffer, 0, maxBytes + 1, 0);
      if (length > maxBytes) return { trouble: `has more than ${maxBytes} bytes` };
      return { bytes: buffer.subarray(0, length), stats };
    } finally {
      closeSync(file);
    }
  } catch (error) {
    return unread(error, follow);
  }
};

const unread = (error: unknown, follow: boolean): RegularFile => {
  if (isMissing(error)) return { missing: true };
  const code = codeOf(error) ?? '';
  // Nobody is at the other end of a pipe, or there is no such device.
  if (code === 'ENXIO' || code === 'ENODEV') return { trouble: 'is not a regular file' };
  if (!follow && (code === 'ELOOP' || code === 'EMLINK')) return { trouble: 'is a symbolic link' };
  return { trouble: `cannot be read: ${describeThrown(error)}` };
};
