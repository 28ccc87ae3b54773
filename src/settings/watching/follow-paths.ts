import { watch } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** What is followed. Of a directory also what comes into it and goes. */
export interface FollowedPath {
  readonly path: string;
  readonly kind: 'file' | 'directory';
}

export interface FollowOptions {
  /** Called when something about the paths is different; nothing else is looked at until it is done. */
  readonly onChange: () => Promise<void>;
  /** Called before every look: the paths to follow. */
  readonly paths: () => readonly FollowedPath[];
  /** How long to wait for what comes together with a change, as when an editor writes in two steps. */
  readonly debounceMs: number;
  /** How often to look when nothing was heard. */
  readonly pollMs?: number | undefined;
  readonly hearOf?: HearOf | undefined;
}

const POLL_MS = 2_000;
/** A file that is written to without a pause is looked at all the same, after as many times the pause. */
const PATIENCE = 5;

/** Clocks of file systems tick in steps, and may be a little behind. */
const TICK_MS = 50;
/** In place of a signature: the path may have changed before it was first looked at, and after it was read. */
const UNSURE = 'unsure';

/**
 * Follows files and directories that are there or may come to be. A notification is only a hint to look; whether anything
 * changed is decided by what the file system says of each path. Keeps no process alive.
 */
export class PathFollower {
  readonly #options: FollowOptions;
  readonly #directories: Directories;
  readonly #poll: ReturnType<typeof setInterval>;
  #signatures: ReadonlyMap<string, string> = new Map();
  /** When the last look began. */
  #since = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #hintedAt: number | undefined;
  #looking: Promise<void> | undefined;
  #isClosed = false;

  constructor(options: FollowOptions) {
    this.#options = options;
    this.#directories = new Directories(() => this.#hint(), options.hearOf);
    this.#poll = setInterval(() => void this.look(), options.pollMs ?? POLL_MS).unref();
  }

  /** Takes what is there now as the state from which changes are told. */
  async start(): Promise<void> {
    this.#since = Date.now() - TICK_MS;
    this.#signatures = signaturesOf(await this.#statesNow());
  }

  /** Looks now. Resolves when what was found is dealt with. */
  look(): Promise<void> {
    this.#looking ??= this.#lookNow().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  /** Resolves when nothing is under way any more. */
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
    const leftMs = this.#hintedAt + PATIENCE * debounceMs - now;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(
      () => {
        this.#hintedAt = undefined;
        void this.#lookAgain();
      },
      Math.max(0, Math.min(debounceMs, leftMs)),
    ).unref();
  }

  /** A hint that comes during a look may be about what that look has passed already. */
  async #lookAgain(): Promise<void> {
    await this.#looking;
    await this.look();
  }

  async #lookNow(): Promise<void> {
    const since = Date.now() - TICK_MS;
    const states = await this.#statesNow();
    const before = withNew(this.#signatures, states, this.#since);
    this.#since = since;
    this.#signatures = signaturesOf(states);
    const isDifferent = [...this.#signatures].some(([path, signature]) => before.get(path) !== signature);
    if (!isDifferent || this.#isClosed) return;
    await this.#options.onChange();
    // What was read may name further paths. Of the others the state from before counts: they may have changed since.
    this.#signatures = withNew(this.#signatures, await this.#statesNow(), since);
    if ([...this.#signatures.values()].includes(UNSURE)) this.#hint();
  }

  /** The state of all paths, each taken after it is listened for: a change in between would be lost. */
  async #statesNow(): Promise<Map<string, WatchState>> {
    const paths = this.#options.paths();
    const toHear = new Set<string>();
    for (const { path, kind } of paths) {
      toHear.add(path);
      toHear.add(await leadsTo(path));
      if (kind === 'directory') toHear.add(join(path, EVERYTHING));
    }
    await this.#directories.listenFor(toHear);
    const states = new Map<string, WatchState>();
    for (const { path } of paths) states.set(path, await stateOf(path));
    return states;
  }
}

const signaturesOf = (states: ReadonlyMap<string, WatchState>): ReadonlyMap<string, string> =>
  new Map([...states].map(([path, { signature }]) => [path, signature]));

/** What is known, and what is new: as it is now, unless it changed since it may have been read. */
const withNew = (
  known: ReadonlyMap<string, string>,
  states: ReadonlyMap<string, WatchState>,
  since: number,
): ReadonlyMap<string, string> => {
  const all = new Map(known);
  for (const [path, { signature, changedAt }] of states) {
    if (!all.has(path)) all.set(path, changedAt > since ? UNSURE : signature);
  }
  return all;
};

/** Stops hearing of a directory. */
type StopHearing = () => void;

/** Hears of changes in one directory; `name` is what changed, if that is known. Throws, or says so, when it cannot. */
type HearOf = (directory: string, onChange: (name: string | undefined) => void, onLoss: () => void) => StopHearing;

/** The system's own notifications. They never keep the host alive. */
const hearFromSystem: HearOf = (directory, onChange, onLoss) => {
  const watcher = watch(directory, { persistent: false }, (_what, name) => onChange(name ?? undefined));
  watcher.on('error', onLoss);
  return () => watcher.close();
};

interface Heard {
  /** Which directory it is, and not only what it is called. */
  readonly identity: string;
  names: ReadonlySet<string>;
  readonly stop: StopHearing;
}

const identityOf = async (directory: string): Promise<string | undefined> => {
  try {
    const { dev, ino } = await stat(directory, { bigint: true });
    return `${dev} ${ino}`;
  } catch {
    return undefined;
  }
};

/** In place of a name: whatever there is in the directory. */
const EVERYTHING = '*';

/** The nearest directory above a path that is there, and the name in it that leads to the path. */
const nearest = async (path: string): Promise<{ directory: string; name: string; identity: string } | undefined> => {
  for (let below = path, above = dirname(path); above !== below; below = above, above = dirname(above)) {
    const identity = await identityOf(above);
    if (identity !== undefined) return { directory: above, name: basename(below), identity };
  }
  return undefined;
};

/**
 * Listens to the directories in which certain paths are, or will be: of what else happens there nothing is heard. What it
 * says is a hint to look, no more: notifications get lost, and on some file systems there are none.
 */
class Directories {
  readonly #hearOf: HearOf;
  readonly #onHint: () => void;
  readonly #heard = new Map<string, Heard>();
  #isClosed = false;

  constructor(onHint: () => void, hearOf: HearOf = hearFromSystem) {
    this.#onHint = onHint;
    this.#hearOf = hearOf;
  }

  /** How many directories are listened to. */
  get size(): number {
    return this.#heard.size;
  }

  /**
   * Listens for these paths from now on, and nothing else. A path that ends in `*` stands for all there is in a directory.
   * Directories that came, went or were replaced meanwhile are found again.
   */
  async listenFor(paths: Iterable<string>): Promise<void> {
    const wanted = new Map<string, { identity: string; names: Set<string> }>();
    for (const path of paths) {
      const found = await nearest(path);
      if (found === undefined) continue;
      const { names } = wanted.get(found.directory) ?? { names: new Set<string>() };
      names.add(found.name);
      wanted.set(found.directory, { identity: found.identity, names });
    }
    if (this.#isClosed) return;
    for (const [directory, { identity }] of this.#heard) {
      if (wanted.get(directory)?.identity !== identity) this.#stop(directory);
    }
    for (const [directory, { identity, names }] of wanted) this.#hear(directory, identity, names);
  }

  close(): void {
    this.#isClosed = true;
    for (const directory of [...this.#heard.keys()]) this.#stop(directory);
  }

  #hear(directory: string, identity: string, names: ReadonlySet<string>): void {
    const known = this.#heard.get(directory);
    if (known !== undefined) {
      known.names = names;
      return;
    }
    const onChange = (name: string | undefined): void => {
      const wanted = this.#heard.get(directory)?.names;
      // A directory that is itself moved or removed says so by its own name.
      const isWanted =
        name === undefined || wanted?.has(name) || wanted?.has(EVERYTHING) || name === basename(directory);
      if (isWanted) this.#onHint();
    };
    try {
      const stop = this.#hearOf(directory, onChange, () => this.#stop(directory));
      this.#heard.set(directory, { identity, names, stop });
    } catch {
      // No notifications, as when the system's limit is reached: the regular look finds the change later.
    }
  }

  #stop(directory: string): void {
    this.#heard.get(directory)?.stop();
    this.#heard.delete(directory);
  }
}

interface WatchState {
  /** Tells two states of a path apart without reading it. Nothing there is a state too. */
  readonly signature: string;
  /** When it last changed, by the clock of the file system. */
  readonly changedAt: number;
}

const stateOf = async (path: string): Promise<WatchState> => {
  try {
    const { dev, ino, size, mtimeNs, ctimeNs, ctimeMs } = await stat(path, { bigint: true });
    return { signature: [dev, ino, size, mtimeNs, ctimeNs].join(' '), changedAt: Number(ctimeMs) };
  } catch {
    return { signature: 'missing', changedAt: 0 };
  }
};

/** Where a path leads when it, or a directory above it, is a link. */
const leadsTo = async (path: string): Promise<string> => {
  try {
    return await realpath(path);
  } catch {
    return path;
  }
};
