import type { FileHandle } from 'node:fs/promises';
import { resolve } from 'node:path';
import { HookwrightError, invalidArgument } from '../../../errors.ts';
import { describeThrown, describeValue } from '../../../kit/index.ts';
import { openRegular } from '../../../kit/node.ts';
import { olderName } from '../recording/session-file.ts';
import { SeenRequests } from '../replaying/seen-requests.ts';
import { filteredEntries } from './filter.ts';
import {
  MAX_LINE_BYTES,
  MAX_SESSION_BYTES,
  type Session,
  type SessionEntry,
  type SessionFilter,
  type SessionHeader,
  type SessionProblem,
  type SessionProblemCode,
} from './format.ts';
import { type RecordedLine, RecordedLineSplitter } from './lines.ts';
import { type ParsedHeader, parseEntry, parseHeader, whyNotVersion } from './parse-line.ts';

const PIECE_BYTES = 2 ** 16;

/** A file of which every line is a problem must not fill the memory with them. */
const MAX_PROBLEMS = 1_000;

const unreadable = (file: string, cause: unknown): HookwrightError =>
  new HookwrightError('invalid_argument', `${file} cannot be read: ${describeThrown(cause)}`, {
    cause,
    details: { file },
  });

interface Opening {
  /** Whether a link is followed. Older parts are found by their names, and we write none. */
  readonly follow: boolean;
}

const openToRead = async (file: string, opening: Opening): Promise<FileHandle> => {
  const opened = await openRegular(file, opening).catch((error: unknown) => {
    throw unreadable(file, error);
  });
  if (opened.file === undefined) {
    const what = opened.stats.isDirectory() ? 'EISDIR: it is a directory' : 'it is not a regular file';
    throw unreadable(file, new Error(what));
  }
  if (opened.stats.size <= MAX_SESSION_BYTES) return opened.file;
  await opened.file.close();
  throw unreadable(file, new Error(`it has ${opened.stats.size} bytes; at most ${MAX_SESSION_BYTES} are read`));
};

const readPiece = async (handle: FileHandle, buffer: Buffer, file: string): Promise<number> => {
  try {
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, null);
    return bytesRead;
  } catch (error) {
    throw unreadable(file, error);
  }
};

/** The lines of a file, as many at a time as one piece of it has. */
async function* readLines(file: string, opening: Opening): AsyncGenerator<readonly RecordedLine[], void, undefined> {
  const handle = await openToRead(file, opening);
  try {
    const splitter = new RecordedLineSplitter(MAX_LINE_BYTES);
    const buffer = Buffer.alloc(PIECE_BYTES);
    for (;;) {
      const bytes = await readPiece(handle, buffer, file);
      if (bytes === 0) break;
      const lines = splitter.push(buffer.subarray(0, bytes));
      if (lines.length > 0) yield lines;
    }
    const rest = splitter.end();
    if (rest !== undefined) yield [rest];
  } finally {
    await handle.close();
  }
}

const readHeader = async (file: string, opening: Opening): Promise<ParsedHeader> => {
  for await (const [first] of readLines(file, opening)) {
    return first?.text === undefined
      ? { ok: false, code: 'not-a-session', message: 'the first line is too long for a header' }
      : parseHeader(first.text);
  }
  return { ok: false, code: 'not-a-session', message: 'the file is empty' };
};

/** The files of a recording that outgrew one, the oldest first, as far as they are still there. */
const partsOf = async (file: string): Promise<readonly string[]> => {
  const latest = await readHeader(file, { follow: true });
  const files = [file];
  if (!latest.ok || latest.header.session === undefined) return files;
  for (let age = 1; age < latest.header.part; age += 1) {
    const older = olderName(file, age);
    const read = await readHeader(older, { follow: false }).catch(() => undefined);
    if (read?.ok !== true || read.header.session !== latest.header.session) break;
    if (read.header.part !== latest.header.part - age) break;
    files.unshift(older);
  }
  return files;
};

/** The files of a session, the oldest first. */
type FilesOf = () => Promise<readonly string[]>;

/** One reading of a session, from its first line to its last. */
class Reading {
  readonly problems: SessionProblem[] = [];
  readonly #main: string;
  readonly #files: FilesOf;
  readonly #seen = new SeenRequests();
  #startedAt: number | undefined;
  /** How much later than the first file the one that is read began; parts of one recording began together. */
  #laterMs = 0;

  constructor(main: string, files: FilesOf) {
    this.#main = main;
    this.#files = files;
  }

  async *entries(): AsyncGenerator<SessionEntry, void, undefined> {
    for (const file of await this.#files()) {
      let isEmpty = true;
      for await (const lines of readLines(file, { follow: file === this.#main })) {
        isEmpty = false;
        for (const line of lines) {
          const entry = this.#entryOf(line, file);
          if (entry !== undefined) yield entry;
        }
      }
      if (isEmpty) this.#problem(1, 'not-a-session', 'the file is empty', file);
    }
  }

  #begin(startedAt: string): void {
    const at = Date.parse(startedAt);
    this.#startedAt ??= at;
    this.#laterMs = at - this.#startedAt || 0;
  }

  #entryOf(line: RecordedLine, file: string): SessionEntry | undefined {
    const { number, text, isComplete } = line;
    if (text === undefined) {
      return this.#problem(number, 'line-too-long', `the line is longer than ${MAX_LINE_BYTES} bytes`, file);
    }
    if (number === 1) return this.#first(text, isComplete, file);
    if (text.trim() === '') return undefined;
    const parsed = parseEntry(text, number);
    if (parsed.ok) return this.#checked(parsed.entry, file);
    if (parsed.code === 'invalid-json' && !isComplete) return this.#torn(number, file);
    return this.#problem(number, parsed.code, parsed.message, file);
  }

  /** A file without a header is read as if it had one: its first line may be a message. */
  #first(text: string, isComplete: boolean, file: string): SessionEntry | undefined {
    const header = parseHeader(text);
    if (header.ok) {
      this.#begin(header.header.startedAt);
      const problem = whyNotVersion(header.header);
      return problem === undefined ? undefined : this.#problem(1, 'unsupported-version', problem, file);
    }
    const parsed = parseEntry(text, 1);
    if (!parsed.ok && parsed.code === 'invalid-json' && !isComplete) return this.#torn(1, file);
    this.#problem(1, header.code, header.message, file);
    return parsed.ok ? this.#checked(parsed.entry, file) : undefined;
  }

  #checked(read: SessionEntry, file: string): SessionEntry {
    const entry = this.#laterMs === 0 ? read : { ...read, at: read.at + this.#laterMs };
    if (!this.#seen.note(entry.message)) {
      const { type, correlationId } = entry.message;
      const what = `a ${type} for ${describeValue(correlationId)}, which no request before it has`;
      this.#problem(entry.line, 'response-without-request', what, file);
    }
    return file === this.#main ? entry : { ...entry, file };
  }

  #torn(line: number, file: string): undefined {
    const message = 'the last line is cut off: the recording was interrupted while it was written';
    return this.#problem(line, 'torn-line', message, file);
  }

  #problem(line: number, code: SessionProblemCode, message: string, file: string): undefined {
    if (this.problems.length >= MAX_PROBLEMS) return undefined;
    const isLast = this.problems.length === MAX_PROBLEMS - 1;
    const text = isLast ? `${message}; further problems are not listed` : message;
    this.problems.push({ line, code, message: text, ...(file === this.#main ? {} : { file }) });
    return undefined;
  }
}

const noProblems: readonly SessionProblem[] = [];

class FileSession implements Session {
  readonly file: string;
  readonly #files: FilesOf;
  #reading: Reading | undefined;

  constructor(file: string, files: FilesOf) {
    this.file = file;
    this.#files = files;
  }

  get problems(): readonly SessionProblem[] {
    return this.#reading?.problems ?? noProblems;
  }

  async header(): Promise<SessionHeader> {
    const [first = this.file] = await this.#files();
    const read = await readHeader(first, { follow: first === this.file });
    if (read.ok) return read.header;
    const { code, message } = read;
    throw new HookwrightError('invalid_argument', `${this.file}:1: ${message}`, {
      details: { file: this.file, line: 1, code },
    });
  }

  entries(filter?: SessionFilter): AsyncIterable<SessionEntry> {
    const first = (): AsyncIterable<SessionEntry> => new Reading(this.file, this.#files).entries();
    return filteredEntries(filter, () => this.#read(), first);
  }

  [Symbol.asyncIterator](): AsyncIterator<SessionEntry> {
    return this.#read();
  }

  #read(): AsyncGenerator<SessionEntry, void, undefined> {
    this.#reading = new Reading(this.file, this.#files);
    return this.#reading.entries();
  }
}

/**
 * A recorded session, read as it is iterated: a file of any size takes the same memory. Lines that cannot be used are
 * reported in `problems` and left out, all others come. A recording that went on in other files is read from its oldest
 * one that is still there.
 */
export const readSession = (file: string): Session => {
  if (typeof file !== 'string' || file === '') {
    throw invalidArgument(`file: expected a path, got ${describeValue(file)}`);
  }
  const main = resolve(file);
  return new FileSession(main, () => partsOf(main));
};

/** Many short recordings as one session, which has the name of the directory that they are in. */
export const readTogether = (directory: string, files: FilesOf): Session => new FileSession(directory, files);
