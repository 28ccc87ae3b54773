import { inSlices } from '../../../kit/index.ts';
import { isExecutable, isSeenByEachAlone, realPathOf, within } from '../../../kit/node.ts';
import type { FileState, Root, SubjectFile } from '../subject.ts';
import { hashScript } from './read-script.ts';

const placeIn = (roots: readonly Root[], path: string): string | undefined => {
  for (const { label, directory } of roots) {
    const way = within(directory, path);
    if (way !== undefined) return label === '' ? way : `${label}/${way}`;
  }
  return undefined;
};

/** So many files, and so much of them, are read in one look at the machine: more of them were not put there to be approved. */
const MAX_FILES = 10_000;
const MAX_BYTES = 256 * 2 ** 20;

interface Looked {
  readonly file: SubjectFile;
  /** Absent when it lies outside of the roots. */
  readonly state: FileState | undefined;
}

/** One look at the machine: directories and files are looked at once, however many hooks name them. */
export class FileLook {
  readonly #roots = new Map<string, string>();
  readonly #hashes = new Map<string, ReturnType<typeof hashScript>>();
  readonly #left = { files: MAX_FILES, bytes: MAX_BYTES };
  readonly #giveTurn = inSlices();

  /** What is where a subject names what it starts. */
  async stateOf(file: SubjectFile, roots: readonly Root[]): Promise<FileState | undefined> {
    const [looked] = await this.#lookAt([file], roots);
    return looked?.state;
  }

  /** What is at the places a subject names. What lies outside of its roots is left out: it is not the project's. */
  async statesOf(files: readonly SubjectFile[], roots: readonly Root[]): Promise<FileState[]> {
    const states = new Map<string, FileState>();
    for (const { state } of await this.#lookAt(files, roots)) {
      if (state !== undefined && !states.has(state.path)) states.set(state.path, state);
    }
    return [...states.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  async #lookAt(files: readonly SubjectFile[], roots: readonly Root[]): Promise<Looked[]> {
    const real = roots.map(({ label, directory }) => ({ label, directory: this.#realRoot(directory) }));
    const looked: Looked[] = [];
    for (const file of files) {
      const state = await this.#stateOf(file, roots, real);
      // A word that is no file is a word like any other.
      const isFile = state?.state !== 'missing' && state?.state !== 'not-a-file';
      if (file.runs || isFile) looked.push({ file, state });
    }
    return looked;
  }

  #realRoot(directory: string): string {
    const root = this.#roots.get(directory) ?? realPathOf(directory) ?? directory;
    this.#roots.set(directory, root);
    return root;
  }

  async #stateOf(
    { path, isProgram }: SubjectFile,
    roots: readonly Root[],
    realRoots: readonly Root[],
  ): Promise<FileState | undefined> {
    await this.#giveTurn();
    const real = realPathOf(path);
    const named = placeIn(roots, path) ?? placeIn(realRoots, path);
    if (real === undefined) return named === undefined ? undefined : { path: named, state: 'missing' };
    const found = placeIn(realRoots, real);
    if (found === undefined || isSeenByEachAlone(path, real)) {
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
