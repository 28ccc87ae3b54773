// Times the entries of a session for replay, and defines what its players return.
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
import { invalidArgument } from '../../../errors.ts';
import { describeValue } from '../../../kit/index.ts';
import type { AnswerMessage } from '../../../protocol/index.ts';
import type { SessionEntry, SessionProblem, SessionProblemCode } from '../format.ts';

/** When messages are published: at once, as recorded, faster by a factor, or when a promise resolves. */
export type Pace = 'instant' | 'recorded' | number | ((entry: SessionEntry) => Promise<void>);

/** Longest delay of `setTimeout`; it fires at once beyond this. */
const MAX_WAIT_MS = 2 ** 31 - 1;

type Wait = (entry: SessionEntry) => number | Promise<void>;

export const checkPace = (pace: unknown): void => {
  if (pace === 'instant' || pace === 'recorded' || typeof pace === 'function') return;
  if (typeof pace === 'number' && pace > 0) return;
  const expected = '"instant", "recorded", a factor over 0 or a function';
  throw invalidArgument(`pace: expected ${expected}, got ${describeValue(pace)}`);
};

const atOnce: Wait = () => 0;

/** Waits relative to the start, so that a late message does not delay the next. */
const asRecorded = (factor: number, scheduler: SchedulerLike): Wait => {
  const startedAt = scheduler.now();
  return ({ at }) => Math.min(at / factor - (scheduler.now() - startedAt), MAX_WAIT_MS);
};

const waitFor = (pace: Pace, scheduler: SchedulerLike): Wait => {
  if (typeof pace === 'function') return pace;
  if (pace === 'instant') return atOnce;
  return asRecorded(pace === 'recorded' ? 1 : pace, scheduler);
};

type Entries = AsyncIterable<SessionEntry> | Iterable<SessionEntry>;

const isIterable = (entries: ObservableInput<SessionEntry>): entries is Entries =>
  Symbol.asyncIterator in entries || Symbol.iterator in entries;

const iteratorOf = (entries: Entries): AsyncIterator<SessionEntry> | Iterator<SessionEntry> =>
  Symbol.asyncIterator in entries ? entries[Symbol.asyncIterator]() : entries[Symbol.iterator]();

/** Reads each entry after the one before was published, so that entries do not pile up. */
class Puller {
  readonly #subscriber: Subscriber<SessionEntry>;
  readonly #iterator: AsyncIterator<SessionEntry> | Iterator<SessionEntry>;
  readonly #wait: Wait;
  readonly #scheduler: SchedulerLike;

  constructor(subscriber: Subscriber<SessionEntry>, entries: Entries, wait: Wait, scheduler: SchedulerLike) {
    this.#subscriber = subscriber;
    this.#iterator = iteratorOf(entries);
    this.#wait = wait;
    this.#scheduler = scheduler;
  }

  /** A loop instead of recursion, so that a session in memory is published within this call. */
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

const pull = (entries: Entries, wait: Wait, scheduler: SchedulerLike): Observable<SessionEntry> =>
  new Observable((subscriber) => {
    const puller = new Puller(subscriber, entries, wait, scheduler);
    subscriber.add(() => puller.end());
    puller.pull();
  });

/**
 * Emits the entries of a session when they are due. Iterables are read on demand; other inputs are buffered. The first
 * entry waits for its own offset, since that time is part of the recording.
 */
export const pacedMessages = (
  entries: ObservableInput<SessionEntry>,
  pace: Pace,
  scheduler: SchedulerLike = asyncScheduler,
): Observable<SessionEntry> => {
  checkPace(pace);
  return defer(() => {
    const wait = waitFor(pace, scheduler);
    if (isIterable(entries)) return pull(entries, wait, scheduler);
    return from(entries).pipe(concatMap((entry) => pull([entry], wait, scheduler)));
  });
};

/** Problems of the session, a driven request without a response, or an observed request with a second response. */
export type ReplayProblemCode = SessionProblemCode | 'no-response' | 'duplicate-response';

export interface ReplayProblem extends Omit<SessionProblem, 'code'> {
  readonly code: ReplayProblemCode;
}

/** A replayed request with its recorded and its new answer, as plain data. */
export interface ReplayPair {
  readonly eventName: string;
  /** The value that matchers were compared with: a tool, a trigger. */
  readonly subject?: string;
  /** Line of the request in the file. */
  readonly line: number;
  /** Absent if the session has no answer to this request. */
  readonly recorded?: AnswerMessage;
  readonly replayed: AnswerMessage;
  /** Whether both are equal except for times, durations and ids. */
  readonly same: boolean;
  /** Paths that differ, such as `result.finalOutput.decision`. */
  readonly differences: readonly string[];
  /** Paths in the request at which hooks read a mark instead of a secret. */
  readonly redacted?: readonly string[];
  /** File of the line, if it is an older part of the recording. */
  readonly file?: string;
}

export interface Player {
  /** Whether this entry is to be played. Called for every entry. */
  takes(entry: SessionEntry): boolean;
  /** Publishes the entry. The promise resolves when the next one may follow, and rejects on abort. */
  play(entry: SessionEntry): Promise<void> | undefined;
  finish(): Promise<{ readonly pairs: readonly ReplayPair[]; readonly problems: readonly ReplayProblem[] }>;
  end(): void;
}

export type EntryLocation = Pick<SessionEntry, 'line' | 'file'>;

export const locationOf = ({ line, file }: SessionEntry): EntryLocation =>
  file === undefined ? { line } : { line, file };

export const problemAt = (location: EntryLocation, code: ReplayProblemCode, message: string): ReplayProblem => ({
  ...location,
  code,
  message,
});
