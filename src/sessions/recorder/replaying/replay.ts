// `replay`: publishes a recorded session on a bus, for observers or for a handler whose answers are compared.
import { EMPTY, from, ignoreElements, mergeMap, Observable, type SchedulerLike, takeUntil, tap } from 'rxjs';
import type { Bus } from '../../../bus/index.ts';
import { createInvalidArgument, HookwrightError } from '../../../errors.ts';
import {
  describeValue,
  doNothing,
  expectKnown,
  isPositiveNumber,
  onAbort,
  RecentMap,
  waitForNextTurn,
} from '../../../kit/index.ts';
import { type AnswerMessage, answerTypes, isAnswerType, isRequestType, requestTypes } from '../../../protocol/index.ts';
import { EntryFilter, filterEntries } from '../reading/filter-entries.ts';
import {
  createSessionHeader,
  type EntryLocation,
  locateEntry,
  type Session,
  type SessionEntry,
  type SessionFilter,
  type SessionHeader,
} from '../session-format.ts';
import { DrivePlayer } from './drive-player.ts';
import { checkPace, type Pace, pacedMessages } from './pace.ts';
import type { ReplayPair, ReplayPlayer, ReplayProblem } from './replay-player.ts';

export interface ReplayProgress {
  /** The message that was just published and, in `drive` mode, answered. */
  readonly entry: SessionEntry;
  readonly published: number;
  readonly skipped: number;
}

export interface ReplayOptions {
  /**
   * `observe` publishes all messages as recorded; the bus must have no handler. `drive` publishes only requests, with
   * new ids, for a handler on the bus, and compares its answers with the recorded ones.
   */
  readonly mode?: 'observe' | 'drive' | undefined;
  /** Default: `instant`, one message after the other. In `drive` mode each request waits for the previous answer. */
  readonly pace?: Pace | undefined;
  readonly events?: readonly string[] | undefined;
  readonly tools?: readonly string[] | undefined;
  /** Names or ids of hooks. Only requests for which at least one of these hooks ran are replayed. */
  readonly hooks?: readonly string[] | undefined;
  readonly signal?: AbortSignal | undefined;
  /** An exception from this callback ends the replay. */
  readonly onProgress?: ((progress: ReplayProgress) => void) | undefined;
  /** Clock for `pace`, such as RxJS's `TestScheduler` with a session from `sessionOf`. */
  readonly scheduler?: SchedulerLike | undefined;
  /** Milliseconds to wait for each answer in `drive` mode. Default: the timeout of the request, at most ten minutes. */
  readonly timeoutMs?: number | undefined;
}

export interface ReplayReport {
  readonly published: number;
  readonly skipped: number;
  /** In `drive` mode, one pair for each request in the order of the session. */
  readonly pairs: readonly ReplayPair[];
  readonly problems: readonly ReplayProblem[];
}

const replayOptionNames = [
  'mode',
  'pace',
  'events',
  'tools',
  'hooks',
  'signal',
  'onProgress',
  'scheduler',
  'timeoutMs',
] satisfies (keyof ReplayOptions)[];

const checkReplayOptions = (options: ReplayOptions): void => {
  expectKnown('replay', options, replayOptionNames);
  const { mode, pace, timeoutMs } = options;
  if (mode !== undefined && mode !== 'observe' && mode !== 'drive') {
    throw createInvalidArgument(`mode: expected "observe" or "drive", got ${describeValue(mode)}`);
  }
  if (timeoutMs !== undefined && !isPositiveNumber(timeoutMs)) {
    throw createInvalidArgument(`timeoutMs: expected milliseconds over 0, got ${describeValue(timeoutMs)}`);
  }
  checkPace(pace ?? 'instant');
};

const createAbortStream = (signal: AbortSignal): Observable<void> =>
  new Observable((subscriber) => {
    if (signal.aborted) subscriber.next();
    else subscriber.add(onAbort(signal, () => subscriber.next()));
  });

class Replay {
  readonly #session: Session;
  readonly #options: ReplayOptions;
  readonly #filter: EntryFilter;
  readonly #player: ReplayPlayer;
  #published = 0;
  #skipped = 0;
  #previous: Promise<void> = Promise.resolve();

  constructor(session: Session, bus: Bus, options: ReplayOptions) {
    const { events, tools, hooks } = options;
    this.#session = session;
    this.#options = options;
    this.#filter = new EntryFilter({ events, tools, hooks });
    this.#player = options.mode === 'drive' ? new DrivePlayer(bus, options) : new ObservePlayer(bus);
  }

  /** A session in memory starts synchronously, because virtual time cannot wait for a promise. */
  stream(): Observable<SessionEntry> {
    const { signal, scheduler } = this.#options;
    const stream = pacedMessages(this.#selected(), this.#pace(), scheduler).pipe(
      mergeMap((entry) => this.#play(entry)),
    );
    return signal === undefined ? stream : stream.pipe(takeUntil(createAbortStream(signal)));
  }

  async report(): Promise<ReplayReport> {
    const { pairs, problems } = await this.#player.finish();
    return {
      published: this.#published,
      skipped: this.#skipped,
      pairs,
      problems: [...this.#session.problems, ...problems],
    };
  }

  end(): void {
    this.#player.end();
  }

  #play(entry: SessionEntry): Observable<SessionEntry> {
    this.#published += 1;
    const answered = this.#player.play(entry);
    const report = (): void => {
      this.#options.onProgress?.({ entry, published: this.#published, skipped: this.#skipped });
    };
    if (answered === undefined) {
      report();
      return EMPTY;
    }
    // The returned stream reports the failure. The rejection is ignored here, so that it does not end the process.
    this.#previous = answered.catch(doNothing);
    return from(answered).pipe(tap(report), ignoreElements());
  }

  /** In `drive` mode requests wait for the previous answer, so that a replay is deterministic. */
  #pace(): Pace {
    const { mode, pace = 'instant' } = this.#options;
    if (mode !== 'drive' || (pace !== 'instant' && typeof pace !== 'function')) return pace;
    return async (entry) => {
      await this.#previous;
      if (typeof pace === 'function') await pace(entry);
    };
  }

  #selected(): Iterable<SessionEntry> | AsyncIterable<SessionEntry> {
    return this.#session instanceof MemorySession ? this.#selectNow(this.#session.list) : this.#selectRead();
  }

  *#selectNow(entries: readonly SessionEntry[]): Generator<SessionEntry, void, undefined> {
    if (this.#filter.hasToLearn) for (const entry of entries) this.#filter.learn(entry);
    for (const entry of entries) if (this.#isWanted(entry)) yield entry;
  }

  async *#selectRead(): AsyncGenerator<SessionEntry, void, undefined> {
    if (this.#filter.hasToLearn) for await (const entry of this.#session.entries()) this.#filter.learn(entry);
    for await (const entry of this.#session.entries()) if (this.#isWanted(entry)) yield entry;
  }

  #isWanted(entry: SessionEntry): boolean {
    if (this.#filter.keeps(entry) && this.#player.takes(entry)) return true;
    this.#skipped += 1;
    return false;
  }
}

/**
 * Replays a session on a bus. Resolves when all messages were published and, in `drive` mode, answered. Rejects if the
 * file cannot be read, an argument is invalid, `drive` finds no handler, or the signal aborts.
 */
export const replay = (session: Session, bus: Bus, options: ReplayOptions = {}): Promise<ReplayReport> =>
  new Promise((resolve, reject) => {
    checkReplayOptions(options);
    const { mode, signal } = options;
    if (mode === 'drive' && requestTypes.every((type) => !bus.isHeard(type))) {
      throw new HookwrightError('no_handler', 'no engine listens for hook requests on this bus');
    }
    const run = new Replay(session, bus, options);
    run.stream().subscribe({
      error: (error: unknown) => {
        run.end();
        reject(error);
      },
      complete: () => {
        const report = signal?.aborted
          ? Promise.reject(new HookwrightError('cancelled', 'the replay was cancelled', { cause: signal.reason }))
          : run.report();
        report.finally(() => run.end()).then(resolve, reject);
      },
    });
  });

const MAX_REPLAY_PROBLEMS = 1_000;

interface ObservedRequest {
  readonly location: EntryLocation;
  published: number;
  received: number;
  isReported: boolean;
}

class ObservePlayer implements ReplayPlayer {
  readonly #bus: Bus;
  readonly #observed = new RecentMap<ObservedRequest>();
  readonly #problems: ReplayProblem[] = [];
  readonly #stopListening: () => void;

  constructor(bus: Bus) {
    this.#bus = bus;
    const stops = Object.values(answerTypes).map((type) => bus.subscribe(type, (response) => this.#receive(response)));
    this.#stopListening = () => {
      for (const stop of stops) stop();
    };
  }

  takes(): boolean {
    return true;
  }

  play(entry: SessionEntry): undefined {
    const { message } = entry;
    const { type, correlationId } = message;
    if (isRequestType(type) && this.#bus.isHeard(type)) {
      this.#observed.set(correlationId, { location: locateEntry(entry), published: 0, received: 0, isReported: false });
    }
    if (isAnswerType(type)) {
      const observed = this.#observed.get(correlationId);
      if (observed !== undefined) observed.published += 1;
    }
    this.#bus.publish(message);
  }

  async finish() {
    // A handler with function hooks answers within one turn of the event loop.
    if (requestTypes.some((type) => this.#bus.isHeard(type))) await waitForNextTurn();
    return { pairs: [], problems: this.#problems };
  }

  end(): void {
    this.#stopListening();
  }

  #receive({ correlationId }: AnswerMessage): void {
    const observed = this.#observed.get(correlationId);
    if (observed === undefined) return;
    observed.received += 1;
    if (observed.received <= observed.published || observed.isReported) return;
    observed.isReported = true;
    if (this.#problems.length >= MAX_REPLAY_PROBLEMS) return;
    const message = 'a handler on this bus answered the request as well; observe on a bus without one, or drive';
    this.#problems.push({ ...observed.location, code: 'duplicate-response', message });
  }
}

export type EntryOfNoFile = Omit<SessionEntry, 'line'> & { readonly line?: number };

class MemorySession implements Session {
  readonly file = 'memory';
  readonly problems = [];
  readonly list: readonly SessionEntry[];

  constructor(entries: readonly EntryOfNoFile[]) {
    // In a file the header is line 1, so entries begin with line 2.
    this.list = entries.map((entry, index) => ({ ...entry, line: entry.line ?? index + 2 }));
  }

  header(): Promise<SessionHeader> {
    return Promise.resolve(createSessionHeader(new Date(0)));
  }

  entries(filter?: SessionFilter): AsyncIterable<SessionEntry> {
    return filterEntries(filter, () => this[Symbol.asyncIterator]());
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<SessionEntry, void, undefined> {
    yield* this.list;
  }
}

/** Creates a session from entries in memory instead of a file. */
export const sessionOf = (entries: readonly EntryOfNoFile[]): Session => new MemorySession(entries);
