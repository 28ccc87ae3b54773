// Queues messages for a session: copies them at once, and encodes them in later turns of the event loop.
import { isBuiltInObject, isRecord } from '../../../kit/index.ts';
import type { HookMessage } from '../../../protocol/index.ts';
import { type EncodedMessage, encodeEntry } from './encode-lines.ts';
import type { Redactor } from './redact.ts';

const MAX_BLOCKING_MS = 4;

interface QueueConsumer {
  take(encoded: EncodedMessage, message: HookMessage): void;
  rest(): void;
  failed?(error: unknown): void;
}

export class EncodingQueue {
  readonly #redactor: Redactor | undefined;
  readonly #reader: QueueConsumer;
  readonly #startedAt = performance.now();
  #waiting: { readonly at: number; readonly message: HookMessage }[] = [];
  #isScheduled = false;
  #isTaking = false;

  constructor(redactor: Redactor | undefined, reader: QueueConsumer) {
    this.#redactor = redactor;
    this.#reader = reader;
  }

  get size(): number {
    return this.#waiting.length;
  }

  add(message: HookMessage): void {
    this.#waiting.push({ at: performance.now() - this.#startedAt, message: createSnapshot(message) });
    this.#schedule();
  }

  clear(): void {
    this.#waiting = [];
  }

  takeSlice(): void {
    this.#take(performance.now() + MAX_BLOCKING_MS);
  }

  takeAll(): void {
    this.#take(Number.POSITIVE_INFINITY);
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.takeSlice();
      if (this.#waiting.length > 0) this.#schedule();
    });
  }

  #take(until: number): void {
    // A getter of a message may publish another message, which must not be encoded recursively.
    if (this.#isTaking || this.#waiting.length === 0) return;
    this.#isTaking = true;
    let taken = 0;
    try {
      for (const { at, message } of this.#waiting) {
        taken += 1;
        this.#reader.take(encodeEntry(Math.round(at * 1_000) / 1_000, message, this.#redactor), message);
        if (performance.now() > until) break;
      }
      this.#waiting = taken === this.#waiting.length ? [] : this.#waiting.slice(taken);
      this.#reader.rest();
    } catch (error) {
      this.clear();
      this.#reader.failed?.(error);
    } finally {
      this.#isTaking = false;
    }
  }
}

/** Limit of copied objects and arrays per message, measured at under 3 µs. Most messages have fewer than twenty. */
const MAX_COPIED_CONTAINERS = 64;

/** Longer arrays are not copied, so that a publisher does not wait. */
const MAX_COPIED_ARRAY_LENGTH = 10_000;

type ArrayOrObject = unknown[] | Record<string, unknown>;

/** Objects with `toJSON` and built-in objects are not copied, since a spread would lose their JSON form. */
const copyShallow = (value: object): ArrayOrObject | undefined => {
  if (Array.isArray(value)) return value.length > MAX_COPIED_ARRAY_LENGTH ? undefined : value.slice();
  return isBuiltInObject(value) || 'toJSON' in value ? undefined : { ...value };
};

class MessageCopies {
  readonly originals: object[] = [];
  readonly copies: ArrayOrObject[] = [];

  get isFull(): boolean {
    return this.copies.length >= MAX_COPIED_CONTAINERS;
  }

  copyOf(member: unknown): ArrayOrObject | undefined {
    if (typeof member !== 'object' || member === null) return undefined;
    const known = this.originals.indexOf(member);
    if (known !== -1) return this.copies[known];
    const copy = copyShallow(member);
    if (copy !== undefined) this.add(member, copy);
    return copy;
  }

  add(original: object, copy: ArrayOrObject): void {
    this.originals.push(original);
    this.copies.push(copy);
  }
}

const copyMembers = (container: ArrayOrObject, copies: MessageCopies): void => {
  if (Array.isArray(container)) {
    for (let index = 0; index < container.length && !copies.isFull; index += 1) {
      const copy = copies.copyOf(container[index]);
      if (copy !== undefined) container[index] = copy;
    }
    return;
  }
  for (const key in container) {
    // Assigning `__proto__` would replace the prototype of the copy.
    if (key === '__proto__' || copies.isFull) continue;
    const copy = copies.copyOf(container[key]);
    if (copy !== undefined) container[key] = copy;
  }
};

/**
 * Agents change objects after publishing them, so the message is copied now. Outer objects are copied first; objects
 * beyond the limit stay shared.
 */
const createSnapshot = <Message extends object>(message: Message): Message => {
  try {
    const copy = { ...message };
    if (!isRecord(copy)) return message;
    const copies = new MessageCopies();
    copies.add(message, copy);
    for (let next = 0; next < copies.copies.length && !copies.isFull; next += 1) {
      const container = copies.copies[next];
      if (container !== undefined) copyMembers(container, copies);
    }
    return copy;
  } catch {
    // A getter threw. `encodeEntry` reports the error later.
    return message;
  }
};
