import { createHash } from 'node:crypto';
import type { Bus } from '../../../bus/index.ts';
import { HookwrightError } from '../../../errors.ts';
import { describeThrown } from '../../../kit/index.ts';
import type { HookMessage } from '../../../protocol/index.ts';
import type { RedactOptions } from '../../../sessions/index.ts';
import { encode, Redactor, Remembered } from '../../../sessions/index.ts';
import { checkStreamOptions, type OpenStream, openStream, type StreamOptions } from './open-stream.ts';

export interface RecordStreamOptions extends StreamOptions {
  /** Keys and patterns beside those that are known; `false` writes everything as it is. */
  readonly redact?: false | RedactOptions | undefined;
  /** Told of each message that could not be kept. */
  readonly onProblem?: ((problem: HookwrightError) => void) | undefined;
}

export interface StreamSummary {
  /** What this recorder has kept. */
  readonly messages: number;
  /** What another recorder of the session had kept already. */
  readonly duplicates: number;
  readonly redacted: number;
  readonly failed: number;
}

export interface StreamRecording {
  readonly session: string;
  /** Waits until the broker has everything. Never rejects. */
  close(): Promise<StreamSummary>;
}

/** A broker this far behind is not waited for. */
const MAX_UNDER_WAY = 20_000;

class StreamRecorder implements StreamRecording {
  readonly session: string;
  readonly #open: OpenStream;
  readonly #redactor: Redactor | undefined;
  readonly #onProblem: ((problem: HookwrightError) => void) | undefined;
  readonly #startedAt = performance.now();
  readonly #underWay = new Set<Promise<void>>();
  /** How often the same was said under one id: the second time it is another message. */
  readonly #said = new Remembered<number>();
  readonly #stop: () => void;
  #messages = 0;
  #duplicates = 0;
  #redacted = 0;
  #failed = 0;

  constructor(bus: Bus, open: OpenStream, { session, redact, onProblem }: RecordStreamOptions) {
    this.session = session;
    this.#open = open;
    this.#onProblem = onProblem;
    if (redact !== false) this.#redactor = new Redactor(redact);
    const subscription = bus.stream().subscribe((message) => this.#take(message));
    this.#stop = () => subscription.unsubscribe();
  }

  async close(): Promise<StreamSummary> {
    this.#stop();
    await Promise.all(this.#underWay);
    await this.#open.close().catch(() => {});
    const [messages, duplicates, redacted, failed] = [this.#messages, this.#duplicates, this.#redacted, this.#failed];
    return { messages, duplicates, redacted, failed };
  }

  #take(message: HookMessage): void {
    const encoded = encode(Math.round(performance.now() - this.#startedAt), message, this.#redactor);
    if (!encoded.ok) {
      this.#fail(message, encoded.message);
      return;
    }
    if (this.#underWay.size >= MAX_UNDER_WAY) {
      this.#fail(message, `the broker is ${MAX_UNDER_WAY} messages behind`);
      return;
    }
    this.#redacted += encoded.redacted;
    const sending = this.#send(message, encoded.line.trimEnd());
    this.#underWay.add(sending);
    void sending.finally(() => this.#underWay.delete(sending));
  }

  async #send(message: HookMessage, line: string): Promise<void> {
    try {
      const ack = await this.#open.client.publish(this.#open.subject, line, { msgID: this.#idOf(message, line) });
      if (ack.duplicate) this.#duplicates += 1;
      else this.#messages += 1;
    } catch (error) {
      this.#fail(message, describeThrown(error), error);
    }
  }

  /** The same id for the same message: several recorders may see all messages of a group. */
  #idOf({ type, correlationId }: HookMessage, line: string): string {
    const said = line.slice(line.indexOf(','));
    const key = createHash('sha256').update(`${type}\0${correlationId}\0${said}`).digest('base64url').slice(0, 32);
    const times = (this.#said.get(key) ?? 0) + 1;
    this.#said.set(key, times);
    return `${key}.${times}`;
  }

  #fail({ type, correlationId }: HookMessage, why: string, cause?: unknown): void {
    this.#failed += 1;
    const details = { type, correlationId };
    const message = `a ${type} is not in the session ${this.session}: ${why}`;
    this.#onProblem?.(new HookwrightError('transport_failed', message, { details, cause }));
  }
}

/**
 * Keeps everything that the bus delivers in a stream of the broker, from now on, as one of any number of recorders of one
 * session: the stream has one order, and what several of them saw it has once. Rejects where there is no stream to be had.
 */
export const recordStream = async (bus: Bus, options: RecordStreamOptions): Promise<StreamRecording> => {
  checkStreamOptions(options);
  return new StreamRecorder(bus, await openStream(options), options);
};
