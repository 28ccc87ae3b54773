// The log of ability hooks: JSON lines that several processes can append to.
import { constants } from 'node:fs';
import { type FileHandle, open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { describeThrown, escapeUnprintable, shorten } from '../kit/index.ts';
import { openDirectory } from './ability-files.ts';

/** Windows has no O_NOFOLLOW and no O_NONBLOCK. */
const { O_APPEND, O_CREAT, O_WRONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
const APPEND_FLAGS = O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK;

const OWNER_ONLY_MODE = 0o600;
const DEFAULT_MAX_LOG_BYTES = 1_048_576;
const MAX_LOGGED_TEXT_LENGTH = 1_000;
const MAX_QUEUED_LINES = 10_000;

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
  typeof value === 'string' ? shorten(value, MAX_LOGGED_TEXT_LENGTH) : value;

const formatLine = (entry: LogEntry): string =>
  `${escapeUnprintable(JSON.stringify({ time: new Date().toISOString(), ...entry }, shortenText))}\n`;

/**
 * A log of JSON lines that several processes can share. It is limited to two files, readable only by its owner, and
 * never written through a link. Writing never throws.
 */
export class AbilityLog {
  readonly #options: AbilityLogOptions;
  readonly #name: string;
  #queue: string[] = [];
  #dropped = 0;
  #writing: Promise<void> | undefined;
  #hasReportedTrouble = false;

  constructor(options: AbilityLogOptions) {
    this.#options = options;
    this.#name = options.name ?? 'hooks';
  }

  write(entry: LogEntry): void {
    if (this.#queue.length >= MAX_QUEUED_LINES) {
      this.#dropped += 1;
      return;
    }
    this.#queue.push(formatLine(entry));
    this.#writing ??= this.#writeAll();
  }

  async idle(): Promise<void> {
    while (this.#writing !== undefined) await this.#writing;
  }

  async #writeAll(): Promise<void> {
    await undefined;
    while (this.#queue.length > 0) {
      const lines = this.#queue;
      this.#queue = [];
      if (this.#dropped > 0) lines.push(formatLine({ left_out: this.#dropped }));
      this.#dropped = 0;
      try {
        await this.#append(lines);
      } catch (error) {
        this.#reportTrouble(error);
      }
    }
    // Synchronous with the last check of the queue, so that no later line is missed.
    this.#writing = undefined;
  }

  async #append(lines: readonly string[]): Promise<void> {
    const { root, maxBytes = DEFAULT_MAX_LOG_BYTES } = this.#options;
    const directory = await openDirectory(root, ['.system', 'logs']);
    const path = join(directory, `${this.#name}.jsonl`);
    let file = await openForAppend(path);
    try {
      let { size } = await file.stat();
      for (const line of lines) {
        const bytes = Buffer.from(line);
        if (size > 0 && size + bytes.length > maxBytes) {
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

  #reportTrouble(error: unknown): void {
    if (this.#hasReportedTrouble) return;
    this.#hasReportedTrouble = true;
    this.#options.onTrouble?.(`The log ${this.#name}.jsonl cannot be written: ${describeThrown(error)}`);
  }
}

/** Opens the log for appending. Refuses pipes, which would block, and links, which could point elsewhere. */
const openForAppend = async (path: string): Promise<FileHandle> => {
  const file = await open(path, APPEND_FLAGS, OWNER_ONLY_MODE);
  const stats = await file.stat();
  if (stats.isFile() && stats.nlink === 1) return file;
  await file.close();
  throw new Error(`${path} is not a regular file; move it out of the way`);
};
