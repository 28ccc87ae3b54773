// Emits the entries of a session at the right time for a replay.
import {
  asyncScheduler,
  concatMap,
  defer,
  from,
  Observable,
  type ObservableInput,
  type SchedulerLike,
  type Subscriber,
} from 'rxjs';
import { createInvalidArgument } from '../../../errors.ts';
import { describeValue, MAX_TIMER_MS } from '../../../kit/index.ts';
import type { SessionEntry } from '../session-format.ts';

/**
 * When messages are published: without waiting, at recorded times, at recorded times divided by a factor, or whenever
 * the function's promise resolves.
 */
export type Pace = 'instant' | 'recorded' | number | ((entry: SessionEntry) => Promise<void>);

type EntryDelay = (entry: SessionEntry) => number | Promise<void>;

export const checkPace = (pace: unknown): void => {
  if (pace === 'instant' || pace === 'recorded' || typeof pace === 'function') return;
  if (typeof pace === 'number' && pace > 0) return;
  const expected = '"instant", "recorded", a factor over 0 or a function';
  throw createInvalidArgument(`pace: expected ${expected}, got ${describeValue(pace)}`);
};

const createEntryDelay = (pace: Pace, scheduler: SchedulerLike): EntryDelay => {
  if (typeof pace === 'function') return pace;
  if (pace === 'instant') return () => 0;
  const factor = pace === 'recorded' ? 1 : pace;
  // Each delay is measured from the start of the replay, so that one late message does not delay all later ones.
  const startedAt = scheduler.now();
  return ({ at }) => Math.min(at / factor - (scheduler.now() - startedAt), MAX_TIMER_MS);
};

type IterableEntries = AsyncIterable<SessionEntry> | Iterable<SessionEntry>;

const isIterable = (entries: ObservableInput<SessionEntry>): entries is IterableEntries =>
  Symbol.asyncIterator in entries || Symbol.iterator in entries;

/** Reads an entry only after the previous entry was published, so that entries do not pile up in memory. */
class EntryPuller {
  readonly #subscriber: Subscriber<SessionEntry>;
  readonly #iterator: AsyncIterator<SessionEntry> | Iterator<SessionEntry>;
  readonly #wait: EntryDelay;
  readonly #scheduler: SchedulerLike;

  constructor(
    subscriber: Subscriber<SessionEntry>,
    entries: IterableEntries,
    wait: EntryDelay,
    scheduler: SchedulerLike,
  ) {
    this.#subscriber = subscriber;
    this.#iterator = Symbol.asyncIterator in entries ? entries[Symbol.asyncIterator]() : entries[Symbol.iterator]();
    this.#wait = wait;
    this.#scheduler = scheduler;
  }

  /** A loop, because recursion would overflow the stack for long sessions in memory. */
  pull(): void {
    try {
      while (!this.#subscriber.closed) {
        const next = this.#iterator.next();
        if ('then' in next) {
          next.then(this.#resume, this.#fail);
          return;
        }
        if (!this.#receive(next)) return;
      }
    } catch (error) {
      this.#fail(error);
    }
  }

  end(): void {
    Promise.resolve(this.#iterator.return?.()).catch(() => {});
  }

  readonly #fail = (error: unknown): void => this.#subscriber.error(error);

  readonly #resume = (result: IteratorResult<SessionEntry, unknown>): void => {
    try {
      if (!this.#subscriber.closed && this.#receive(result)) this.pull();
    } catch (error) {
      this.#fail(error);
    }
  };

  #receive(result: IteratorResult<SessionEntry, unknown>): boolean {
    if (result.done === true) {
      this.#subscriber.complete();
      return false;
    }
    const entry = result.value;
    const waiting = this.#wait(entry);
    if (typeof waiting === 'number' && waiting <= 0) {
      this.#subscriber.next(entry);
      return true;
    }
    const send = (): void => {
      this.#subscriber.next(entry);
      this.pull();
    };
    if (typeof waiting === 'number') this.#subscriber.add(this.#scheduler.schedule(send, waiting));
    else Promise.resolve(waiting).then(send, this.#fail);
    return false;
  }
}

const streamEntries = (
  entries: IterableEntries,
  wait: EntryDelay,
  scheduler: SchedulerLike,
): Observable<SessionEntry> =>
  new Observable((subscriber) => {
    const puller = new EntryPuller(subscriber, entries, wait, scheduler);
    subscriber.add(() => puller.end());
    puller.pull();
  });

/**
 * Emits the entries of a session when they are due. Iterables are read on demand; other inputs are buffered. The first
 * entry also waits for its recorded time, counted from the beginning of the recording.
 */
export const pacedMessages = (
  entries: ObservableInput<SessionEntry>,
  pace: Pace,
  scheduler: SchedulerLike = asyncScheduler,
): Observable<SessionEntry> => {
  checkPace(pace);
  return defer(() => {
    const wait = createEntryDelay(pace, scheduler);
    if (isIterable(entries)) return streamEntries(entries, wait, scheduler);
    return from(entries).pipe(concatMap((entry) => streamEntries([entry], wait, scheduler)));
  });
};
