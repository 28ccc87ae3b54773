import { createHash } from 'node:crypto';
import { openRegular } from '../../../kit/node.ts';

/** Longer scripts are not read: whoever approves one could not have read it either. */
const MAX_SCRIPT_BYTES = 16 * 1_048_576;

export type ScriptContent = { readonly sha256: string } | { readonly not: 'readable' | 'a-file' | 'small-enough' };

const CHUNK = 65_536;

/**
 * The hash of a file's bytes. Opening never waits for the other end of a pipe, and what is no regular file, or has more
 * bytes than the limit, is not read.
 */
export const hashScript = async (path: string): Promise<ScriptContent> => {
  const opened = await openRegular(path).catch(() => undefined);
  if (opened === undefined) return { not: 'readable' };
  const { file, stats } = opened;
  if (file === undefined) return { not: 'a-file' };
  try {
    if (stats.size > MAX_SCRIPT_BYTES) return { not: 'small-enough' };
    const hash = createHash('sha256');
    const buffer = Buffer.alloc(CHUNK);
    let total = 0;
    for (;;) {
      const { bytesRead } = await file.read(buffer, 0, CHUNK, null);
      if (bytesRead === 0) return { sha256: hash.digest('hex') };
      total += bytesRead;
      // It grew while it was read.
      if (total > MAX_SCRIPT_BYTES) return { not: 'small-enough' };
      hash.update(buffer.subarray(0, bytesRead));
    }
  } catch {
    return { not: 'readable' };
  } finally {
    await file.close();
  }
};
