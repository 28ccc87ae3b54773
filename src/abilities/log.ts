import { constants } from 'node:fs';
import { type FileHandle, open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { describeThrown, shorten, visibleJson } from '../kit/index.ts';
import { openDirectory } from './ability-files.ts';

/** Where Windows has no such flag, there is nothing to follow or to wait for. */
const { O_APPEND, O_CREAT, O_WRONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
const APPEND = O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK;

const OWNER_ONLY = 0o600;
/** A fuller file becomes the old one, and the one that was old goes. */
const MAX_BYTES = 1_048_576;
/** Longer texts within a line are cut: a log is for looking at. */
const MAX_TEXT = 1_000;
/** Lines that may wait for the disk; what comes on top is counted and left out. */
const MAX_WAITING = 10_000;

export interface AbilityLogOptions {
  /** The repository; the log is in its `.system/logs/`. */
  readonly root: string;
  readonly name?: string | undefined;
  readonly maxBytes?: number | undefined;
  /** Told once when the log cannot be written. Nothing else is affected by that. */
  readonly onTrouble?: ((message: string) => void) | undefined;
}

/** One thing that happened. Texts are cut where they are long. */
export type LogEntry = Readonly<Record<string, unknown>>;

const shortened = (_key: string, value: unknown): unknown =>
  typeof value === 'string' ? shorten(value, MAX_TEXT) : value;

/**
 * A log of JSON lines, one write for each, so that several processes can share it. It is append-only, bounded to two
 * files, readable by its owner, and never written through a link. Writing never throws and is never waited for.
 */
export class AbilityLog {
  readonly #root: string;
  readonly #name: string;
  readonly #maxBytes: number;
  readonly #onTrouble: ((message: string) => void) | undefined;
  #waiting: string[] = [];
  #left = 0;
  #writing: Promise<void> | undefined;
  #isTold = false;

  constructor({ root, name = 'hooks', maxBytes = MAX_BYTES, onTrouble }: AbilityLogOptions) {
    this.#root = root;
    this.#name = name;
    this.#maxBytes = maxBytes;
    this.#onTrouble = onTrouble;
  }

  /** Adds a line. The time comes first. */
  write(entry: LogEntry): void {
    if (this.#waiting.length >= MAX_WAITING) {
      this.#left += 1;
      return;
    }
    this.#waiting.push(`${visibleJson(JSON.stringify({ time: new Date().toISOString(), ...entry }, shortened))}\n`);
    this.#writing ??= this.#writeAll();
  }

  /** Resolves when everything is written that was to be. */
  async idle(): Promise<void> {
    while (this.#writing !== undefined) await this.#writing;
  }

  async #writeAll(): Promise<void> {
    // Lines of one turn go together.
    await undefined;
    while (this.#waiting.length > 0) {
      const lines = this.#waiting;
      this.#waiting = [];
      if (this.#left > 0) lines.push(`${JSON.stringify({ time: new Date().toISOString(), left_out: this.#left })}\n`);
      this.#left = 0;
      try {
        await this.#append(lines);
      } catch (error) {
        this.#tell(error);
      }
    }
    // In the same turn as the last look at what waits: a line that comes next starts anew.
    this.#writing = undefined;
  }

  async #append(lines: readonly string[]): Promise<void> {
    const directory = await openDirectory(this.#root, ['.system', 'logs']);
    const path = join(directory, `${this.#name}.jsonl`);
    let file = await openForAppend(path);
    try {
      let { size } = await file.stat();
      for (const line of lines) {
        const bytes = Buffer.from(line);
        if (size > 0 && size + bytes.length > this.#maxBytes) {
          await file.close();
          await rename(path, join(directory, `${this.#name}.old.jsonl`));
          file = await openForAppend(path);
          size = 0;
        }
        await file.write(bytes);
        size += bytes.length;
      }
    } finally {
      await file.close();
    }
  }

  #tell(error: unknown): void {
    if (this.#isTold) return;
    this.#isTold = true;
    this.#onTrouble?.(`The log ${this.#name}.jsonl cannot be written: ${describeThrown(error)}`);
  }
}

/** Opens a regular file or nothing: a pipe would wait for a reader, a link would lead elsewhere. */
const openForAppend = async (path: string): Promise<FileHandle> => {
  const file = await open(path, APPEND, OWNER_ONLY);
  const stats = await file.stat();
  if (stats.isFile() && stats.nlink === 1) return file;
  await file.close();
  throw new Error(`${path} is not a regular file; move it out of the way`);
};
