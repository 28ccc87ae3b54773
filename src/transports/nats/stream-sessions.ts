/** Records sessions into a JetStream stream of a NATS broker, and reads them. */
import { createHash } from 'node:crypto';
import type { JetStreamClient, JetStreamManager, JsMsg } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import type { Bus } from '../../bus/index.ts';
import { createInvalidArgument, HookwrightError } from '../../errors.ts';
import { describeThrown, describeValue, RecentMap } from '../../kit/index.ts';
import type { HookMessage } from '../../protocol/index.ts';
import {
  createSessionHeader,
  encodeEntry,
  filterEntries,
  parseEntry,
  type RedactOptions,
  Redactor,
  type Session,
  type SessionEntry,
  type SessionFilter,
  type SessionHeader,
  type SessionProblem,
} from '../../sessions/index.ts';
import { connectToBroker } from './link.ts';
import type { BrokerOptions } from './nats-options.ts';
import { toSubjectToken } from './subjects.ts';

export interface StreamOptions extends BrokerOptions {
  /** Name of the session. Hosts that use the same name record into the same session. */
  readonly session: string;
  /** Name of the JetStream stream, which is created if it does not exist. Default: `hookwright-sessions`. */
  readonly stream?: string | undefined;
}

interface OpenStream {
  readonly connection: NatsConnection;
  readonly client: JetStreamClient;
  readonly manager: JetStreamManager;
  readonly stream: string;
  readonly subject: string;
  /** Leaves a connection open that the caller passed in. */
  close(): Promise<void>;
}

const DEFAULT_STREAM = 'hookwright-sessions';
const SESSION_NAME_PATTERN = /^[\w-]+$/;

/** If several recorders send the same message within this time, the broker stores it once. */
const DUPLICATE_WINDOW_NS = 120 * 1e9;

const importJetStream = () =>
  import('@nats-io/jetstream').catch((cause: unknown) => {
    const fix = 'npm install @nats-io/jetstream';
    throw new HookwrightError('not_supported', `sessions in a stream need @nats-io/jetstream; ${fix}`, { cause });
  });

const checkStreamOptions = ({ session, stream }: StreamOptions): void => {
  const wrong = (key: string, expected: string, found: unknown) =>
    createInvalidArgument(`${key}: expected ${expected}, got ${describeValue(found)}`);
  if (typeof session !== 'string' || session === '') throw wrong('session', 'a name', session);
  if (stream !== undefined && !SESSION_NAME_PATTERN.test(stream))
    throw wrong('stream', 'letters, digits, - and _', stream);
};

const ensureStream = async (manager: JetStreamManager, stream: string, subject: string): Promise<void> => {
  const known = await manager.streams.info(stream).catch(() => undefined);
  // Another process may create the stream at the same time; equal streams are no error.
  if (known === undefined) {
    await manager.streams.add({ name: stream, subjects: [subject], duplicate_window: DUPLICATE_WINDOW_NS });
  } else if (!known.config.subjects.includes(subject)) {
    await manager.streams.update(stream, { subjects: [...known.config.subjects, subject] });
  }
};

const openStream = async (options: StreamOptions): Promise<OpenStream> => {
  const { connection: given, prefix = 'hookwright', group = 'hosts', session, stream = DEFAULT_STREAM } = options;
  const { jetstream, jetstreamManager } = await importJetStream();
  const connection = given ?? (await connectToBroker(options));
  const close = async (): Promise<void> => {
    if (given === undefined) await connection.close();
  };
  try {
    const manager = await jetstreamManager(connection);
    await ensureStream(manager, stream, `${prefix}.*.session.>`);
    const subject = `${prefix}.${toSubjectToken(group)}.session.${toSubjectToken(session)}`;
    return { connection, client: jetstream(connection), manager, stream, subject, close };
  } catch (cause) {
    await close();
    const fix = 'does the broker have JetStream (nats-server -js), and may you use it?';
    throw new HookwrightError('not_supported', `no stream ${stream}: ${describeThrown(cause)}; ${fix}`, { cause });
  }
};

const MAX_LISTED_PROBLEMS = 1_000;

/** The broker's time is one clock for all recorders. */
const readStoringTimeMs = ({ info }: JsMsg): number => info.timestampNanos / 1e6;

class StreamSession implements Session {
  readonly file: string;
  readonly #options: StreamOptions;
  #problems: SessionProblem[] = [];

  constructor(options: StreamOptions) {
    this.#options = options;
    this.file = `nats:${options.stream ?? DEFAULT_STREAM}/${options.session}`;
  }

  get problems(): readonly SessionProblem[] {
    return this.#problems;
  }

  async header(): Promise<SessionHeader> {
    for await (const message of this.#messages()) {
      return createSessionHeader(new Date(readStoringTimeMs(message)), { session: this.#options.session });
    }
    throw createInvalidArgument(`${this.file}: there is no such session`);
  }

  entries(filter?: SessionFilter): AsyncIterable<SessionEntry> {
    return filterEntries(filter, () => this.#read());
  }

  [Symbol.asyncIterator](): AsyncIterator<SessionEntry> {
    return this.#read();
  }

  async *#read(): AsyncGenerator<SessionEntry, void, undefined> {
    const problems: SessionProblem[] = [];
    this.#problems = problems;
    let began: number | undefined;
    for await (const message of this.#messages()) {
      began ??= readStoringTimeMs(message);
      const parsed = parseEntry(message.string(), message.seq);
      if (parsed.ok) yield { ...parsed.entry, at: readStoringTimeMs(message) - began };
      else if (problems.length < MAX_LISTED_PROBLEMS) {
        problems.push({ line: message.seq, code: parsed.code, message: parsed.message });
      }
    }
  }

  async *#messages(): AsyncGenerator<JsMsg, void, undefined> {
    const open = await openStream(this.#options);
    try {
      const query = { last_by_subj: open.subject };
      const last = (await open.manager.streams.getMessage(open.stream, query).catch(() => null))?.seq;
      if (last === undefined) return;
      const consumer = await open.client.consumers.get(open.stream, { filter_subjects: open.subject });
      const messages = await consumer.consume();
      try {
        for await (const message of messages) {
          yield message;
          if (message.seq >= last) return;
        }
      } finally {
        await messages.close();
      }
    } finally {
      await open.close();
    }
  }
}

/**
 * Reads a session recorded by `recordStream`, for `replay` and `backtest`. Each iteration reads the stream again.
 * Entries have the broker's times.
 */
export const readStream = (options: StreamOptions): Session => {
  checkStreamOptions(options);
  return new StreamSession(options);
};

export interface RecordStreamOptions extends StreamOptions {
  /** Keys and patterns of secrets besides the built-in ones. `false` records secrets unchanged. */
  readonly redact?: false | RedactOptions | undefined;
  readonly onProblem?: ((problem: HookwrightError) => void) | undefined;
}

export interface StreamSummary {
  readonly messages: number;
  /** Messages that another recorder of the session had stored already. */
  readonly duplicates: number;
  readonly redacted: number;
  readonly failed: number;
}

export interface StreamRecording {
  readonly session: string;
  /** Waits until the broker has stored all messages. Never rejects. */
  close(): Promise<StreamSummary>;
}

const MAX_UNSTORED_MESSAGES = 20_000;

class StreamRecorder implements StreamRecording {
  readonly session: string;
  readonly #open: OpenStream;
  readonly #redactor: Redactor | undefined;
  readonly #onProblem: ((problem: HookwrightError) => void) | undefined;
  readonly #startedAt = performance.now();
  readonly #underWay = new Set<Promise<void>>();
  /** Counts equal texts per correlation id, since a repeated text is another message. */
  readonly #timesByMessage = new RecentMap<number>();
  readonly #stop: () => void;
  readonly #counts = { messages: 0, duplicates: 0, redacted: 0, failed: 0 };

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
    return { ...this.#counts };
  }

  #take(message: HookMessage): void {
    const encoded = encodeEntry(Math.round(performance.now() - this.#startedAt), message, this.#redactor);
    if (!encoded.ok) {
      this.#fail(message, encoded.message);
      return;
    }
    if (this.#underWay.size >= MAX_UNSTORED_MESSAGES) {
      this.#fail(message, `the broker is ${MAX_UNSTORED_MESSAGES} messages behind`);
      return;
    }
    this.#counts.redacted += encoded.redacted;
    const sending = this.#send(message, encoded.line.trimEnd());
    this.#underWay.add(sending);
    void sending.finally(() => this.#underWay.delete(sending));
  }

  async #send(message: HookMessage, line: string): Promise<void> {
    try {
      const ack = await this.#open.client.publish(this.#open.subject, line, { msgID: this.#idOf(message, line) });
      this.#counts[ack.duplicate ? 'duplicates' : 'messages'] += 1;
    } catch (error) {
      this.#fail(message, describeThrown(error), error);
    }
  }

  /** All recorders of a session compute the same id for a message, so that the broker can drop copies. */
  #idOf({ type, correlationId }: HookMessage, line: string): string {
    const text = line.slice(line.indexOf(','));
    const key = createHash('sha256').update(`${type}\0${correlationId}\0${text}`).digest('base64url').slice(0, 32);
    const times = (this.#timesByMessage.get(key) ?? 0) + 1;
    this.#timesByMessage.set(key, times);
    return `${key}.${times}`;
  }

  #fail({ type, correlationId }: HookMessage, why: string, cause?: unknown): void {
    this.#counts.failed += 1;
    const details = { type, correlationId };
    const message = `a ${type} is not in the session ${this.session}: ${why}`;
    this.#onProblem?.(new HookwrightError('transport_failed', message, { details, cause }));
  }
}

/** Records all messages of the bus into a stream. Recorders of one session store each message once, in one order. */
export const recordStream = async (bus: Bus, options: RecordStreamOptions): Promise<StreamRecording> => {
  checkStreamOptions(options);
  return new StreamRecorder(bus, await openStream(options), options);
};
