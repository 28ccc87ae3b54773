// Writes a session file through a buffer, and begins a new file when it is full.
import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  lstatSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  type Stats,
  writeSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';
import { HookwrightError } from '../../../errors.ts';
import { attempt } from '../../../kit/index.ts';
import type { SessionHeader } from '../session-format.ts';
import { encodeHeader } from './encode-lines.ts';

/** Windows lacks O_NOFOLLOW, but O_EXCL does not follow links either. */
const { O_WRONLY, O_RDONLY, O_CREAT, O_EXCL, O_APPEND, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;

const OWNER_ONLY_MODE = 0o600;
const OWNER_ONLY_DIRECTORY_MODE = 0o700;
const MAX_HEADER_BYTES = 4_096;
const LINE_FEED = 0x0a;

/** One buffer is shared by all writes, since buffers allocated per write are freed too late under load. */
const WRITE_BUFFER_BYTES = 2 ** 17;

const createUnwritableError = (file: string, what: string): HookwrightError =>
  new HookwrightError('invalid_argument', `${file} ${what}`, { details: { file } });

const readStats = (file: string): Stats | undefined => lstatSync(file, { throwIfNoEntry: false });

const readFirstBytes = (file: string): string => {
  const descriptor = openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const buffer = Buffer.alloc(MAX_HEADER_BYTES);
    return buffer.toString('utf8', 0, readSync(descriptor, buffer, 0, MAX_HEADER_BYTES, 0));
  } finally {
    closeSync(descriptor);
  }
};

/** A crash may have cut off the header, so only its beginning is compared. */
const isSessionFile = (file: string): boolean => /^\{\s*"hookwright"\s*:\s*"session"/.test(readFirstBytes(file));

/** Throws unless the file is a session, so that no other program's file is renamed or removed. */
const expectReplaceable = (file: string, found: Stats): void => {
  if (found.isSymbolicLink())
    throw createUnwritableError(file, 'is a symbolic link; a session is only written to a file itself');
  if (!found.isFile()) throw createUnwritableError(file, 'is not a regular file');
  if (found.size > 0 && !isSessionFile(file))
    throw createUnwritableError(file, 'exists and is not a session; it is left alone');
};

export const getRotatedFileName = (file: string, age: number): string => `${file}.${age}`;

const rotateFiles = (file: string, maxFiles: number): void => {
  for (let age = maxFiles - 1; age >= 0; age -= 1) {
    const from = age === 0 ? file : getRotatedFileName(file, age);
    if (readStats(from) === undefined) continue;
    if (age === maxFiles - 1) rmSync(from);
    else renameSync(from, getRotatedFileName(file, age + 1));
  }
};

interface SessionFileLimits {
  readonly maxBytes: number;
  readonly maxFiles: number;
}

export class SessionFile {
  readonly file: string;
  readonly #limits: SessionFileLimits;
  readonly #headerOf: (part: number) => SessionHeader;
  readonly #buffer = Buffer.allocUnsafe(WRITE_BUFFER_BYTES);
  #filled = 0;
  #waiting = 0;
  #descriptor: number | undefined;
  #size = 0;
  #headerSize = 0;
  #files = 0;
  #bytes = 0;
  #messages = 0;

  constructor(file: string, limits: SessionFileLimits, headerOf: (part: number) => SessionHeader) {
    this.file = resolve(file);
    this.#limits = limits;
    this.#headerOf = headerOf;
  }

  /** Another process may have removed the file. What was written is lost then, unless the file has another name. */
  get isRemoved(): boolean {
    return this.#descriptor !== undefined && fstatSync(this.#descriptor).nlink === 0;
  }

  get counts(): { readonly messages: number; readonly bytes: number; readonly files: number } {
    return { messages: this.#messages, bytes: this.#bytes, files: this.#files };
  }

  open(): void {
    mkdirSync(dirname(this.file), { recursive: true, mode: OWNER_ONLY_DIRECTORY_MODE });
    const found = readStats(this.file);
    if (found !== undefined) {
      expectReplaceable(this.file, found);
      if (found.size === 0) rmSync(this.file);
      else rotateFiles(this.file, this.#limits.maxFiles);
    }
    this.#begin();
  }

  add(line: string): void {
    const size = Buffer.byteLength(line);
    const sizeSoFar = this.#size + this.#filled;
    if (sizeSoFar > this.#headerSize && sizeSoFar + size > this.#limits.maxBytes) {
      this.flush();
      this.#rotate();
    }
    this.#put(line, size);
    this.#waiting += 1;
  }

  flush(): void {
    const [length, messages] = [this.#filled, this.#waiting];
    this.#filled = 0;
    this.#waiting = 0;
    this.#write(this.#buffer, length);
    this.#messages += messages;
  }

  close(): void {
    if (this.#descriptor === undefined) return;
    const descriptor = this.#descriptor;
    this.#descriptor = undefined;
    closeSync(descriptor);
  }

  #begin(): void {
    // O_EXCL follows no link, and fails if another process created the file meanwhile.
    const flags = O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_NOFOLLOW;
    this.#descriptor = openSync(this.file, flags, OWNER_ONLY_MODE);
    this.#files += 1;
    this.#size = 0;
    const header = encodeHeader(this.#headerOf(this.#files));
    this.#put(header, Buffer.byteLength(header));
    this.flush();
    this.#headerSize = this.#size;
  }

  #rotate(): void {
    const isOurs = this.#isStillThere();
    this.close();
    if (isOurs) rotateFiles(this.file, this.#limits.maxFiles);
    this.#begin();
  }

  /** Another process may have renamed or removed our file. */
  #isStillThere(): boolean {
    if (this.#descriptor === undefined) return false;
    const ours = fstatSync(this.#descriptor);
    const found = readStats(this.file);
    return found !== undefined && found.ino === ours.ino && found.dev === ours.dev;
  }

  #put(line: string, size: number): void {
    if (this.#filled + size > WRITE_BUFFER_BYTES) this.flush();
    if (size > WRITE_BUFFER_BYTES) this.#write(Buffer.from(line), size);
    else this.#filled += this.#buffer.write(line, this.#filled);
  }

  #write(bytes: Buffer, length: number): void {
    if (this.#descriptor === undefined) return;
    let written = 0;
    try {
      while (written < length) written += writeSync(this.#descriptor, bytes, written, length - written);
    } catch (error) {
      const whole = bytes.subarray(0, bytes.subarray(0, written).lastIndexOf(LINE_FEED) + 1);
      this.#messages += whole.filter((byte) => byte === LINE_FEED).length;
      this.#wrote(whole.length);
      this.#truncate(this.#descriptor);
      throw error;
    }
    this.#wrote(written);
  }

  #wrote(bytes: number): void {
    this.#size += bytes;
    this.#bytes += bytes;
  }

  /** If this fails, the incomplete last line stays in the file, and readers report it. */
  #truncate(descriptor: number): void {
    attempt(() => ftruncateSync(descriptor, this.#size));
  }
}
