import { closeSync, fstatSync, readSync } from 'node:fs';
import { openRegularNow } from '../../kit/node.ts';
import type { Notice } from '../../protocol/index.ts';
import { decode } from '../../runners/commands.ts';
import { MAX_FILE_BYTES } from './limits.ts';
import { whyNotRead, whyNotRegular } from './read-file.ts';

/** What came of reading a file: its text, or why it is left alone. */
export type TextNow =
  | { readonly kind: 'text'; readonly text: string; readonly warnings: readonly Notice[] }
  | { readonly kind: 'unusable'; readonly message: string };

const attempts = 3;

const readExactly = (file: number, size: number): Buffer | undefined => {
  // One byte more, to see that there is no more.
  const buffer = Buffer.allocUnsafe(size + 1);
  let length = 0;
  for (;;) {
    const read = readSync(file, buffer, length, buffer.length - length, length);
    if (read === 0) break;
    length += read;
    if (length > size) return undefined;
  }
  return length === size ? buffer.subarray(0, size) : undefined;
};

const readSteady = (file: number): Buffer | string => {
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const before = fstatSync(file);
    const problem = whyNotRegular(before);
    if (problem !== undefined) return problem;
    const bytes = readExactly(file, before.size);
    const after = fstatSync(file);
    if (bytes !== undefined && after.size === before.size && after.mtimeMs === before.mtimeMs) return bytes;
  }
  return `changes while it is read, or is larger than ${MAX_FILE_BYTES} bytes; it is read again with the next load`;
};

/**
 * Reads a small file by the same rules as `readFileSafely`, without a promise: of a thousand files, waiting for each costs
 * ten times as much as reading them. Whoever reads many gives others a turn in between.
 */
export const readFileNow = (path: string): TextNow => {
  let file: number | undefined;
  try {
    const opened = openRegularNow(path);
    file = opened.file;
    if (file === undefined)
      return { kind: 'unusable', message: whyNotRegular(opened.stats) ?? 'is not a regular file' };
    const bytes = readSteady(file);
    if (typeof bytes === 'string') return { kind: 'unusable', message: bytes };
    return { kind: 'text', ...decode(bytes, 'the file') };
  } catch (error) {
    return { kind: 'unusable', message: whyNotRead(error) };
  } finally {
    if (file !== undefined) closeSync(file);
  }
};
