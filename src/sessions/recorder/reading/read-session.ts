// Reads recorded sessions line by line, and reports lines that cannot be used.
import type { FileHandle } from 'node:fs/promises';
import { resolve } from 'node:path';
import type * as z from 'zod/mini';
import { explainBadMessageType, isMessageType } from '../../../bus/internal.ts';
import { createInvalidArgument, HookwrightError } from '../../../errors.ts';
import { describeThrown, describeValue, isRecord, omitUndefined, parseJson, RecentMap } from '../../../kit/index.ts';
import { openRegularFile } from '../../../kit/node.ts';
import {
  type HookMessage,
  isCorrelationId,
  isNoticeCode,
  isQuestionType,
  isReplyType,
  MAX_CORRELATION_ID,
  type MessageBusType,
  messageSchemas,
  type Notice,
  notice,
} from '../../../protocol/index.ts';
import { getRotatedFileName } from '../recording/session-file.ts';
import {
  entrySchema,
  headerSchema,
  MAX_LINE_BYTES,
  MAX_SESSION_BYTES,
  SESSION_VERSION,
  type Session,
  type SessionEntry,
  type SessionFilter,
  type SessionHeader,
  type SessionProblem,
  type SessionProblemCode,
} from '../session-format.ts';
import { filterEntries } from './filter-entries.ts';

const READ_CHUNK_BYTES = 2 ** 16;

const MAX_SESSION_PROBLEMS = 1_000;

const throwUnreadable = (file: string, cause: unknown): never => {
  const details = { file };
  throw new HookwrightError('invalid_argument', `${file} cannot be read: ${describeThrown(cause)}`, { cause, details });
};

interface OpenOptions {
  /** False for older files of a recording: only another program can have made them symbolic links. */
  readonly follow: boolean;
}

const openToRead = async (path: string, opening: OpenOptions): Promise<FileHandle> => {
  const opened = await openRegularFile(path, opening).catch((error: unknown) => throwUnreadable(path, error));
  const { file, stats } = opened;
  if (file === undefined) {
    const what = stats.isDirectory() ? 'EISDIR: it is a directory' : 'it is not a regular file';
    return throwUnreadable(path, new Error(what));
  }
  if (stats.size <= MAX_SESSION_BYTES) return file;
  await file.close();
  return throwUnreadable(path, new Error(`it has ${stats.size} bytes; at most ${MAX_SESSION_BYTES} are read`));
};

async function* readLines(
  file: string,
  opening: OpenOptions,
): AsyncGenerator<readonly RecordedLine[], void, undefined> {
  const handle = await openToRead(file, opening);
  try {
    const splitter = new RecordedLineSplitter(MAX_LINE_BYTES);
    const buffer = Buffer.alloc(READ_CHUNK_BYTES);
    for (;;) {
      const read = handle.read(buffer, 0, buffer.length, null);
      const { bytesRead } = await read.catch((error: unknown) => throwUnreadable(file, error));
      if (bytesRead === 0) break;
      const lines = splitter.push(buffer.subarray(0, bytesRead));
      if (lines.length > 0) yield lines;
    }
    const rest = splitter.end();
    if (rest !== undefined) yield [rest];
  } finally {
    await handle.close();
  }
}

const readHeader = async (file: string, opening: OpenOptions): Promise<ParsedHeader> => {
  for await (const [first] of readLines(file, opening)) {
    return first?.text === undefined
      ? { ok: false, code: 'not-a-session', message: 'the first line is too long for a header' }
      : parseHeader(first.text);
  }
  return { ok: false, code: 'not-a-session', message: 'the file is empty' };
};

const listSessionFiles = async (file: string): Promise<readonly string[]> => {
  const latest = await readHeader(file, { follow: true });
  const files = [file];
  if (!latest.ok || latest.header.session === undefined) return files;
  for (let age = 1; age < latest.header.part; age += 1) {
    const older = getRotatedFileName(file, age);
    const read = await readHeader(older, { follow: false }).catch(() => undefined);
    if (read?.ok !== true || read.header.session !== latest.header.session) break;
    if (read.header.part !== latest.header.part - age) break;
    files.unshift(older);
  }
  return files;
};

/** A handler may answer a request twice, so ids of answered requests are remembered too. */
const MAX_ANSWERED_IDS = 1_000;

class SeenRequests {
  readonly #open = new RecentMap<true>();
  readonly #answered = new RecentMap<true>(MAX_ANSWERED_IDS);

  accepts(message: HookMessage): boolean {
    const { type, correlationId } = message;
    if (isQuestionType(type)) this.#open.set(correlationId, true);
    // A parked call may be answered by another process, whose session does not have the request.
    if (!isReplyType(type) || ('parked' in message && message.parked !== undefined)) return true;
    if (this.#open.get(correlationId) === undefined) return this.#answered.get(correlationId) !== undefined;
    this.#open.delete(correlationId);
    this.#answered.set(correlationId, true);
    return true;
  }
}

type FileLister = () => Promise<readonly string[]>;

class SessionIteration {
  readonly problems: SessionProblem[] = [];
  readonly #main: string;
  readonly #files: FileLister;
  readonly #seen = new SeenRequests();
  #startedAt: number | undefined;
  /** Milliseconds between the beginnings of the first file and the current file. */
  #laterMs = 0;

  constructor(main: string, files: FileLister) {
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

  /** A file without a header is still read, since its first line may be a message. */
  #first(text: string, isComplete: boolean, file: string): SessionEntry | undefined {
    const header = parseHeader(text);
    if (header.ok) {
      this.#begin(header.header.startedAt);
      const problem = explainBadVersion(header.header);
      return problem === undefined ? undefined : this.#problem(1, 'unsupported-version', problem, file);
    }
    const parsed = parseEntry(text, 1);
    if (!parsed.ok && parsed.code === 'invalid-json' && !isComplete) return this.#torn(1, file);
    this.#problem(1, header.code, header.message, file);
    return parsed.ok ? this.#checked(parsed.entry, file) : undefined;
  }

  #checked(read: SessionEntry, file: string): SessionEntry {
    const entry = this.#laterMs === 0 ? read : { ...read, at: read.at + this.#laterMs };
    if (!this.#seen.accepts(entry.message)) {
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
    if (this.problems.length >= MAX_SESSION_PROBLEMS) return undefined;
    const isLast = this.problems.length === MAX_SESSION_PROBLEMS - 1;
    const text = isLast ? `${message}; further problems are not listed` : message;
    this.problems.push({ line, code, message: text, ...(file === this.#main ? {} : { file }) });
    return undefined;
  }
}

class FileSession implements Session {
  readonly file: string;
  readonly #files: FileLister;
  #reading: SessionIteration | undefined;

  constructor(file: string, files: FileLister) {
    this.file = file;
    this.#files = files;
  }

  get problems(): readonly SessionProblem[] {
    return this.#reading?.problems ?? [];
  }

  async header(): Promise<SessionHeader> {
    const files = await this.#files();
    const named = files.includes(this.file) ? this.file : (files[0] ?? this.file);
    const read = await readHeader(named, { follow: named === this.file });
    if (read.ok) return read.header;
    const { code, message } = read;
    throw new HookwrightError('invalid_argument', `${this.file}:1: ${message}`, {
      details: { file: this.file, line: 1, code },
    });
  }

  entries(filter?: SessionFilter): AsyncIterable<SessionEntry> {
    const first = (): AsyncIterable<SessionEntry> => new SessionIteration(this.file, this.#files).entries();
    return filterEntries(filter, () => this.#read(), first);
  }

  [Symbol.asyncIterator](): AsyncIterator<SessionEntry> {
    return this.#read();
  }

  #read(): AsyncGenerator<SessionEntry, void, undefined> {
    this.#reading = new SessionIteration(this.file, this.#files);
    return this.#reading.entries();
  }
}

/**
 * Opens a recorded session. The file is read during iteration, so memory does not grow with its size. Unusable lines
 * are skipped and listed in `problems`. A recording in several files is read from its oldest file on.
 */
export const readSession = (file: string): Session => {
  if (typeof file !== 'string' || file === '') {
    throw createInvalidArgument(`file: expected a path, got ${describeValue(file)}`);
  }
  const main = resolve(file);
  return new FileSession(main, () => listSessionFiles(main));
};

export const readFilesAsSession = (directory: string, files: FileLister): Session => new FileSession(directory, files);

export interface RecordedLine {
  readonly number: number;
  /** Text without its line break, or `undefined` if the line is too long. */
  readonly text: string | undefined;
  /** False for text after the last line break. */
  readonly isComplete: boolean;
}

const LINE_FEED = 0x0a;
const BYTE_ORDER_MARK = '\ufeff';

export class RecordedLineSplitter {
  readonly #maxBytes: number;
  #number = 0;
  #held: Buffer[] = [];
  #heldBytes = 0;
  #isTooLong = false;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The returned lines keep no reference to `piece`, so callers may reuse its memory. */
  push(piece: Uint8Array): RecordedLine[] {
    const lines: RecordedLine[] = [];
    let start = 0;
    for (let end = piece.indexOf(LINE_FEED); end !== -1; end = piece.indexOf(LINE_FEED, start)) {
      lines.push(this.#finish(piece.subarray(start, end), true));
      start = end + 1;
    }
    this.#hold(piece.subarray(start));
    return lines;
  }

  end(): RecordedLine | undefined {
    if (this.#heldBytes === 0 && !this.#isTooLong) return undefined;
    return this.#finish(Buffer.alloc(0), false);
  }

  #hold(piece: Uint8Array): void {
    if (piece.length === 0 || this.#isTooLong) return;
    this.#heldBytes += piece.length;
    if (this.#heldBytes > this.#maxBytes) {
      this.#isTooLong = true;
      this.#held = [];
    } else {
      this.#held.push(Buffer.from(piece));
    }
  }

  #finish(last: Uint8Array, isComplete: boolean): RecordedLine {
    this.#number += 1;
    const isTooLong = this.#isTooLong || this.#heldBytes + last.length > this.#maxBytes;
    const text = isTooLong ? undefined : this.#textWith(last);
    this.#held = [];
    this.#heldBytes = 0;
    this.#isTooLong = false;
    return { number: this.#number, text, isComplete };
  }

  #textWith(last: Uint8Array): string {
    const isWhole = this.#held.length === 0;
    const bytes = isWhole
      ? Buffer.from(last.buffer, last.byteOffset, last.length)
      : Buffer.concat([...this.#held, last]);
    const text = bytes.toString('utf8');
    const isMarked = this.#number === 1 && text.startsWith(BYTE_ORDER_MARK);
    const end = text.endsWith('\r') ? text.length - 1 : text.length;
    return isMarked || end < text.length ? text.slice(isMarked ? 1 : 0, end) : text;
  }
}

interface RefusedLine {
  readonly ok: false;
  readonly code: SessionProblemCode;
  readonly message: string;
}

const createRefusal = (code: SessionProblemCode, message: string): RefusedLine => ({ ok: false, code, message });

const formatIssues = ({ issues }: z.core.$ZodError, of: string): string =>
  issues.map(({ path, message }) => `${[of, ...path].join('.')}: ${message}`).join('; ');

/** Validates the original value, because the schema's copy would lack unknown fields. */
const isMessage = (value: unknown, type: MessageBusType): value is HookMessage =>
  messageSchemas()[type].safeParse(value).success;

const explainBadMessage = (value: unknown, type: MessageBusType): string => {
  const read = messageSchemas()[type].safeParse(value);
  return read.success ? '' : formatIssues(read.error, 'message');
};

type ParsedHeader = { readonly ok: true; readonly header: SessionHeader } | RefusedLine;

export const parseHeader = (text: string): ParsedHeader => {
  const json = parseJson(text);
  const expected = 'expected a header, {"hookwright":"session","version":1,…}';
  if (!json.ok) return createRefusal('not-a-session', `${expected}, got what is no JSON: ${json.message}`);
  if (!isRecord(json.value) || json.value.hookwright !== 'session') {
    return createRefusal('not-a-session', `${expected}, got ${describeValue(json.value)}`);
  }
  const read = headerSchema().safeParse(json.value);
  if (!read.success)
    return createRefusal('not-a-session', `the header cannot be read: ${formatIssues(read.error, 'header')}`);
  return { ok: true, header: read.data };
};

const explainBadVersion = ({ version }: SessionHeader): string | undefined =>
  version === SESSION_VERSION
    ? undefined
    : `the session has version ${version}, this reads version ${SESSION_VERSION}; what reads like it is used`;

type ParsedEntry = { readonly ok: true; readonly entry: SessionEntry } | RefusedLine;

export const parseEntry = (text: string, line: number): ParsedEntry => {
  const json = parseJson(text);
  if (!json.ok) return createRefusal('invalid-json', `the line is not JSON: ${json.message}`);
  const read = entrySchema().safeParse(json.value);
  if (!read.success) {
    return createRefusal('invalid-message', `expected {"at":…,"message":{…}}: ${formatIssues(read.error, 'line')}`);
  }
  const { at, redacted, shortened } = read.data;
  const message = upgradeMessage(read.data.message);
  const { type, correlationId } = message;
  if (!isMessageType(type)) return createRefusal('unknown-message', explainBadMessageType(type));
  if (!isCorrelationId(correlationId)) {
    const found = describeValue(correlationId);
    const expected = `a correlationId of 1 to ${MAX_CORRELATION_ID} characters`;
    return createRefusal('invalid-message', `${type}: expected ${expected}, got ${found}`);
  }
  if (!isMessage(message, type))
    return createRefusal('invalid-message', `${type}: ${explainBadMessage(message, type)}`);
  return { ok: true, entry: { at, line, message, ...omitUndefined({ redacted, shortened }) } };
};

/** Recordings of early versions have warnings as text: `held-pipe: a process …`. */
const parseNotice = (text: string): Notice => {
  const [, code, message] = /^([a-z]+(?:-[a-z]+)*): (.*)$/s.exec(text) ?? [];
  return isNoticeCode(code) && message !== undefined ? notice(code, message) : notice('other', text);
};

const toNotice = (warning: unknown): unknown => {
  if (typeof warning === 'string') return parseNotice(warning);
  // A later version of hookwright may record codes that this version does not know.
  return isRecord(warning) && typeof warning.message === 'string' && !isNoticeCode(warning.code)
    ? { ...warning, code: 'other' }
    : warning;
};

/** A member of a row's `fields` is an object, or a text if it was redacted. */
const omitRedactedFields = (fields: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([, field]) => typeof field !== 'string'));

const upgradeRow = (row: unknown): unknown =>
  isRecord(row)
    ? {
        ...row,
        ...(Array.isArray(row.warnings) ? { warnings: row.warnings.map(toNotice) } : {}),
        ...(isRecord(row.fields) ? { fields: omitRedactedFields(row.fields) } : {}),
      }
    : row;

const upgradeMessage = (message: Record<string, unknown>): Record<string, unknown> =>
  Array.isArray(message.rows) ? { ...message, rows: message.rows.map(upgradeRow) } : message;
