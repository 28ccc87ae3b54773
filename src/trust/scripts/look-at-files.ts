// Reads the state and hash of the files that subjects name.
import { createHash } from 'node:crypto';
import { closeSync, readSync } from 'node:fs';
import { createSlicer, waitForNextTurn } from '../../kit/index.ts';
import { differsByProcess, findRealPath, isExecutable, openRegularFileNow, toPathWithin } from '../../kit/node.ts';
import type { FileState, Root, SubjectFile } from '../subject.ts';

const placeIn = (roots: readonly Root[], path: string): string | undefined => {
  for (const { label, directory } of roots) {
    const way = toPathWithin(directory, path);
    if (way !== undefined) return label === '' ? way : `${label}/${way}`;
  }
  return undefined;
};

/** Limits of one look: a user cannot review more files. */
const MAX_FILES = 10_000;
const MAX_BYTES = 256 * 2 ** 20;

interface Looked {
  readonly file: SubjectFile;
  /** Absent if it is outside of the roots. */
  readonly state: FileState | undefined;
}

/** Reads files and directories once, however many hooks name them. */
export class FileStateReader {
  readonly #realPaths = new Map<string, string | undefined>();
  readonly #hashes = new Map<string, ReturnType<typeof hashScript>>();
  readonly #left = { files: MAX_FILES, bytes: MAX_BYTES };
  readonly #giveTurn = createSlicer();

  async stateOf(file: SubjectFile, roots: readonly Root[]): Promise<FileState | undefined> {
    const [looked] = await this.#lookAt([file], roots);
    return looked?.state;
  }

  /**
   * The states of a subject's files. Files outside of the roots are left out. Compared with an approval, so are
   * arguments that did not exist then: the command may have created them.
   */
  async statesOf(
    files: readonly SubjectFile[],
    roots: readonly Root[],
    approved?: readonly FileState[],
  ): Promise<FileState[]> {
    const known = approved && new Set(approved.map(({ path }) => path));
    const states = new Map<string, FileState>();
    for (const { file, state } of await this.#lookAt(files, roots)) {
      if (state === undefined || states.has(state.path)) continue;
      if (file.isArgument === true && known?.has(state.path) === false) continue;
      states.set(state.path, state);
    }
    return [...states.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  async #lookAt(files: readonly SubjectFile[], roots: readonly Root[]): Promise<Looked[]> {
    const real = roots.map(({ label, directory }) => ({ label, directory: this.#realPathOf(directory) ?? directory }));
    const looked: Looked[] = [];
    for (const file of files) {
      const state = await this.#stateOf(file, roots, real);
      // Arguments that are not files are ignored.
      const isFile = state?.state !== 'missing' && state?.state !== 'not-a-file';
      if (file.runs || isFile) looked.push({ file, state });
    }
    return looked;
  }

  #realPathOf(path: string): string | undefined {
    const real = this.#realPaths.has(path) ? this.#realPaths.get(path) : findRealPath(path);
    this.#realPaths.set(path, real);
    return real;
  }

  async #stateOf(
    { path, isProgram }: SubjectFile,
    roots: readonly Root[],
    realRoots: readonly Root[],
  ): Promise<FileState | undefined> {
    await this.#giveTurn();
    const real = this.#realPathOf(path);
    const named = placeIn(roots, path) ?? placeIn(realRoots, path);
    if (real === undefined) return named === undefined ? undefined : { path: named, state: 'missing' };
    const found = placeIn(realRoots, real);
    if (found === undefined || differsByProcess(path, real)) {
      return named === undefined ? undefined : { path: named, state: 'outside', leadsTo: real };
    }
    let content = this.#hashes.get(real);
    if (content === undefined) {
      content = hashScript(real, this.#left);
      this.#hashes.set(real, content);
    }
    const read = await content;
    if ('sha256' in read) {
      const mode = isProgram === true && !isExecutable(real) ? { notExecutable: true as const } : {};
      return { path: found, state: 'covered', sha256: read.sha256, ...mode };
    }
    const state = { readable: 'unreadable', 'a-file': 'not-a-file', 'small-enough': 'too-large' } as const;
    return { path: found, state: state[read.not] };
  }
}

/** No user reads a longer script before approving it. */
const MAX_SCRIPT_BYTES = 16 * 1_048_576;

type ScriptContent = { readonly sha256: string } | { readonly not: 'readable' | 'a-file' | 'small-enough' };

interface Allowance {
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
    // The file grew while it was read, or the limit is reached.
    if (total > MAX_SCRIPT_BYTES || left.bytes < 0) return { not: 'small-enough' };
    hash.update(buffer.subarray(0, bytes));
    // Most scripts fit into one chunk.
    if (bytes === CHUNK) await waitForNextTurn();
  }
};

/**
 * The hash of a file. Opening never blocks on a pipe; anything but a regular file within the limits is refused. Reads
 * are synchronous: waiting for a promise would take longer than reading a script.
 */
export const hashScript = async (path: string, left: Allowance): Promise<ScriptContent> => {
  left.files -= 1;
  if (left.files < 0) return { not: 'small-enough' };
  try {
    const { file, stats } = openRegularFileNow(path);
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
