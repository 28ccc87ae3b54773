// `record`: records the messages of a bus into a session file.
import type { Bus } from '../../../bus/index.ts';
import { createId } from '../../../bus/internal.ts';
import { createInvalidArgument, HookwrightError } from '../../../errors.ts';
import { attempt, describeThrown, describeValue, doNothing, expectKnown } from '../../../kit/index.ts';
import { emitProcessWarningNow, type HookMessage } from '../../../protocol/index.ts';
import { createSessionHeader, MAX_SESSION_BYTES } from '../session-format.ts';
import type { EncodedMessage } from './encode-lines.ts';
import { EncodingQueue } from './encoding-queue.ts';
import { type RedactOptions, Redactor } from './redact.ts';
import { SessionFile } from './session-file.ts';

const DEFAULT_MAX_FILE_BYTES = 64 * 2 ** 20;
const DEFAULT_MAX_FILES = 5;

/** If more messages wait, the oldest are written before `publish` returns. */
const MAX_WAITING_MESSAGES = 1_024;

export interface RecordProblem {
  /**
   * `recording-stopped`: the file cannot be written, so nothing more is recorded. `message-left-out` and
   * `message-shortened`: one message was too large or could not be encoded.
   */
  readonly code: 'recording-stopped' | 'message-left-out' | 'message-shortened';
  readonly message: string;
  readonly cause?: unknown;
}

export interface RecordOptions {
  /** Path of the session file, which only its owner may read. An existing recording at this path becomes `<file>.1`. */
  readonly file: string;
  /** Size in bytes at which a new file is begun. Default: 64 MiB. */
  readonly maxBytes?: number | undefined;
  /** Number of files to keep, including the current one. Default: 5. */
  readonly maxFiles?: number | undefined;
  /** Keys and patterns of secrets besides the built-in ones. `false` records secrets unchanged. */
  readonly redact?: false | RedactOptions | undefined;
  readonly onProblem?: ((problem: RecordProblem) => void) | undefined;
}

const recordOptionNames = ['file', 'maxBytes', 'maxFiles', 'redact', 'onProblem'] satisfies (keyof RecordOptions)[];

export interface RecordSummary {
  readonly messages: number;
  readonly bytes: number;
  readonly files: number;
  readonly redacted: number;
}

export interface Recording {
  readonly file: string;
  /** Writes waiting messages and ends the recording. Never rejects, and may be called again. */
  close(): Promise<RecordSummary>;
}

const checkCount = (name: string, value: unknown): void => {
  if (typeof value === 'number' && value >= 1) return;
  throw createInvalidArgument(`${name}: expected a number from 1 on, got ${describeValue(value)}`);
};

const checkFilePath = (file: unknown): void => {
  if (typeof file === 'string' && file !== '' && !file.includes('\0')) return;
  throw createInvalidArgument(`file: expected a path, got ${describeValue(file)}`);
};

/** Two recordings to one path would rename each other's file. */
const openSessionFiles = new Set<string>();

class Recorder {
  readonly #bus: Bus;
  readonly #file: SessionFile;
  readonly #onProblem: ((problem: RecordProblem) => void) | undefined;
  readonly #queue: EncodingQueue;
  #maxWaiting = MAX_WAITING_MESSAGES;
  #redacted = 0;
  #stopListening = doNothing;
  #forgetExit = doNothing;
  #isOver = false;
  #failure: Error | undefined;
  #reportToBus: ((failure: Error) => void) | undefined;
  #isWatched = false;
  #isExiting = false;
  #hasWarned = false;

  constructor(bus: Bus, options: RecordOptions) {
    expectKnown('record', options, recordOptionNames);
    const { file, maxBytes = DEFAULT_MAX_FILE_BYTES, maxFiles = DEFAULT_MAX_FILES, redact, onProblem } = options;
    checkFilePath(file);
    checkCount('maxBytes', maxBytes);
    checkCount('maxFiles', maxFiles);
    this.#bus = bus;
    this.#onProblem = onProblem;
    this.#queue = new EncodingQueue(redact === false ? undefined : new Redactor(redact), {
      take: (encoded, message) => this.#take(encoded, message),
      rest: () => this.#file.flush(),
      failed: (error) => this.#fail(error),
    });
    const header = createSessionHeader(new Date(), { session: createId(), redacted: redact !== false });
    const limits = { maxBytes: Math.min(maxBytes, MAX_SESSION_BYTES), maxFiles: Math.floor(maxFiles) };
    this.#file = new SessionFile(file, limits, (part) => ({ ...header, part }));
    if (openSessionFiles.has(this.#file.file)) {
      throw createInvalidArgument(`${this.#file.file} is being recorded to already`);
    }
  }

  get file(): string {
    return this.#file.file;
  }

  start(): void {
    openSessionFiles.add(this.file);
    try {
      this.#file.open();
    } catch (error) {
      this.#fail(error);
    }
    const subscription = this.#bus.stream().subscribe({
      next: (message) => this.#receive(message),
      complete: () => this.#queue.takeAll(),
    });
    this.#stopListening = () => subscription.unsubscribe();
    if (this.#failure === undefined) this.#forgetExit = callAtExit(() => this.#exit());
  }

  /** The first call returns a promise that rejects if recording fails, so that the bus emits an `error` event. */
  #receive(message: HookMessage): Promise<never> | undefined {
    if (this.#failure === undefined) {
      this.#queue.add(message);
      if (this.#queue.size > this.#maxWaiting) this.#queue.takeSlice();
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
    // Without this handler a bus that ignores the promise would end the process with an unhandled rejection.
    failed.catch(doNothing);
    return failed;
  }

  #take(encoded: EncodedMessage, message: HookMessage): void {
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
    this.#queue.clear();
    this.#end();
    this.#reportToBus?.(this.#failure);
    this.#report({ code: 'recording-stopped', message, cause });
  }

  /** Reports in a later microtask, so that `onProblem` never runs before `record` has returned. */
  #report(problem: RecordProblem): void {
    if (this.#isExiting) this.#tellHost(problem);
    else queueMicrotask(() => this.#tellHost(problem));
  }

  #tellHost(problem: RecordProblem): void {
    // An exception of the callback must not disturb the host.
    if (this.#onProblem !== undefined) attempt(() => this.#onProblem?.(problem));
    else if (!this.#hasWarned && !this.#isKnownToHost(problem)) {
      this.#hasWarned = true;
      emitProcessWarningNow(problem.message, 'HOOKWRIGHT_RECORDING');
    }
  }

  /** The entry of a shortened message names its texts. When the process exits, the bus reports nothing more. */
  #isKnownToHost({ code }: RecordProblem): boolean {
    if (code === 'message-shortened') return true;
    return code === 'recording-stopped' && !this.#isExiting && this.#bus.listenerCount('error') > 0;
  }

  /** Node runs no timers after an exit listener, so waiting messages are written synchronously. */
  #exit(): void {
    this.#isExiting = true;
    this.#maxWaiting = 0;
    this.#takeLast();
  }

  #takeLast(): void {
    this.#queue.takeAll();
    if (!this.#isOver && this.#file.isRemoved) this.#fail(new Error('the file was removed'));
  }

  #end(): void {
    this.#isOver = true;
    this.#forgetExit();
    openSessionFiles.delete(this.file);
    attempt(() => this.#file.close());
  }

  close(): Promise<RecordSummary> {
    this.#stopListening();
    if (!this.#isOver) {
      this.#takeLast();
      if (!this.#isOver) this.#end();
    }
    return Promise.resolve({ ...this.#file.counts, redacted: this.#redacted });
  }
}

/**
 * Records all messages of a bus into a session file, beginning now. Publishers do not wait for it, and it does not keep
 * the process alive. Waiting messages are written when the process exits. Throws only for invalid arguments. If the
 * file cannot be written, `onProblem` is called once, and the bus emits an `error` event; without either listener it is
 * a process warning.
 */
export const record = (bus: Bus, options: RecordOptions): Recording => {
  const recorder = new Recorder(bus, options);
  recorder.start();
  return { file: recorder.file, close: () => recorder.close() };
};

const atExitCallbacks = new Set<() => void>();

const runExitCallbacks = (): void => {
  for (const callback of atExitCallbacks) callback();
};

/** All callbacks share one exit listener, since Node warns above ten. */
export const callAtExit = (callback: () => void): (() => void) => {
  if (atExitCallbacks.size === 0) process.on('exit', runExitCallbacks);
  atExitCallbacks.add(callback);
  return () => {
    if (atExitCallbacks.delete(callback) && atExitCallbacks.size === 0)
      process.removeListener('exit', runExitCallbacks);
  };
};
