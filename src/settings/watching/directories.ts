import { watch } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';

/** Stops hearing of a directory. */
export type StopHearing = () => void;

/** Hears of changes in one directory; `name` is what changed, if that is known. Throws, or says so, when it cannot. */
export type HearOf = (
  directory: string,
  onChange: (name: string | undefined) => void,
  onLoss: () => void,
) => StopHearing;

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
export const EVERYTHING = '*';

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
export class Directories {
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
      // No notifications to be had, as when the system's limit is reached: whoever looks now and then finds out later.
    }
  }

  #stop(directory: string): void {
    this.#heard.get(directory)?.stop();
    this.#heard.delete(directory);
  }
}
