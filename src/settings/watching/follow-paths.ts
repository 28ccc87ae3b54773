/** Detects changes of files and directories, existing or not, by notifications and by polling. */
import { watch } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

export interface FollowedPath {
  readonly path: string;
  readonly kind: 'file' | 'directory';
}

export interface FollowOptions {
  readonly onChange: () => Promise<void>;
  readonly paths: () => readonly FollowedPath[];
  /** Time to wait for further changes: an editor may write in several steps. */
  readonly debounceMs: number;
  readonly pollMs?: number | undefined;
  readonly watchDirectory?: DirectoryWatcher | undefined;
}

const POLL_INTERVAL_MS = 2_000;
/** Limits the wait for a file that is written continuously. */
const MAX_DEBOUNCES = 5;

/** Timestamps of file systems advance in steps and may lag. */
const TIMESTAMP_LAG_MS = 50;
/** Signature of a newly named path that may have changed before its first check; the next check finds it changed. */
const UNSURE_SIGNATURE = 'unsure';

/**
 * A notification of the system only triggers a check: it can get lost or be wrong, so `stat` decides. Does not keep the
 * process alive.
 */
export class PathFollower {
  readonly #options: FollowOptions;
  readonly #directories: DirectoryListeners;
  readonly #poll: ReturnType<typeof setInterval>;
  #signatures: ReadonlyMap<string, string> = new Map();
  #since = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #hintedAt: number | undefined;
  #looking: Promise<void> | undefined;
  #isClosed = false;

  constructor(options: FollowOptions) {
    this.#options = options;
    this.#directories = new DirectoryListeners(() => this.#hint(), options.watchDirectory);
    this.#poll = setInterval(() => void this.look(), options.pollMs ?? POLL_INTERVAL_MS).unref();
  }

  async start(): Promise<void> {
    this.#since = Date.now() - TIMESTAMP_LAG_MS;
    this.#signatures = toSignatures(await this.#statesNow());
  }

  look(): Promise<void> {
    this.#looking ??= this.#lookNow().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#poll);
    clearTimeout(this.#timer);
    this.#directories.close();
    await this.#looking;
  }

  #hint(): void {
    const now = performance.now();
    this.#hintedAt ??= now;
    const { debounceMs } = this.#options;
    const leftMs = this.#hintedAt + MAX_DEBOUNCES * debounceMs - now;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(
      () => {
        this.#hintedAt = undefined;
        void this.#lookAgain();
      },
      Math.max(0, Math.min(debounceMs, leftMs)),
    ).unref();
  }

  /** A notification during a check may concern a path that was checked already. */
  async #lookAgain(): Promise<void> {
    await this.#looking;
    await this.look();
  }

  async #lookNow(): Promise<void> {
    const since = Date.now() - TIMESTAMP_LAG_MS;
    const states = await this.#statesNow();
    const before = addNewPaths(this.#signatures, states, this.#since);
    this.#since = since;
    this.#signatures = toSignatures(states);
    const isDifferent = [...before].some(([path, signature]) => this.#signatures.get(path) !== signature);
    if (!isDifferent || this.#isClosed) return;
    await this.#options.onChange();
    // The new settings may name other paths. Known paths keep their earlier state: they may have changed since.
    const named = await this.#statesNow();
    const signatures = addNewPaths(this.#signatures, named, since);
    this.#signatures = new Map([...signatures].filter(([path]) => named.has(path)));
    if ([...this.#signatures.values()].includes(UNSURE_SIGNATURE)) this.#hint();
  }

  /** Listens to a path before reading its state, or a change in between would be lost. */
  async #statesNow(): Promise<Map<string, WatchState>> {
    const paths = this.#options.paths();
    const watched = new Set<string>();
    for (const { path, kind } of paths) {
      watched.add(path);
      watched.add(await realpath(path).catch(() => path));
      if (kind === 'directory') watched.add(join(path, ANY_ENTRY));
    }
    await this.#directories.watchFor(watched);
    const states = new Map<string, WatchState>();
    for (const { path } of paths) states.set(path, await readWatchState(path));
    return states;
  }
}

const toSignatures = (states: ReadonlyMap<string, WatchState>): ReadonlyMap<string, string> =>
  new Map([...states].map(([path, { signature }]) => [path, signature]));

const addNewPaths = (
  known: ReadonlyMap<string, string>,
  states: ReadonlyMap<string, WatchState>,
  since: number,
): ReadonlyMap<string, string> => {
  const all = new Map(known);
  for (const [path, { signature, changedAt }] of states) {
    if (!all.has(path)) all.set(path, changedAt > since ? UNSURE_SIGNATURE : signature);
  }
  return all;
};

/** `name` is the changed entry if known. Throws or calls `onLoss` if the system cannot watch the directory. */
type DirectoryWatcher = (
  directory: string,
  onChange: (name: string | undefined) => void,
  onLoss: () => void,
) => () => void;

const watchWithSystem: DirectoryWatcher = (directory, onChange, onLoss) => {
  const watcher = watch(directory, { persistent: false }, (_what, name) => onChange(name ?? undefined));
  watcher.on('error', onLoss);
  return () => watcher.close();
};

interface WatchedDirectory {
  readonly identity: string;
  names: ReadonlySet<string>;
  readonly stop: () => void;
}

const readIdentity = (directory: string): Promise<string | undefined> =>
  stat(directory, { bigint: true }).then(
    ({ dev, ino }) => `${dev} ${ino}`,
    () => undefined,
  );

const ANY_ENTRY = '*';

const findNearestDirectory = async (
  path: string,
): Promise<{ directory: string; name: string; identity: string } | undefined> => {
  for (let below = path, above = dirname(path); above !== below; below = above, above = dirname(above)) {
    const identity = await readIdentity(above);
    if (identity !== undefined) return { directory: above, name: basename(below), identity };
  }
  return undefined;
};

class DirectoryListeners {
  readonly #watchDirectory: DirectoryWatcher;
  readonly #onHint: () => void;
  readonly #watched = new Map<string, WatchedDirectory>();
  #isClosed = false;

  constructor(onHint: () => void, watchDirectory: DirectoryWatcher = watchWithSystem) {
    this.#onHint = onHint;
    this.#watchDirectory = watchDirectory;
  }

  /** A path that ends in `*` means all entries of a directory. */
  async watchFor(paths: Iterable<string>): Promise<void> {
    const wanted = new Map<string, { identity: string; names: Set<string> }>();
    for (const path of paths) {
      const found = await findNearestDirectory(path);
      if (found === undefined) continue;
      const { names } = wanted.get(found.directory) ?? { names: new Set<string>() };
      names.add(found.name);
      wanted.set(found.directory, { identity: found.identity, names });
    }
    if (this.#isClosed) return;
    for (const [directory, { identity }] of this.#watched) {
      if (wanted.get(directory)?.identity !== identity) this.#stop(directory);
    }
    for (const [directory, { identity, names }] of wanted) this.#watch(directory, identity, names);
  }

  close(): void {
    this.#isClosed = true;
    for (const directory of [...this.#watched.keys()]) this.#stop(directory);
  }

  #watch(directory: string, identity: string, names: ReadonlySet<string>): void {
    const known = this.#watched.get(directory);
    if (known !== undefined) {
      known.names = names;
      return;
    }
    const onChange = (name: string | undefined): void => {
      const wanted = this.#watched.get(directory)?.names;
      // A directory that is moved or removed is reported under its own name.
      const isWanted =
        name === undefined || wanted?.has(name) || wanted?.has(ANY_ENTRY) || name === basename(directory);
      if (isWanted) this.#onHint();
    };
    try {
      const stop = this.#watchDirectory(directory, onChange, () => this.#stop(directory));
      this.#watched.set(directory, { identity, names, stop });
    } catch {
      // The system limits the number of watched directories; polling also finds changes, only later.
    }
  }

  #stop(directory: string): void {
    this.#watched.get(directory)?.stop();
    this.#watched.delete(directory);
  }
}

interface WatchState {
  readonly signature: string;
  readonly changedAt: number;
}

const readWatchState = async (path: string): Promise<WatchState> => {
  try {
    const { dev, ino, size, mtimeNs, ctimeNs, ctimeMs } = await stat(path, { bigint: true });
    return { signature: [dev, ino, size, mtimeNs, ctimeNs].join(' '), changedAt: Number(ctimeMs) };
  } catch {
    return { signature: 'missing', changedAt: 0 };
  }
};
