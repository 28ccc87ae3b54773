/** A connection to a NATS broker that reconnects and queues messages meanwhile. */
import type { Msg, NatsConnection, Status, Subscription } from '@nats-io/transport-node';
import { HookwrightError } from '../../errors.ts';
import { describeThrown, isRecord, textOf, waitWithinMs } from '../../kit/index.ts';
import { type BrokerOptions, createClientOptions } from './nats-options.ts';

interface SendOptions {
  readonly reply?: string | undefined;
  readonly expiresAt?: number | undefined;
}

interface QueuedMessage extends SendOptions {
  readonly subject: string;
  readonly data: Uint8Array;
}

interface SubjectInterest {
  readonly subject: string;
  readonly queue: string | undefined;
  readonly deliver: (incoming: BrokerMessage) => void;
  subscription: Subscription | undefined;
}

interface LinkEvents {
  error(error: HookwrightError): void;
  refused(subject: string): void;
}

const MAX_QUEUED_MESSAGES = 50_000;
const MAX_QUEUED_BYTES = 16 * 2 ** 20;
const DEFAULT_QUEUED_MS = 10_000;

/** After this many bytes the broker must confirm; the NATS client itself would buffer without limit. */
const BYTES_PER_FLUSH = 2 ** 20;
const MAX_UNCONFIRMED_BYTES = 64 * 2 ** 20;

/** A connection that does not respond must not delay the exit of the process. */
const MAX_CLOSE_WAIT_MS = 500;

/** The NATS client reports nothing if a server accepts connections and then stays silent or closes them. */
const SLOW_CONNECTION_REPORT_MS = 2_000;

const FIRST_RETRY_DELAY_MS = 250;
const MAX_RETRY_DELAY_MS = 5_000;

const createTransportError = (message: string, cause?: unknown): HookwrightError =>
  new HookwrightError('transport_failed', message, cause === undefined ? {} : { cause });

/** Reports each problem once, and keeps subscriptions and unsent messages across reconnects. */
export class BrokerLink {
  readonly #open: () => Promise<NatsConnection>;
  readonly #events: LinkEvents;
  readonly #interests = new Set<SubjectInterest>();
  readonly #isOurs: boolean;
  readonly #ready: Promise<void>;
  #waiting: QueuedMessage[] = [];
  #waitingBytes = 0;
  #connection: NatsConnection | undefined;
  #isUp = false;
  #isClosed = false;
  #unconfirmed = 0;
  #isConfirming = false;
  #dropped = 0;
  #reported: string | undefined;
  #becomeReady = (): void => {};
  #retry: ReturnType<typeof setTimeout> | undefined;

  constructor(given: NatsConnection | (() => Promise<NatsConnection>), events: LinkEvents) {
    this.#events = events;
    this.#isOurs = typeof given === 'function';
    this.#open = typeof given === 'function' ? given : async () => given;
    this.#ready = new Promise((resolve) => {
      this.#becomeReady = resolve;
    });
    if (typeof given === 'function') void this.#connect(FIRST_RETRY_DELAY_MS);
    else this.#use(given);
  }

  get isUp(): boolean {
    return this.#isUp;
  }

  /** Why messages cannot be sent at present, or `undefined` if they can. */
  get trouble(): string | undefined {
    return this.#isUp ? undefined : (this.#reported ?? 'there is no connection to the broker yet');
  }

  get dropped(): number {
    return this.#dropped;
  }

  get maxPayload(): number {
    return this.#connection?.info?.max_payload ?? Number.POSITIVE_INFINITY;
  }

  get server(): string {
    return this.#connection?.getServer() ?? 'no server yet';
  }

  ready(): Promise<void> {
    return this.#ready;
  }

  /** Resolves when everything sent so far has reached the broker, after a reconnect if necessary. */
  async flush(): Promise<void> {
    await this.#ready;
    if (this.#isUp) await this.#connection?.flush();
  }

  subscribe(subject: string, deliver: SubjectInterest['deliver'], queue?: string): () => void {
    const interest: SubjectInterest = { subject, queue, deliver, subscription: undefined };
    this.#interests.add(interest);
    if (this.#connection !== undefined) this.#start(interest, this.#connection);
    return () => {
      if (!this.#interests.delete(interest)) return;
      // `drain` still delivers messages that have arrived: the broker would give them to no other host of the queue.
      if (this.#isUp) interest.subscription?.drain().catch(() => {});
      else interest.subscription?.unsubscribe();
    };
  }

  /** @throws HookwrightError if the message is too long for the broker, or too many bytes are unconfirmed. */
  send(subject: string, data: Uint8Array, { reply, expiresAt }: SendOptions = {}): void {
    if (this.#isClosed) throw createTransportError('the transport is closed');
    if (data.byteLength > this.maxPayload) {
      throw createTransportError(
        `it has ${data.byteLength} bytes, and this broker takes at most ${this.maxPayload} (max_payload)`,
      );
    }
    if (this.#connection === undefined || !this.#isUp) {
      this.#wait({ subject, data, reply, expiresAt: expiresAt ?? performance.now() + DEFAULT_QUEUED_MS });
      return;
    }
    if (this.#unconfirmed > MAX_UNCONFIRMED_BYTES) {
      throw new HookwrightError('overloaded', `the broker is ${this.#unconfirmed} bytes behind; try again later`);
    }
    this.#connection.publish(subject, data, reply === undefined ? undefined : { reply });
    this.#unconfirmed += data.byteLength;
    if (this.#unconfirmed > BYTES_PER_FLUSH && !this.#isConfirming) void this.#confirm(this.#connection);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    const connection = this.#connection;
    this.#isClosed = true;
    clearTimeout(this.#retry);
    this.#becomeReady();
    for (const { subscription } of this.#interests) subscription?.unsubscribe();
    this.#interests.clear();
    if (connection === undefined || connection.isClosed()) return;
    const waitBriefly = (work: Promise<void>) => waitWithinMs(MAX_CLOSE_WAIT_MS, work).catch(() => {});
    if (this.#isUp) await waitBriefly(connection.flush());
    this.#isUp = false;
    if (this.#isOurs) await waitBriefly(connection.close());
  }

  async #connect(waitMs: number): Promise<void> {
    if (this.#isClosed) return;
    const isSlow = createTransportError('the broker has not let us in yet; it is waited for');
    const slow = setTimeout(() => this.#reportOnce(isSlow), SLOW_CONNECTION_REPORT_MS).unref();
    try {
      const connection = await this.#open();
      clearTimeout(slow);
      if (this.#isClosed) await connection.close();
      else this.#use(connection);
    } catch (error) {
      clearTimeout(slow);
      this.#reportOnce(
        createTransportError(`no connection to the broker: ${describeThrown(error)}; it is tried again`, error),
      );
      this.#retry = setTimeout(() => void this.#connect(Math.min(waitMs * 2, MAX_RETRY_DELAY_MS)), waitMs);
    }
  }

  #use(connection: NatsConnection): void {
    this.#connection = connection;
    void this.#follow(connection);
    for (const interest of this.#interests) this.#start(interest, connection);
    this.#cameUp();
  }

  #cameUp(): void {
    this.#isUp = true;
    this.#reported = undefined;
    this.#unconfirmed = 0;
    this.#becomeReady();
    const now = performance.now();
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#waitingBytes = 0;
    for (const { subject, data, ...how } of waiting) {
      if ((how.expiresAt ?? 0) < now) this.#dropped += 1;
      else this.#trySending(subject, data, how);
    }
  }

  #trySending(subject: string, data: Uint8Array, how: SendOptions): void {
    try {
      this.send(subject, data, how);
    } catch (error) {
      this.#events.error(
        createTransportError(`what waited for the broker could not be sent: ${describeThrown(error)}`, error),
      );
    }
  }

  async #follow(connection: NatsConnection): Promise<void> {
    const follow: { readonly [Type in Status['type']]?: (status: Status) => void } = {
      disconnect: () => {
        this.#isUp = false;
        this.#reportOnce(createTransportError('the link to the broker is down; what is sent waits for it'));
      },
      reconnect: () => this.#cameUp(),
      error: (status) => this.#serverSays(status),
      close: () => {
        this.#isUp = false;
      },
    };
    for await (const status of connection.status()) {
      if (this.#isClosed) return;
      follow[status.type]?.(status);
    }
    if (this.#isClosed) return;
    // The NATS client gives up after two refusals, so the connection is opened again here.
    this.#isUp = false;
    const reason = await connection.closed();
    if (this.#isClosed || !this.#isOurs) return;
    this.#reportOnce(
      createTransportError(
        `the broker ended the connection: ${describeThrown(reason ?? 'no reason')}; it is tried again`,
      ),
    );
    await this.#connect(FIRST_RETRY_DELAY_MS);
  }

  #serverSays(status: Status): void {
    const error = 'error' in status ? status.error : undefined;
    const subject = findRefusedSubject(error);
    this.#events.error(createTransportError(`the broker says: ${describeThrown(error)}`, error));
    if (subject !== undefined) this.#events.refused(subject);
  }

  #reportOnce(error: HookwrightError): void {
    if (this.#isClosed || this.#reported === error.message) return;
    this.#reported = error.message;
    this.#events.error(error);
  }

  #start(interest: SubjectInterest, connection: NatsConnection): void {
    const { subject, queue, deliver } = interest;
    const callback = (error: Error | null, message: Msg): void => {
      if (error === null) deliver(toBrokerMessage(message));
      else if (!this.#isClosed)
        this.#events.error(createTransportError(`the broker does not let us hear ${subject}: ${error.message}`));
    };
    interest.subscription = connection.subscribe(subject, queue === undefined ? { callback } : { callback, queue });
  }

  #wait(message: QueuedMessage): void {
    if (this.#waiting.length >= MAX_QUEUED_MESSAGES || this.#waitingBytes > MAX_QUEUED_BYTES) {
      this.#dropped += 1;
      throw new HookwrightError(
        'overloaded',
        'there is no connection to the broker, and too much waits for it already',
      );
    }
    this.#waiting.push(message);
    this.#waitingBytes += message.data.byteLength;
  }

  async #confirm(connection: NatsConnection): Promise<void> {
    this.#isConfirming = true;
    const upTo = this.#unconfirmed;
    try {
      await connection.flush();
      this.#unconfirmed = Math.max(0, this.#unconfirmed - upTo);
    } catch {
    } finally {
      this.#isConfirming = false;
    }
  }
}

const findRefusedSubject = (error: unknown): string | undefined =>
  isRecord(error) && error.operation === 'publish' ? textOf(error.subject) : undefined;

export interface BrokerMessage {
  readonly subject: string;
  readonly reply: string | undefined;
  readonly data: Uint8Array;
  /** The broker reports that no process subscribes to the subject of a message which this process sent. */
  readonly hasNoReceiver: boolean;
}

const toBrokerMessage = ({ subject, reply, data, headers }: Msg): BrokerMessage => ({
  subject,
  reply,
  data,
  hasNoReceiver: data.length === 0 && headers?.code === 503,
});

/** Limit of messages that processes exchange about requests; the requests themselves may be larger. */
const MAX_CONTROL_MESSAGE_BYTES = 2 ** 20;

export const encodeText = (text: string): Uint8Array => Buffer.from(text);

export const readJson = (data: Uint8Array): unknown => {
  if (data.byteLength === 0 || data.byteLength > MAX_CONTROL_MESSAGE_BYTES) return undefined;
  try {
    return JSON.parse(decodeText(data));
  } catch {
    return undefined;
  }
};

export const decodeText = (data: Uint8Array): string => Buffer.from(data).toString('utf8');

export const connectToBroker = async (options: BrokerOptions): Promise<NatsConnection> => {
  const { connect } = await import('@nats-io/transport-node').catch((cause: unknown) => {
    const fix = 'npm install @nats-io/transport-node';
    throw new HookwrightError('not_supported', `hookwright/nats needs @nats-io/transport-node; ${fix}`, { cause });
  });
  return connect(createClientOptions(options));
};
