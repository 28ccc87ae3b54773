// The log of ability hooks: JSON lines that several processes can append to.
import { constants } from 'node:fs';
import { type FileHandle, open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { describeThrown, escapeUnprintable, shorten } from '../kit/index.ts';
import { openDirectory } from './ability-files.ts';

/** Windows does not have O_NOFOLLOW and O_NONBLOCK. */
const { O_APPEND, O_CREAT, O_WRONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
const APPEND_FLAGS = O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK;

const OWNER_ONLY = 0o600;
const MAX_BYTES = 1_048_576;
const MAX_TEXT = 1_000;
const MAX_WAITING = 10_000;

export interface AbilityLogOptions {
  /** The repository; the log is in its `.system/logs/`. */
  readonly root: string;
  readonly name?: string | undefined;
  readonly maxBytes?: number | undefined;
  /** Called once if the log cannot be written; hooks are not affected. */
  readonly onTrouble?: ((message: string) => void) | undefined;
}

export type LogEntry = Readonly<Record<string, unknown>>;

const shortenText = (_key: string, value: unknown): unknown =>
  typeof value === 'string' ? shorten(value, MAX_TEXT) : value;

/**
 * A log of JSON lines that several processes can share. It is limited to two files, readable only by its owner, and
 * never written through a link. Writing never throws.
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

  write(entry: LogEntry): void {
    if (this.#waiting.length >= MAX_WAITING) {
      this.#left += 1;
      return;
    }
    this.#waiting.push(
      `${escapeUnprintable(JSON.stringify({ time: new Date().toISOString(), ...entry }, shortenText))}\n`,
    );
    this.#writing ??= this.#writeAll();
  }

  async idle(): Promise<void> {
    while (this.#writing !== undefined) await this.#writing;
  }

  async #writeAll(): Promise<void> {
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
    // Synchronous with the last check of the queue, so that no later line is missed.
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

/** Refuses pipes, which would block, and links, which could point elsewhere. */
const openForAppend = async (path: string): Promise<FileHandle> => {
  const file = await open(path, APPEND_FLAGS, OWNER_ONLY);
  const stats = await file.stat();
  if (stats.isFile() && stats.nlink === 1) return file;
  await file.close();
  throw new Error(`${path} is not a regular file; move it out of the way`);
};
