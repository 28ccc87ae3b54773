import { EMPTY, from, mergeMap, Observable, type SchedulerLike, takeUntil, tap } from 'rxjs';
import type { Bus } from '../../../bus/index.ts';
import { HookwrightError, invalidArgument } from '../../../errors.ts';
import { describeValue, onAbort } from '../../../kit/index.ts';
import { requestTypes } from '../../../protocol/index.ts';
import { EntryFilter } from '../reading/filter.ts';
import type { Session, SessionEntry } from '../reading/format.ts';
import { Driving } from './drive.ts';
import { Observing } from './observe.ts';
import { checkPace, type Pace, pacedMessages } from './pace.ts';
import type { Player, ReplayPair, ReplayProblem } from './player.ts';
import { MemorySession } from './session-of.ts';

export interface ReplayProgress {
  /** What was just published; in `drive` it has been answered, too. */
  readonly entry: SessionEntry;
  readonly published: number;
  readonly skipped: number;
}

export interface ReplayOptions {
  /**
   * `observe` publishes the messages as they were recorded, for whoever watches; no handler may be on that bus. `drive`
   * publishes only the requests, under fresh ids, and compares the answers with the recorded ones.
   */
  readonly mode?: 'observe' | 'drive' | undefined;
  /** `instant` by default: one message after the other, in `drive` each when the one before was answered. */
  readonly pace?: Pace | undefined;
  readonly events?: readonly string[] | undefined;
  readonly tools?: readonly string[] | undefined;
  /** Names or ids: only requests that ran hooks of these names. */
  readonly hooks?: readonly string[] | undefined;
  readonly signal?: AbortSignal | undefined;
  /** What it throws ends the replay. */
  readonly onProgress?: ((progress: ReplayProgress) => void) | undefined;
  /** Tells the time for `pace`: a `TestScheduler`, with a session from `sessionOf`. */
  readonly scheduler?: SchedulerLike | undefined;
  /** In `drive`, how long an answer may take; by default as long as the request allows, at most ten minutes. */
  readonly timeoutMs?: number | undefined;
}

export interface ReplayReport {
  readonly published: number;
  /** Messages of the session that were not published: left out by a filter and, in `drive`, all but the requests. */
  readonly skipped: number;
  /** In `drive`, one for each request, in the order of the session. */
  readonly pairs: readonly ReplayPair[];
  /** What was wrong with the session and with the replay. */
  readonly problems: readonly ReplayProblem[];
}

const checkOptions = ({ mode, pace, timeoutMs }: ReplayOptions): void => {
  if (mode !== undefined && mode !== 'observe' && mode !== 'drive') {
    throw invalidArgument(`mode: expected "observe" or "drive", got ${describeValue(mode)}`);
  }
  if (timeoutMs !== undefined && !(typeof timeoutMs === 'number' && timeoutMs > 0)) {
    throw invalidArgument(`timeoutMs: expected milliseconds over 0, got ${describeValue(timeoutMs)}`);
  }
  checkPace(pace ?? 'instant');
};

const cancelled = ({ reason }: AbortSignal): HookwrightError =>
  new HookwrightError('cancelled', 'the replay was cancelled', { cause: reason });

const whenAborted = (signal: AbortSignal): Observable<void> =>
  new Observable((subscriber) => {
    if (signal.aborted) subscriber.next();
    else subscriber.add(onAbort(signal, () => subscriber.next()));
  });

/** One replay, from the first entry to the report. */
class Replay {
  readonly #session: Session;
  readonly #options: ReplayOptions;
  readonly #filter: EntryFilter;
  readonly #player: Player;
  #published = 0;
  #skipped = 0;
  /** Settles when the last driven request was answered. */
  #previous: Promise<void> = Promise.resolve();

  constructor(session: Session, bus: Bus, options: ReplayOptions) {
    const { events, tools, hooks } = options;
    this.#session = session;
    this.#options = options;
    this.#filter = new EntryFilter({ events, tools, hooks });
    this.#player = options.mode === 'drive' ? new Driving(bus, options) : new Observing(bus);
  }

  /** The messages as they go out. A session in memory begins in this very call: virtual time cannot wait for a promise. */
  stream(): Observable<SessionEntry> {
    const { signal, scheduler } = this.#options;
    const stream = pacedMessages(this.#selected(), this.#pace(), scheduler).pipe(
      mergeMap((entry) => this.#play(entry)),
    );
    return signal === undefined ? stream : stream.pipe(takeUntil(whenAborted(signal)));
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
    const tell = (): void => {
      this.#options.onProgress?.({ entry, published: this.#published, skipped: this.#skipped });
    };
    if (answered === undefined) {
      tell();
      return EMPTY;
    }
    // A failure ends the stream below; whoever waits for its turn has nothing to do with it.
    this.#previous = answered.catch(() => {});
    return from(answered).pipe(
      tap(tell),
      mergeMap(() => EMPTY),
    );
  }

  /** Deterministic where nothing else is asked for: a driven request waits for the answer to the one before. */
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
 * Replays a session on a bus. Resolves when all of it was published and, in `drive`, answered. Rejects when the file
 * cannot be read, when an argument is wrong, when nobody handles requests (`drive`), and with `cancelled` on abort.
 */
export const replay = (session: Session, bus: Bus, options: ReplayOptions = {}): Promise<ReplayReport> =>
  new Promise((resolve, reject) => {
    checkOptions(options);
    const { mode, signal } = options;
    if (mode === 'drive' && requestTypes.every((type) => !bus.isHeard(type))) {
      throw new HookwrightError('no_handler', 'nobody listens for hook requests on this bus');
    }
    const run = new Replay(session, bus, options);
    run.stream().subscribe({
      error: (error: unknown) => {
        run.end();
        reject(error);
      },
      complete: () => {
        const report = signal?.aborted ? Promise.reject(cancelled(signal)) : run.report();
        report.finally(() => run.end()).then(resolve, reject);
      },
    });
  });
