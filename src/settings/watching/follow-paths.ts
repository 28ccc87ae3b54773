import { join } from 'node:path';
import { Directories, EVERYTHING, type HearOf } from './directories.ts';
import { leadsTo, stateOf, type WatchState } from './state.ts';

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
