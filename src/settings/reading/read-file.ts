import type { Stats } from 'node:fs';
import { readRegular, realPathOf } from '../../kit/node.ts';
import type { Notice } from '../../protocol/index.ts';
import { decode } from '../../runners/commands.ts';
import { MAX_FILE_BYTES } from './limits.ts';

/** A settings file as it was read: its text, nothing there, or why it is not used. */
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

/** Reads a settings file. It never throws, never waits for a pipe, and reads no more than the limit. */
export const readFileSafely = (path: string): FileContent => {
  const found = readRegular(path, { maxBytes: MAX_FILE_BYTES });
  if ('missing' in found) return { kind: 'missing' };
  if ('trouble' in found) return { kind: 'unusable', message: found.trouble };
  const realPath = realPathOf(path);
  if (realPath === undefined) return { kind: 'missing' };
  return { kind: 'text', ...decode(found.bytes, 'the file'), realPath, stats: found.stats };
};
