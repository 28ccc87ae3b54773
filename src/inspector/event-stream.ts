import type { ServerResponse } from 'node:http';
import type { Stories, Summary } from './stories.ts';

/** Summaries in one message. */
const BATCH = 250;
/** How long changes are gathered before they are sent. */
const GATHER_MS = 80;
/** Sent regularly, so that a closed connection is noticed. */
const PULSE_MS = 15_000;

/**
 * One page that reads along. It is sent what changed since it was sent something last, as fast as it reads: a page that is
 * slow gets fewer messages and misses nothing, for what waits for it is a set of ids and not a queue.
 */
export class EventStream {
  readonly #response: ServerResponse;
  readonly #stories: Stories;
  readonly #changed: Set<string>;
  readonly #notes = new Map<string, unknown>();
  readonly #pulse: NodeJS.Timeout;
  #timer: NodeJS.Timeout | undefined;
  #isFull = false;

  constructor(response: ServerResponse, stories: Stories, hello: unknown, onClose: () => void) {
    this.#response = response;
    this.#stories = stories;
    this.#changed = new Set(stories.ids());
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' });
    this.#send('hello', hello);
    this.#pulse = setInterval(() => this.#response.write(': here\n\n'), PULSE_MS);
    this.#pulse.unref();
    response.on('drain', () => {
      this.#isFull = false;
      this.#schedule(0);
    });
    response.on('error', () => response.destroy());
    response.on('close', () => {
      this.#stop();
      onClose();
    });
    this.#schedule(0);
  }

  changed(id: string): void {
    this.#changed.add(id);
    this.#schedule(GATHER_MS);
  }

  /** Something about the whole: of one name only the latest is sent. */
  note(name: string, value: unknown): void {
    this.#notes.set(name, value);
    this.#schedule(GATHER_MS);
  }

  end(): void {
    this.#flushNotes();
    this.#stop();
    this.#response.end();
  }

  #stop(): void {
    clearTimeout(this.#timer);
    clearInterval(this.#pulse);
    this.#timer = undefined;
  }

  #schedule(ms: number): void {
    if (this.#timer !== undefined || this.#isFull) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#flush();
    }, ms);
  }

  #flush(): void {
    while (this.#changed.size > 0 && !this.#isFull) this.#sendBatch();
    if (!this.#isFull) this.#flushNotes();
  }

  #sendBatch(): void {
    const batch: Summary[] = [];
    for (const id of this.#changed) {
      this.#changed.delete(id);
      const summary = this.#stories.summary(id);
      if (summary !== undefined) batch.push(summary);
      if (batch.length >= BATCH) break;
    }
    if (batch.length > 0) this.#send('requests', batch);
  }

  #flushNotes(): void {
    for (const [name, value] of this.#notes) this.#send(name, value);
    this.#notes.clear();
  }

  #send(name: string, value: unknown): void {
    if (this.#response.destroyed) return;
    if (!this.#response.write(`event: ${name}\ndata: ${JSON.stringify(value)}\n\n`)) this.#isFull = true;
  }
}
