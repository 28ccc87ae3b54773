import type { Bus } from '../../../bus/index.ts';
import { createId } from '../../../bus/internal.ts';
import { HookwrightError, invalidArgument } from '../../../errors.ts';
import { describeThrown, describeValue, isRecord } from '../../../kit/index.ts';
import type { HookMessage } from '../../../protocol/index.ts';
import { MAX_SESSION_BYTES, SESSION_VERSION } from '../format.ts';
import { encode } from './encode.ts';
import { type RedactOptions, Redactor } from './redact.ts';
import { SessionFile } from './session-file.ts';

const DEFAULT_MAX_BYTES = 64 * 2 ** 20;
const DEFAULT_MAX_FILES = 5;

/** Messages that wait to be written. One more has the oldest of them written before `publish` returns. */
const MAX_WAITING = 1_024;

/** How long writing may hold up a turn of the event loop, or a publisher. */
const SLICE_MS = 4;

export interface RecordProblem {
  /**
   * `recording-stopped`: the file cannot be written (any more), and nothing more will be recorded. `message-left-out`,
   * `message-shortened`: one message was too large, or could not be read.
   */
  readonly code: 'recording-stopped' | 'message-left-out' | 'message-shortened';
  readonly message: string;
  readonly cause?: unknown;
}

export interface RecordOptions {
  /** Created for its owner alone; what was recorded there before becomes `<file>.1`. */
  readonly file: string;
  /** The size from which on another file is begun; 64 MiB by default. */
  readonly maxBytes?: number | undefined;
  /** How many files are kept, this one included; 5 by default. */
  readonly maxFiles?: number | undefined;
  /** Keys and patterns beside those that are known; `false` writes everything as it is. */
  readonly redact?: false | RedactOptions | undefined;
  readonly onProblem?: ((problem: RecordProblem) => void) | undefined;
}

export interface RecordSummary {
  readonly messages: number;
  readonly bytes: number;
  /** How many files were begun. */
  readonly files: number;
  /** In how many places a secret was replaced by a mark. */
  readonly redacted: number;
}

export interface Recording {
  readonly file: string;
  /** Writes what is left and ends the recording. Never rejects, and may be called again. */
  close(): Promise<RecordSummary>;
}

interface Waiting {
  readonly at: number;
  readonly message: HookMessage;
}

const checkCount = (name: string, value: unknown): void => {
  if (typeof value === 'number' && value >= 1) return;
  throw invalidArgument(`${name}: expected a number from 1 on, got ${describeValue(value)}`);
};

const checkFile = (file: unknown): void => {
  if (typeof file === 'string' && file !== '' && !file.includes('\0')) return;
  throw invalidArgument(`file: expected a path, got ${describeValue(file)}`);
};

/** Two recordings in one file would move it away from each other. */
const openFiles = new Set<string>();

class Recorder {
  readonly #bus: Bus;
  readonly #file: SessionFile;
  readonly #redactor: Redactor | undefined;
  readonly #onProblem: ((problem: RecordProblem) => void) | undefined;
  readonly #startedAt = performance.now();
  #waiting: Waiting[] = [];
  #isScheduled = false;
  #isWriting = false;
  #maxWaiting = MAX_WAITING;
  #redacted = 0;
  #stopListening: () => void = () => {};
  #forgetExit: () => void = () => {};
  #isOver = false;
  #failure: Error | undefined;
  #reportToBus: ((failure: Error) => void) | undefined;
  #isWatched = false;

  constructor(bus: Bus, options: RecordOptions) {
    const { file, maxBytes = DEFAULT_MAX_BYTES, maxFiles = DEFAULT_MAX_FILES, redact, onProblem } = options;
    checkFile(file);
    checkCount('maxBytes', maxBytes);
    checkCount('maxFiles', maxFiles);
    this.#bus = bus;
    this.#onProblem = onProblem;
    if (redact !== false) this.#redactor = new Redactor(redact);
    const startedAt = new Date().toISOString();
    const header = { hookwright: 'session' as const, version: SESSION_VERSION, startedAt };
    const about = { session: createId(), redacted: redact !== false };
    this.#file = new SessionFile(
      file,
      { maxBytes: Math.min(maxBytes, MAX_SESSION_BYTES), maxFiles: Math.floor(maxFiles) },
      (part) => ({
        ...header,
        part,
        ...about,
      }),
    );
    if (openFiles.has(this.#file.file)) {
      throw invalidArgument(`${this.#file.file} is being recorded to already`);
    }
  }

  get file(): string {
    return this.#file.file;
  }

  start(): void {
    openFiles.add(this.file);
    try {
      this.#file.open();
    } catch (error) {
      this.#fail(error);
    }
    const subscription = this.#bus.stream().subscribe({
      next: (message) => this.#receive(message),
      complete: () => this.#writeAll(),
    });
    this.#stopListening = () => subscription.unsubscribe();
    if (this.#failure === undefined) this.#forgetExit = atExit(() => this.#exit());
  }

  /**
   * Called while a message is being delivered. What it returns the first time is a promise that rejects when recording
   * fails: the bus makes an `error` event of that, as of every failure of a listener.
   */
  #receive(message: HookMessage): Promise<never> | undefined {
    if (this.#failure === undefined) {
      this.#waiting.push({ at: performance.now() - this.#startedAt, message: snapshot(message) });
      if (this.#waiting.length > this.#maxWaiting) this.#writeSome();
      else this.#schedule();
    } else {
      this.#stopListening();
    }
    if (this.#isWatched) return undefined;
    this.#isWatched = true;
    return this.#whenFailed();
  }

  #whenFailed(): Promise<never> {
    const failed = new Promise<never>((_resolve, reject) => {
      this.#reportToBus = reject;
      if (this.#failure !== undefined) reject(this.#failure);
    });
    // A bus that does not look at what listeners return must not end the process by it.
    failed.catch(() => {});
    return failed;
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#writeSome();
      if (this.#waiting.length > 0) this.#schedule();
    });
  }

  #writeSome(): void {
    this.#write(performance.now() + SLICE_MS);
  }

  #writeAll(): void {
    this.#write(Number.POSITIVE_INFINITY);
  }

  /** Writes waiting messages until that time, at least one. */
  #write(until: number): void {
    // A message may have a getter that publishes.
    if (this.#isWriting || this.#failure !== undefined) return;
    this.#isWriting = true;
    let taken = 0;
    try {
      for (const { at, message } of this.#waiting) {
        taken += 1;
        this.#take(at, message);
        if (performance.now() > until) break;
      }
      this.#waiting = taken === this.#waiting.length ? [] : this.#waiting.slice(taken);
      this.#file.flush();
    } catch (error) {
      this.#fail(error);
    } finally {
      this.#isWriting = false;
    }
  }

  #take(at: number, message: HookMessage): void {
    const encoded = encode(Math.round(at * 1_000) / 1_000, message, this.#redactor);
    const what = (): string => `a ${message.type} ("${message.correlationId}")`;
    if (!encoded.ok) {
      this.#report({ code: 'message-left-out', message: `${what()} was left out: ${encoded.message}` });
      return;
    }
    const { line, shortened, redacted } = encoded;
    if (shortened.length > 0) {
      const cut = `${what()} was too long for a line; texts were cut: ${shortened.join(', ')}`;
      this.#report({ code: 'message-shortened', message: cut });
    }
    this.#file.add(line);
    this.#redacted += redacted;
  }

  #fail(cause: unknown): void {
    const message = `recording to ${this.file} stopped: ${describeThrown(cause)}`;
    this.#failure = new HookwrightError('internal_error', message, { cause, details: { file: this.file } });
    this.#waiting = [];
    this.#end();
    this.#reportToBus?.(this.#failure);
    this.#report({ code: 'recording-stopped', message, cause });
  }

  /** Later, so that no callback runs before `record` has returned. */
  #report(problem: RecordProblem): void {
    const report = this.#onProblem;
    if (report === undefined) return;
    queueMicrotask(() => {
      try {
        report(problem);
      } catch {
        // A listener for problems must not be able to make one for the host.
      }
    });
  }

  /** Nothing runs after this turn, so whatever is published in it is written at once. */
  #exit(): void {
    this.#maxWaiting = 0;
    this.#writeAll();
  }

  #end(): void {
    this.#isOver = true;
    this.#forgetExit();
    openFiles.delete(this.file);
    try {
      this.#file.close();
    } catch {
      // Everything was written, or its failure is known.
    }
  }

  close(): Promise<RecordSummary> {
    this.#stopListening();
    if (!this.#isOver) {
      this.#writeAll();
      if (!this.#isOver) this.#end();
    }
    const { messages, bytes, files } = this.#file;
    return Promise.resolve({ messages, bytes, files, redacted: this.#redacted });
  }
}

/**
 * Writes everything the bus delivers to a session file, from now on. It listens like any other subscriber: it never
 * disturbs a publisher nor keeps the process alive, and writes what is left when the process exits. Throws only for
 * arguments that are wrong; a file that cannot be written is a problem, told once to `onProblem` and, with the next
 * message, as an `error` event of the bus.
 */
export const record = (bus: Bus, options: RecordOptions): Recording => {
  const recorder = new Recorder(bus, options);
  recorder.start();
  return { file: recorder.file, close: () => recorder.close() };
};

const waiting = new Set<() => void>();

const runAll = (): void => {
  for (const callback of waiting) callback();
};

/** Runs when the process ends by itself or by `process.exit`. One listener for all: Node warns of more than ten. */
export const atExit = (callback: () => void): (() => void) => {
  if (waiting.size === 0) process.on('exit', runAll);
  waiting.add(callback);
  return () => {
    if (waiting.delete(callback) && waiting.size === 0) process.removeListener('exit', runAll);
  };
};

/** That many objects and arrays of a message are copied: under 3 µs, whatever the message. Most have fewer than twenty. */
const MAX_COPIES = 64;

/** Longer ones would take longer to copy than a publisher should wait. */
const MAX_LENGTH = 10_000;

type Container = unknown[] | Record<string, unknown>;

/** What has a form of its own is left to the encoder; a spread would lose it. */
const copyOf = (value: object): Container | undefined => {
  if (Array.isArray(value)) return value.length > MAX_LENGTH ? undefined : value.slice();
  if (value instanceof Error || value instanceof Map || value instanceof Set || 'toJSON' in value) return undefined;
  if (value instanceof ArrayBuffer || ArrayBuffer.isView(value)) return undefined;
  return { ...value };
};

/** What was copied, and the copies, at the same places: something that occurs twice, or in itself, is copied once. */
class Copies {
  readonly originals: object[] = [];
  readonly copies: Container[] = [];

  get isFull(): boolean {
    return this.copies.length >= MAX_COPIES;
  }

  /** The copy of a member, or nothing where it stays as it is. */
  of(member: unknown): Container | undefined {
    if (typeof member !== 'object' || member === null) return undefined;
    // So few that looking through them is faster than a map.
    const known = this.originals.indexOf(member);
    if (known !== -1) return this.copies[known];
    const copy = copyOf(member);
    if (copy !== undefined) this.add(member, copy);
    return copy;
  }

  add(original: object, copy: Container): void {
    this.originals.push(original);
    this.copies.push(copy);
  }
}

const copyMembers = (container: Container, copies: Copies): void => {
  if (Array.isArray(container)) {
    for (let index = 0; index < container.length && !copies.isFull; index += 1) {
      const copy = copies.of(container[index]);
      if (copy !== undefined) container[index] = copy;
    }
    return;
  }
  for (const key in container) {
    // Assigned, it would be the prototype.
    if (key === '__proto__' || copies.isFull) continue;
    const copy = copies.of(container[key]);
    if (copy !== undefined) container[key] = copy;
  }
};

/**
 * A message as it is now, to be written later: agents go on with the objects they publish, and push to the conversation
 * they showed us. Level by level, so that what lies near the top is copied first; what lies beyond the limit is shared.
 */
export const snapshot = <Message extends object>(message: Message): Message => {
  try {
    const copy = { ...message };
    if (!isRecord(copy)) return message;
    const copies = new Copies();
    copies.add(message, copy);
    for (let next = 0; next < copies.copies.length && !copies.isFull; next += 1) {
      const container = copies.copies[next];
      if (container !== undefined) copyMembers(container, copies);
    }
    return copy;
  } catch {
    // Something in it throws when it is read. The encoder says what.
    return message;
  }
};
