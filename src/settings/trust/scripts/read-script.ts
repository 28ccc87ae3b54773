import { createHash } from 'node:crypto';
import { closeSync, readSync } from 'node:fs';
import { nextTurn } from '../../../kit/index.ts';
import { openRegularNow } from '../../../kit/node.ts';

/** Longer scripts are not read: whoever approves one could not have read it either. */
const MAX_SCRIPT_BYTES = 16 * 1_048_576;

export type ScriptContent = { readonly sha256: string } | { readonly not: 'readable' | 'a-file' | 'small-enough' };

/** What may still be read. */
export interface Allowance {
  files: number;
  bytes: number;
}

const CHUNK = 1_048_576;
const buffer = Buffer.alloc(CHUNK);

const hashOf = async (file: number, left: Allowance): Promise<ScriptContent> => {
  const hash = createHash('sha256');
  for (let total = 0; ; ) {
    const bytes = readSync(file, buffer, 0, CHUNK, null);
    if (bytes === 0) return { sha256: hash.digest('hex') };
    total += bytes;
    left.bytes -= bytes;
    // It grew while it was read, or too much was read before.
    if (total > MAX_SCRIPT_BYTES || left.bytes < 0) return { not: 'small-enough' };
    hash.update(buffer.subarray(0, bytes));
    // Most scripts are read at once.
    if (bytes === CHUNK) await nextTurn();
  }
};

/**
 * The hash of a file's bytes. Opening never waits for the other end of a pipe, and what is no regular file, or has more
 * bytes than the limit or the allowance, is not read. Waiting for a promise would cost more than reading a script does.
 */
export const hashScript = async (path: string, left: Allowance): Promise<ScriptContent> => {
  left.files -= 1;
  if (left.files < 0) return { not: 'small-enough' };
  try {
    const { file, stats } = openRegularNow(path);
    if (file === undefined) return { not: 'a-file' };
    try {
      return stats.size > MAX_SCRIPT_BYTES ? { not: 'small-enough' } : await hashOf(file, left);
    } finally {
      closeSync(file);
    }
  } catch {
    return { not: 'readable' };
  }
};
