// Reads the state and hash of the files that subjects name.
import { createHash } from 'node:crypto';
import { closeSync, readSync } from 'node:fs';
import { cacheByKey, createSlicer, waitForNextTurn } from '../../kit/index.ts';
import { differsByProcess, findRealPath, isExecutable, openRegularFileNow, toPathWithin } from '../../kit/node.ts';
import type { FileState, SubjectFile, SubjectRoot } from '../subject.ts';

const toPathFromRoots = (roots: readonly SubjectRoot[], path: string): string | undefined => {
  for (const { label, directory } of roots) {
    const way = toPathWithin(directory, path);
    if (way !== undefined) return label === '' ? way : `${label}/${way}`;
  }
  return undefined;
};

const MAX_HASHED_FILES = 10_000;
const MAX_HASHED_BYTES = 256 * 2 ** 20;

export class FileStateReader {
  readonly #left = { files: MAX_HASHED_FILES, bytes: MAX_HASHED_BYTES };
  readonly #hash = cacheByKey((path: string) => hashScript(path, this.#left));
  readonly #findRealPath = cacheByKey(findRealPath);
  readonly #giveTurn = createSlicer();

  /**
   * Leaves out files outside of the roots, and arguments that did not exist when `approved` was recorded: the command
   * may have created them.
   */
  async statesOf(
    files: readonly SubjectFile[],
    roots: readonly SubjectRoot[],
    approved?: readonly FileState[],
  ): Promise<FileState[]> {
    const known = approved && new Set(approved.map(({ path }) => path));
    const states = new Map<string, FileState>();
    for (const file of files) {
      const state = await this.stateOf(file, roots);
      if (state === undefined || states.has(state.path)) continue;
      if (file.runs !== true && (state.state === 'missing' || state.state === 'not-a-file')) continue;
      if (file.isArgument === true && known?.has(state.path) === false) continue;
      states.set(state.path, state);
    }
    return [...states.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  async stateOf({ path, isProgram }: SubjectFile, roots: readonly SubjectRoot[]): Promise<FileState | undefined> {
    await this.#giveTurn();
    const realRoots = roots.map(({ label, directory }) => ({
      label,
      directory: this.#findRealPath(directory) ?? directory,
    }));
    const real = this.#findRealPath(path);
    const named = toPathFromRoots(roots, path) ?? toPathFromRoots(realRoots, path);
    if (real === undefined) return named === undefined ? undefined : { path: named, state: 'missing' };
    const found = toPathFromRoots(realRoots, real);
    if (found === undefined || differsByProcess(path, real)) {
      return named === undefined ? undefined : { path: named, state: 'outside', leadsTo: real };
    }
    const read = await this.#hash(real);
    if ('sha256' in read) {
      const mode = isProgram === true && !isExecutable(real) ? { notExecutable: true as const } : {};
      return { path: found, state: 'covered', sha256: read.sha256, ...mode };
    }
    const state = { readable: 'unreadable', 'a-file': 'not-a-file', 'small-enough': 'too-large' } as const;
    return { path: found, state: state[read.not] };
  }
}

const MAX_SCRIPT_BYTES = 16 * 1_048_576;

type ScriptHash = { readonly sha256: string } | { readonly not: 'readable' | 'a-file' | 'small-enough' };

interface HashingAllowance {
  files: number;
  bytes: number;
}

const CHUNK_BYTES = 1_048_576;
const chunkBuffer = Buffer.alloc(CHUNK_BYTES);

const hashOpenFile = async (file: number, left: HashingAllowance): Promise<ScriptHash> => {
  const hash = createHash('sha256');
  for (let total = 0; ; ) {
    const bytes = readSync(file, chunkBuffer, 0, CHUNK_BYTES, null);
    if (bytes === 0) return { sha256: hash.digest('hex') };
    total += bytes;
    left.bytes -= bytes;
    if (total > MAX_SCRIPT_BYTES || left.bytes < 0) return { not: 'small-enough' };
    hash.update(chunkBuffer.subarray(0, bytes));
    if (bytes === CHUNK_BYTES) await waitForNextTurn();
  }
};

/**
 * Opening never blocks on a pipe. Reads are synchronous: waiting for a promise would take longer than reading a script.
 */
export const hashScript = async (path: string, left: HashingAllowance): Promise<ScriptHash> => {
  left.files -= 1;
  if (left.files < 0) return { not: 'small-enough' };
  try {
    const { file, stats } = openRegularFileNow(path);
    if (file === undefined) return { not: 'a-file' };
    try {
      return stats.size > MAX_SCRIPT_BYTES ? { not: 'small-enough' } : await hashOpenFile(file, left);
    } finally {
      closeSync(file);
    }
  } catch {
    return { not: 'readable' };
  }
};
