/** The MCP proxy over HTTP: passes requests to one server, with hooks around tool calls. */
import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { describeThrown, textOf, toError } from '../../../kit/index.ts';
import { findRequestRefusal, type LocalServer, readBody, readRequestUrl, serveLocally } from '../../../kit/node.ts';
import {
  createErrorMessage,
  createRequestKey,
  HookedCalls,
  type HookedCallsDeps,
  type InvalidMessage,
  MAX_MESSAGE_BYTES,
  type McpEnvelope,
  REFUSED_CODE,
  type RequestEnvelope,
  readCancelledRequestId,
  readEnvelope,
  readEnvelopes,
  writeMessage,
} from './hooked-calls.ts';

const SESSION_HEADER = 'mcp-session-id';

/** Headers about one connection or its target must not be passed on. */
const unforwardedHeaders = new Set([
  'accept-encoding',
  'alt-svc',
  'connection',
  'content-encoding',
  'content-length',
  'host',
  'keep-alive',
  'location',
  'origin',
  'referer',
  'refresh',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

export interface HttpProxyOptions extends HookedCallsDeps {
  readonly url: URL;
  readonly token: string | undefined;
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly session: string;
  readonly body?: string | undefined;
  readonly open?: { readonly id: unknown; readonly key: string; readonly isCall: boolean } | undefined;
}

const allowedMethods: readonly string[] = ['GET', 'POST', 'DELETE'];

export class HttpProxy {
  readonly #deps: HttpProxyOptions;
  readonly #calls: HookedCalls;
  readonly #leaving = new AbortController();
  readonly #token: string;
  #server: LocalServer | undefined;
  #port = 0;
  #unnamed = 0;

  constructor(deps: HttpProxyOptions) {
    this.#deps = deps;
    this.#calls = new HookedCalls(deps);
    this.#token = deps.token ?? randomBytes(24).toString('base64url');
  }

  async listen(port = 0): Promise<URL> {
    this.#port = port;
    this.#server = await serveLocally((request, response) => {
      response.on('error', () => response.destroy());
      this.#handle(request, response).catch((error: unknown) => {
        if (!response.destroyed) this.#deps.note(`a request could not be passed on: ${describeThrown(error)}`);
        if (response.headersSent) response.destroy();
        else respond(response, 502, createErrorMessage(undefined, REFUSED_CODE, describeThrown(error)));
      });
    }, port);
    this.#port = this.#server.port;
    const address = new URL(`http://127.0.0.1:${this.#port}${this.#deps.url.pathname}`);
    address.searchParams.set('token', this.#token);
    return address;
  }

  async close(): Promise<void> {
    this.#leaving.abort();
    await this.#server?.close();
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '' } = request;
    const refuse = (status: number, message: string): void =>
      respond(response, status, createErrorMessage(undefined, REFUSED_CODE, message), { connection: 'close' });
    const admission = { name: 'hookwright mcp-proxy', port: this.#port, token: this.#token, onlyInAddress: true };
    const refused = findRequestRefusal(request, admission);
    if (refused !== undefined) return refuse(refused.status, refused.message);
    if (readRequestUrl(request).pathname !== this.#deps.url.pathname)
      return refuse(404, 'there is only the server’s own address');
    if (!allowedMethods.includes(method)) return refuse(405, `expected one of ${allowedMethods.join(', ')}`);
    const session = textOf(request.headers[SESSION_HEADER]) ?? '';
    if (method !== 'POST') return this.#forward({ request, response, session });
    const bytes = await readBody(request, MAX_MESSAGE_BYTES);
    if (bytes === undefined) return refuse(413, `expected at most ${MAX_MESSAGE_BYTES} bytes`);
    const envelope = readEnvelope(bytes.toString('utf8'));
    if (envelope.kind === 'invalid') return respond(response, 400, envelope.refusal);
    if (envelope.kind === 'request') return this.#forwardRequest(envelope, { request, response, session });
    if (envelope.kind === 'notification')
      this.#calls.cancel(createRequestKey(session, readCancelledRequestId(envelope)));
    return this.#forward({ request, response, session, body: writeMessage(envelope.raw) });
  }

  async #forwardRequest(envelope: RequestEnvelope, exchange: Exchange): Promise<void> {
    const { response, session } = exchange;
    // Clients without a session may use the same ids, so a counter tells their requests apart.
    this.#unnamed += 1;
    const key = session === '' ? `${this.#unnamed}` : createRequestKey(session, envelope.id);
    let passed: Promise<void> | undefined;
    const answer = this.#calls.open(key, envelope, (body) => {
      const open = { id: envelope.id, key, isCall: envelope.method === 'tools/call' };
      passed = this.#forward({ ...exchange, body, open }).catch((error: unknown) => {
        this.#calls.fail(key, toError(error));
        if (!open.isCall) throw error;
      });
    });
    if (typeof answer === 'string') return respond(response, 200, answer);
    if (answer === undefined)
      return passed?.finally(() => session === '' && this.#calls.fail(key, new Error('no answer')));
    const text = await answer;
    if (text !== undefined) await passed;
    if (text === undefined && !response.headersSent) response.writeHead(202);
    else if (!response.headersSent) respond(response, 200, text, session === '' ? {} : { [SESSION_HEADER]: session });
    else if (!response.writableEnded && text !== undefined) response.write(`data: ${text}\n\n`);
    response.end();
  }

  async #forward(exchange: Exchange): Promise<void> {
    const { request, response, body, open } = exchange;
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    const upstream = await fetch(this.#deps.url, {
      method: request.method ?? 'GET',
      headers: createRequestHeaders(request),
      redirect: 'manual',
      signal: AbortSignal.any([this.#leaving.signal, ...(open?.isCall === true ? [] : [gone.signal])]),
      ...(body === undefined ? {} : { body }),
    });
    const { status } = upstream;
    const fail = (why: string): void => {
      if (open !== undefined) this.#calls.fail(open.key, new Error(why));
    };
    if (status >= 300 && status < 400) {
      await upstream.body?.cancel();
      throw new Error(`the server redirects to ${upstream.headers.get('location')}; start the proxy with that address`);
    }
    if (upstream.ok && isEventStream(upstream)) return this.#stream(upstream, exchange);
    const text = await upstream.text();
    if (!upstream.ok) {
      const failure = `the server answered with the status ${status}`;
      fail(failure);
      // Clients need the status to sign in or to begin a session. The text of a tool call must not bypass hooks.
      const body = open?.isCall === true ? createErrorMessage(open.id, REFUSED_CODE, failure) : text;
      if (!response.headersSent) response.writeHead(status, readResponseHeaders(upstream)).end(body);
      return;
    }
    if (text.trim() === '') {
      fail('the server sent no answer');
      if (!response.headersSent && open?.isCall !== true)
        response.writeHead(status, readResponseHeaders(upstream)).end();
      return;
    }
    const messages = await this.#messagesFor(readEnvelopes(text), exchange);
    if (response.headersSent) return;
    if (messages.length !== 1) throw new Error('the server did not answer with one message');
    response
      .writeHead(status, { ...readResponseHeaders(upstream), 'content-type': 'application/json' })
      .end(messages[0]);
  }

  async #stream(upstream: Response, exchange: Exchange): Promise<void> {
    const { response, open } = exchange;
    response.writeHead(upstream.status, readResponseHeaders(upstream));
    response.flushHeaders();
    let canResume = false;
    for await (const event of streamEvents(upstream.body ?? new ReadableStream(), MAX_MESSAGE_BYTES)) {
      canResume ||= event.fields.some((field) => field.startsWith('id:'));
      const { data = '' } = event;
      const messages = data === '' ? [] : await this.#messagesFor(readEnvelopes(data), exchange);
      if (response.writableEnded) return;
      response.write(formatEvents(event, messages));
    }
    if (open?.isCall === true && !canResume) this.#calls.fail(open.key, new Error('the server sent no answer'));
    else response.end();
  }

  async #messagesFor(
    envelopes: readonly (McpEnvelope | InvalidMessage)[],
    { session, open }: Exchange,
  ): Promise<string[]> {
    const keyOfId = (id: unknown): string => (id === open?.id ? open?.key : undefined) ?? createRequestKey(session, id);
    const messages: string[] = [];
    for (const envelope of envelopes) {
      const text = await this.#calls.receive(envelope, keyOfId);
      if (text !== undefined) messages.push(text);
    }
    return messages;
  }
}

const isEventStream = ({ headers }: Response): boolean =>
  /^text\/event-stream\s*(?:;|$)/i.test(headers.get('content-type') ?? '');

const respond = (
  response: ServerResponse,
  status: number,
  text: string | undefined,
  headers: Record<string, string> = {},
): void => {
  if (response.headersSent) return;
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(text);
};

const createRequestHeaders = (request: IncomingMessage): Headers => {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    if (value === undefined || unforwardedHeaders.has(name) || name.startsWith('sec-fetch-')) continue;
    headers.set(name, Array.isArray(value) ? value.join(', ') : value);
  }
  if (request.method === 'POST') headers.set('content-type', 'application/json');
  return headers;
};

const readResponseHeaders = ({ headers }: Response): Record<string, string> =>
  Object.fromEntries([...headers].filter(([name]) => !unforwardedHeaders.has(name)));

interface StreamEvent {
  readonly fields: readonly string[];
  readonly data: string | undefined;
}

async function* streamEvents(stream: AsyncIterable<Uint8Array>, maxBytes: number): AsyncIterable<StreamEvent> {
  let fields: string[] = [];
  let data: string[] = [];
  for await (const line of streamLines(stream, maxBytes)) {
    if (line !== '') {
      const [, name, value = ''] = /^([^:]*)(?:: ?([\s\S]*))?$/.exec(line) ?? [];
      if (name === 'data') data.push(value);
      else fields.push(line);
      continue;
    }
    if (fields.length > 0 || data.length > 0) yield { fields, data: data.length === 0 ? undefined : data.join('\n') };
    fields = [];
    data = [];
  }
}

/** Only the last message has the event id, so that a client that resumes misses no message. */
const formatEvents = ({ fields, data }: StreamEvent, messages: readonly string[]): string => {
  const before = messages.slice(0, -1).map((message) => `data: ${message}\n\n`);
  const last = data === '' ? [data] : messages.slice(-1);
  return `${before.join('')}${[...fields, ...last.map((text) => `data: ${text}`)].join('\n')}\n\n`;
};

async function* streamLines(stream: AsyncIterable<Uint8Array>, maxBytes: number): AsyncIterable<string> {
  const decoder = new TextDecoder();
  const ends = /\r\n|\n|\r/g;
  let rest = '';
  for await (const piece of stream) {
    // A long line comes in many pieces, and each piece is searched only once.
    let from = Math.max(0, rest.length - 1);
    rest += decoder.decode(piece, { stream: true });
    for (;;) {
      ends.lastIndex = from;
      const end = ends.exec(rest);
      // A carriage return at the end may be the first half of a CRLF.
      if (end === null || (end[0] === '\r' && end.index === rest.length - 1)) break;
      yield rest.slice(0, end.index);
      rest = rest.slice(end.index + end[0].length);
      from = 0;
    }
    if (rest.length > maxBytes) throw new Error(`the server sent more than ${maxBytes} bytes in one line`);
  }
  if (rest.endsWith('\r')) yield rest.slice(0, -1);
}
