/** `openInspector`: serves a page that follows a bus, session or stream, and lets users answer confirmations. */
import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { Bus } from '../bus/index.ts';
import { createInvalidArgument, HookwrightError } from '../errors.ts';
import {
  describeThrown,
  describeValue,
  expectKnown,
  isRecord,
  MAX_TIMER_MS,
  once,
  waitForNextTurn,
} from '../kit/index.ts';
import { MessageBusType } from '../protocol/index.ts';
import { EncodingQueue, parseEntry, Redactor, type Session, type SessionEntry } from '../sessions/index.ts';
import { RequestLog, type RequestSummary } from './request-log.ts';
import { type Route, type RouteResponse, servePage } from './serve-page.ts';

export type InspectorSource = Bus | Session | AsyncIterable<SessionEntry>;

export interface InspectorOptions {
  readonly port?: number | undefined;
  /** Lets users answer confirmations of hooks on the page. Needs a bus as source. Default: false. */
  readonly answer?: boolean | undefined;
  readonly name?: string | undefined;
  /** A report of `backtest`, whose changed decisions the page lists. */
  readonly backtest?: unknown;
}

const inspectorOptionNames = ['port', 'answer', 'name', 'backtest'] satisfies (keyof InspectorOptions)[];

export interface Inspector {
  /** Address of the page. Its token gives access to all messages, so do not log it. */
  readonly url: string;
  /** Resolves when a session or stream was read to its end. */
  readonly ended: Promise<void>;
  close(): Promise<void>;
}

const isBus = (source: InspectorSource): source is Bus => 'subscribe' in source && 'publish' in source;

const isSession = (source: InspectorSource): source is Session => 'entries' in source && 'header' in source;

const checkSource = (source: unknown): void => {
  if (typeof source === 'object' && source !== null) {
    if (Symbol.asyncIterator in source || ('subscribe' in source && 'publish' in source)) return;
  }
  throw createInvalidArgument(
    `openInspector shows a bus or a session, such as hooks.bus or readSession(file); got ${describeValue(source)}`,
  );
};

class InspectorServer {
  readonly #requests = new RequestLog();
  readonly #streams = new Set<EventStream>();
  readonly #hello: Readonly<Record<string, unknown>>;
  readonly #answerOn: Bus | undefined;
  readonly #backtest: unknown;
  #dropped = 0;
  /** No message announces that a confirmation expires, so a timer updates the page. */
  readonly #expiryTimers = new Map<string, NodeJS.Timeout>();
  #state: { readonly isOver: boolean; readonly problem?: string | undefined } = { isOver: false };

  constructor(hello: Readonly<Record<string, unknown>>, answerOn: Bus | undefined, backtest: unknown) {
    this.#hello = hello;
    this.#answerOn = answerOn;
    this.#backtest = backtest;
  }

  readonly addEntry = (entry: SessionEntry): void => {
    const id = this.#requests.add(entry);
    this.#announceChange(id);
    const expiresInMs = this.#requests.expiresInMs(id);
    clearTimeout(this.#expiryTimers.get(id));
    this.#expiryTimers.delete(id);
    if (expiresInMs === undefined) return;
    const end = (): void => {
      this.#expiryTimers.delete(id);
      this.#announceChange(id);
    };
    this.#expiryTimers.set(id, setTimeout(end, Math.min(expiresInMs + 1, MAX_TIMER_MS)).unref());
  };

  #announceChange(id: string): void {
    const linked = this.#requests.linkedTo(id);
    for (const stream of this.#streams) {
      stream.queueRequest(id);
      if (linked !== undefined) stream.queueRequest(linked);
    }
  }

  readonly addDropped = (count: number): void => {
    this.#dropped += count;
    this.#sendState();
  };

  finish(problem?: string): void {
    this.#state = { isOver: true, problem };
    this.#sendState();
  }

  get routes(): readonly Route[] {
    return [
      { method: 'GET', path: '/events', answer: (_query, _body, response) => this.#openStream(response) },
      { method: 'GET', path: '/request', answer: (query) => this.#findDetails(query.get('id')) },
      { method: 'GET', path: '/backtest', answer: () => ({ status: 200, body: this.#backtest ?? null }) },
      { method: 'POST', path: '/answer', answer: (_query, body) => this.#publishAnswer(body) },
    ];
  }

  close(): void {
    for (const timer of this.#expiryTimers.values()) clearTimeout(timer);
    for (const stream of this.#streams) stream.end();
  }

  #sendState(): void {
    for (const stream of this.#streams) stream.queueEvent('state', this.#stateNow());
  }

  #stateNow(): unknown {
    return { ...this.#state, dropped: this.#dropped, forgotten: this.#requests.forgotten };
  }

  #openStream(response: ServerResponse): undefined {
    const onClose = (): boolean => this.#streams.delete(stream);
    const stream = new EventStream(response, this.#requests, this.#hello, onClose);
    this.#streams.add(stream);
    stream.queueEvent('state', this.#stateNow());
  }

  #findDetails(id: string | null): RouteResponse {
    const details = id === null ? undefined : this.#requests.details(id);
    return details === undefined
      ? { status: 404, body: { error: 'no such request is known here, or it was let go' } }
      : { status: 200, body: details };
  }

  #publishAnswer(body: unknown): RouteResponse {
    if (this.#answerOn === undefined) {
      return { status: 403, body: { error: 'this page only shows; questions are answered with --answer' } };
    }
    const { id, approved } = isRecord(body) ? body : {};
    if (typeof id !== 'string' || typeof approved !== 'boolean') {
      return { status: 400, body: { error: 'expected {id, approved}' } };
    }
    if (this.#requests.summary(id)?.state !== 'asking') {
      return { status: 409, body: { error: 'the call no longer waits for this answer' } };
    }
    const type = MessageBusType.HOOK_CONFIRMATION_RESPONSE;
    this.#answerOn.publish({ type, correlationId: id, approved, by: 'inspector' });
    return { status: 200, body: { sent: true } };
  }
}

const ENTRIES_BEFORE_YIELD = 200;

const describeProblems = ({ problems: [first, ...others] }: Session): string | undefined => {
  if (first === undefined) return undefined;
  return `line ${first.line}: ${first.message}${others.length === 0 ? '' : `; ${others.length} more lines could not be used`}`;
};

const readEntries = async (
  source: Session | AsyncIterable<SessionEntry>,
  server: InspectorServer,
  signal: AbortSignal,
): Promise<void> => {
  let count = 0;
  try {
    for await (const entry of source) {
      if (signal.aborted) return;
      server.addEntry(entry);
      count += 1;
      if (count % ENTRIES_BEFORE_YIELD === 0) await waitForNextTurn();
    }
    server.finish(isSession(source) ? describeProblems(source) : undefined);
  } catch (error) {
    server.finish(describeThrown(error));
  }
};

const getSourceName = (source: InspectorSource): string => {
  if (isBus(source)) return 'this process';
  return isSession(source) ? source.file : 'an agent';
};

/** Serves a page that shows what hooks do. Listens on the loopback address only; requests need the token of its URL. */
export const openInspector = async (source: InspectorSource, options: InspectorOptions = {}): Promise<Inspector> => {
  checkSource(source);
  expectKnown('openInspector', options, inspectorOptionNames);
  const { port = 0, answer = false, name = getSourceName(source), backtest } = options;
  if (answer && !isBus(source)) {
    throw createInvalidArgument('answer: questions can be answered over a bus, not in a recording');
  }
  const token = randomBytes(24).toString('base64url');
  const kind = isSession(source) ? 'session' : 'live';
  const answerOn = answer && isBus(source) ? source : undefined;
  const server = new InspectorServer(
    { name, kind, answers: answer, compares: backtest !== undefined },
    answerOn,
    backtest,
  );
  const served = await servePage(server.routes, token, port).catch((cause: unknown) => {
    const message = `port ${port} cannot be listened on: ${describeThrown(cause)}`;
    throw new HookwrightError('invalid_argument', message, { cause });
  });
  const ending = new AbortController();
  const stopFollowing = isBus(source) ? followBus(source, server) : undefined;
  // The bus publishes confirmations only if it has a listener for them, so the inspector adds an empty listener.
  const acceptConfirmations = (): void => undefined;
  answerOn?.subscribe(MessageBusType.HOOK_CONFIRMATION_REQUEST, acceptConfirmations);
  const ended = isBus(source) ? Promise.resolve() : readEntries(source, server, ending.signal);
  const close = once(async (): Promise<void> => {
    ending.abort();
    stopFollowing?.();
    answerOn?.unsubscribe(MessageBusType.HOOK_CONFIRMATION_REQUEST, acceptConfirmations);
    server.close();
    await served.close();
  });
  return { url: `http://127.0.0.1:${served.port}/?token=${token}`, ended, close };
};

/** Limit of messages that wait to be encoded. Further messages are dropped, and the page shows their number. */
const MAX_WAITING_MESSAGES = 10_000;

/** Encodes and parses each message, so that the page gets messages redacted and shortened as in a session file. */
const followBus = (bus: Bus, server: InspectorServer): (() => void) => {
  let dropped = 0;
  const queue: EncodingQueue = new EncodingQueue(new Redactor(), {
    take: (encoded) => {
      const parsed = encoded.ok ? parseEntry(encoded.line.trimEnd(), 0) : undefined;
      if (parsed?.ok === true) server.addEntry(parsed.entry);
      else dropped += 1;
    },
    rest: () => {
      if (dropped > 0) server.addDropped(dropped);
      dropped = 0;
    },
  });
  const subscription = bus.stream().subscribe((message) => {
    if (queue.size >= MAX_WAITING_MESSAGES) dropped += 1;
    else queue.add(message);
  });
  return () => {
    subscription.unsubscribe();
    queue.clear();
  };
};

const MAX_REQUESTS_PER_BATCH = 250;
const BATCH_DELAY_MS = 80;
/** Milliseconds between writes that only serve to detect a closed connection. */
const HEARTBEAT_MS = 15_000;

/** Queues ids of changed requests, not updates: a slow page gets fewer updates, but always the latest state. */
class EventStream {
  readonly #response: ServerResponse;
  readonly #requests: RequestLog;
  readonly #changed: Set<string>;
  readonly #events = new Map<string, unknown>();
  readonly #pulse: NodeJS.Timeout;
  #timer: NodeJS.Timeout | undefined;
  #isFull = false;

  constructor(response: ServerResponse, requests: RequestLog, hello: unknown, onClose: () => void) {
    this.#response = response;
    this.#requests = requests;
    this.#changed = new Set(requests.ids());
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' });
    this.#send('hello', hello);
    this.#pulse = setInterval(() => response.write(': here\n\n'), HEARTBEAT_MS).unref();
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

  queueRequest(id: string): void {
    this.#changed.add(id);
    this.#schedule(BATCH_DELAY_MS);
  }

  queueEvent(name: string, value: unknown): void {
    this.#events.set(name, value);
    this.#schedule(BATCH_DELAY_MS);
  }

  end(): void {
    this.#flushEvents();
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
    if (!this.#isFull) this.#flushEvents();
  }

  #sendBatch(): void {
    const batch: RequestSummary[] = [];
    for (const id of this.#changed) {
      this.#changed.delete(id);
      const summary = this.#requests.summary(id);
      if (summary !== undefined) batch.push(summary);
      if (batch.length >= MAX_REQUESTS_PER_BATCH) break;
    }
    if (batch.length > 0) this.#send('requests', batch);
  }

  #flushEvents(): void {
    for (const [name, value] of this.#events) this.#send(name, value);
    this.#events.clear();
  }

  #send(name: string, value: unknown): void {
    if (this.#response.destroyed) return;
    if (!this.#response.write(`event: ${name}\ndata: ${JSON.stringify(value)}\n\n`)) this.#isFull = true;
  }
}
