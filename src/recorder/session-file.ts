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
import { HookwrightError } from '../errors.ts';
import type { SessionHeader } from './format.ts';

export interface SessionFileOptions {
  readonly maxBytes: number;
  readonly maxFiles: number;
}

/** Where Windows has no such flag, it is the creation that never follows a link. */
const { O_WRONLY, O_RDONLY, O_CREAT, O_EXCL, O_APPEND, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;

const OWNER_ONLY = 0o600;
const OWNER_ONLY_DIRECTORY = 0o700;
const HEADER_BYTES = 4_096;

const unwritable = (file: string, what: string): HookwrightError =>
  new HookwrightError('invalid_argument', `${file} ${what}`, { details: { file } });

const statOf = (file: string): Stats | undefined => lstatSync(file, { throwIfNoEntry: false });

const firstBytes = (file: string): string => {
  const descriptor = openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const buffer = Buffer.alloc(HEADER_BYTES);
    return buffer.toString('utf8', 0, readSync(descriptor, buffer, 0, HEADER_BYTES, 0));
  } finally {
    closeSync(descriptor);
  }
};

/** A beginning is enough: it may have been cut off by a crash. */
const beginsLikeSession = (file: string): boolean => /^\{\s*"hookwright"\s*:\s*"session"/.test(firstBytes(file));

/** What must not be moved aside: it is somebody else's, and the path was a mistake. */
const checkReplaceable = (file: string, found: Stats): void => {
  if (found.isSymbolicLink()) throw unwritable(file, 'is a symbolic link; a session is only written to a file itself');
  if (!found.isFile()) throw unwritable(file, 'is not a regular file');
  if (found.size > 0 && !beginsLikeSession(file))
    throw unwritable(file, 'exists and is not a session; it is left alone');
};

/** The name of an older part, or of an older recording: the higher the number, the older. */
export const olderName = (file: string, age: number): string => `${file}.${age}`;

/** Makes room at `file`: what is there becomes `file.1`, that `file.2`, and the oldest goes. */
const shift = (file: string, maxFiles: number): void => {
  for (let age = maxFiles - 1; age >= 0; age -= 1) {
    const from = age === 0 ? file : olderName(file, age);
    if (statOf(from) === undefined) continue;
    if (age === maxFiles - 1) rmSync(from);
    else renameSync(from, olderName(file, age + 1));
  }
};

/** A file of JSON lines that only its owner can read, with as many older ones beside it as are wanted. */
export class SessionFile {
  readonly file: string;
  readonly #options: SessionFileOptions;
  readonly #headerOf: (part: number) => SessionHeader;
  #descriptor: number | undefined;
  #size = 0;
  #headerSize = 0;
  #files = 0;
  #bytes = 0;

  constructor(file: string, options: SessionFileOptions, headerOf: (part: number) => SessionHeader) {
    this.file = resolve(file);
    this.#options = options;
    this.#headerOf = headerOf;
  }

  /** How many files were begun. */
  get files(): number {
    return this.#files;
  }

  /** How much was written, to all of them. */
  get bytes(): number {
    return this.#bytes;
  }

  open(): void {
    mkdirSync(dirname(this.file), { recursive: true, mode: OWNER_ONLY_DIRECTORY });
    const found = statOf(this.file);
    if (found !== undefined) {
      checkReplaceable(this.file, found);
      if (found.size === 0) rmSync(this.file);
      else shift(this.file, this.#options.maxFiles);
    }
    this.#begin();
  }

  /** Writes lines, which end with a line break each. What a failed write left of a line is taken back. */
  write(lines: readonly string[]): void {
    let batch = '';
    let batchSize = 0;
    for (const line of lines) {
      const size = Buffer.byteLength(line);
      const isEmpty = this.#size + batchSize === this.#headerSize;
      if (!isEmpty && this.#size + batchSize + size > this.#options.maxBytes) {
        this.#append(batch);
        this.#rotate();
        batch = '';
        batchSize = 0;
      }
      batch += line;
      batchSize += size;
    }
    this.#append(batch);
  }

  close(): void {
    if (this.#descriptor === undefined) return;
    const descriptor = this.#descriptor;
    this.#descriptor = undefined;
    closeSync(descriptor);
  }

  #begin(): void {
    // Exclusive: whatever turned up here meanwhile, a link among it, is neither followed nor written to.
    const flags = O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_NOFOLLOW;
    this.#descriptor = openSync(this.file, flags, OWNER_ONLY);
    this.#files += 1;
    this.#size = 0;
    const header = `${JSON.stringify(this.#headerOf(this.#files))}\n`;
    this.#append(header);
    this.#headerSize = this.#size;
  }

  #rotate(): void {
    const isOurs = this.#isStillThere();
    this.close();
    if (isOurs) shift(this.file, this.#options.maxFiles);
    this.#begin();
  }

  /** Somebody may have moved or replaced the file; then what stands there now is not ours to move. */
  #isStillThere(): boolean {
    if (this.#descriptor === undefined) return false;
    const ours = fstatSync(this.#descriptor);
    const found = statOf(this.file);
    return found !== undefined && found.ino === ours.ino && found.dev === ours.dev;
  }

  #append(text: string): void {
    if (text === '' || this.#descriptor === undefined) return;
    const bytes = Buffer.from(text);
    let written = 0;
    try {
      while (written < bytes.length) written += writeSync(this.#descriptor, bytes, written);
    } catch (error) {
      this.#takeBack();
      throw error;
    }
    this.#size += written;
    this.#bytes += written;
  }

  #takeBack(): void {
    try {
      if (this.#descriptor !== undefined) ftruncateSync(this.#descriptor, this.#size);
    } catch {
      // Then the last line is torn, and a reader says so.
    }
  }
}
