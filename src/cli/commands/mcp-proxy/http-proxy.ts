import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { describeThrown, isRecord, parseJson } from '../../../kit/index.ts';
import { bodyOf } from '../../../kit/node.ts';
import { eventsOf, eventWith } from './events.ts';
import { type CallParts, cancelledBy, HookedCalls, isAnswer, isToolCall, keyOf } from './hooked-calls.ts';

/** A picture in a message is long; whoever sends more than this in one does not talk MCP. */
const MAX_MESSAGE_BYTES = 64 * 2 ** 20;

const SESSION = 'mcp-session-id';

/** About this connection, not about the message. */
const hopByHop = new Set([
  'connection',
  'content-encoding',
  'content-length',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'accept-encoding',
]);

export interface HttpProxyParts extends CallParts {
  /** Where the server is. */
  readonly url: URL;
}

/** Somebody else's page in a browser may send requests here; none of them is taken for the client's. */
const refusalOf = ({ headers }: IncomingMessage, port: number): string | undefined => {
  const hosts = [`127.0.0.1:${port}`, `localhost:${port}`];
  const { host = '', origin } = headers;
  if (!hosts.includes(host.toLowerCase())) return `this is hookwright mcp-proxy at ${hosts[0]}, not ${host}`;
  if (origin === undefined || hosts.some((name) => origin === `http://${name}`)) return undefined;
  return 'pages from other origins have no access';
};

const sessionIn = ({ headers }: IncomingMessage): string => {
  const given = headers[SESSION];
  return typeof given === 'string' ? given : '';
};

const headersFor = (request: IncomingMessage): Headers => {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    if (value === undefined || hopByHop.has(name)) continue;
    headers.set(name, Array.isArray(value) ? value.join(', ') : value);
  }
  return headers;
};

const say = (response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void => {
  if (response.headersSent) return;
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
};

const isBatchWithCall = (value: unknown): boolean => Array.isArray(value) && value.some(isToolCall);

const isStream = ({ headers }: Response): boolean =>
  headers.get('content-type')?.startsWith('text/event-stream') === true;

/** Stands in front of an MCP server that is reached over HTTP, and asks hooks about the calls of tools that come by. */
export class HttpProxy {
  readonly #parts: HttpProxyParts;
  readonly #calls: HookedCalls;
  readonly #server: Server;
  readonly #leaving = new AbortController();
  #port = 0;

  constructor(parts: HttpProxyParts) {
    this.#parts = parts;
    this.#calls = new HookedCalls(parts);
    this.#server = createServer((request, response) => {
      this.#take(request, response).catch((error: unknown) => {
        parts.note(`a request could not be passed on: ${describeThrown(error)}`);
        if (response.headersSent) response.destroy();
        else say(response, 502, { error: `hookwright mcp-proxy: ${describeThrown(error)}` });
      });
    });
  }

  /** Resolves to the address that clients are given in place of the server's. */
  async listen(port = 0): Promise<URL> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, '127.0.0.1', resolve);
    });
    const address = this.#server.address();
    this.#port = typeof address === 'object' && address !== null ? address.port : port;
    return new URL(`${this.#parts.url.pathname}${this.#parts.url.search}`, `http://127.0.0.1:${this.#port}`);
  }

  async close(): Promise<void> {
    this.#leaving.abort();
    await new Promise((resolve) => {
      this.#server.close(resolve);
      this.#server.closeAllConnections();
    });
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const refusal = refusalOf(request, this.#port);
    if (refusal !== undefined) return say(response, 403, { error: refusal });
    const body = await bodyOf(request, MAX_MESSAGE_BYTES);
    if (body === undefined) return say(response, 413, { error: `expected at most ${MAX_MESSAGE_BYTES} bytes` });
    const read = request.method === 'POST' ? parseJson(body.toString('utf8')) : undefined;
    const message = read?.ok === true ? read.value : undefined;
    if (isBatchWithCall(message)) {
      const error = {
        code: -32_600,
        message: 'tool calls in a batch are not passed on; send each in a message of its own',
      };
      return say(response, 400, { jsonrpc: '2.0', id: null, error });
    }
    const session = sessionIn(request);
    if (!isToolCall(message)) {
      const cancelled = isRecord(message) ? cancelledBy(message) : undefined;
      if (cancelled !== undefined) this.#calls.cancel(keyOf(session, cancelled));
      const isInitialize = isRecord(message) && message.method === 'initialize';
      return this.#pass(request, response, { body, session, isInitialize });
    }
    const key = keyOf(session, message.id);
    let passing: Promise<void> | undefined;
    const answer = await this.#calls.ask(key, message, (changed) => {
      const changedBody = Buffer.from(JSON.stringify(changed));
      passing = this.#pass(request, response, { body: changedBody, session, key }).catch((error: unknown) =>
        this.#calls.failed(key, error instanceof Error ? error : new Error(describeThrown(error))),
      );
    });
    if (answer === undefined && !response.headersSent) response.writeHead(202).end();
    else if (answer !== undefined) say(response, 200, answer, session === '' ? {} : { [SESSION]: session });
    await passing;
  }

  /** Asks the server, and gives back what it says; the answer to a call is told by who asked hooks about it. */
  async #pass(
    request: IncomingMessage,
    response: ServerResponse,
    {
      body,
      session,
      key,
      isInitialize = false,
    }: { body: Buffer; session: string; key?: string; isInitialize?: boolean },
  ): Promise<void> {
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    const { method = 'GET' } = request;
    const upstream = await fetch(this.#addressFor(request), {
      method,
      headers: headersFor(request),
      redirect: 'manual',
      signal: AbortSignal.any([this.#leaving.signal, ...(key === undefined ? [gone.signal] : [])]),
      ...(method === 'GET' || method === 'HEAD' ? {} : { body }),
    });
    if (isStream(upstream) && upstream.ok) return this.#stream(upstream, response, session, isInitialize);
    const text = Buffer.from(await upstream.arrayBuffer());
    const read = parseJson(text.toString('utf8'));
    const message = read.ok && isRecord(read.value) ? read.value : undefined;
    if (message !== undefined && isInitialize) this.#calls.learnName(message);
    if (key !== undefined && message !== undefined && isAnswer(message) && upstream.ok) {
      if (this.#calls.answered(key, message) !== undefined) return;
    }
    // A call that was cancelled meanwhile is answered already.
    if (!response.headersSent) response.writeHead(upstream.status, headersFrom(upstream)).end(text);
    if (key !== undefined) this.#calls.failed(key, new Error(`the server answered with the status ${upstream.status}`));
  }

  async #stream(upstream: Response, response: ServerResponse, session: string, isInitialize: boolean): Promise<void> {
    response.writeHead(upstream.status, headersFrom(upstream));
    response.flushHeaders();
    for await (const event of eventsOf(upstream.body ?? new ReadableStream(), MAX_MESSAGE_BYTES)) {
      const { raw, message } = event;
      if (message !== undefined && isAnswer(message)) {
        if (isInitialize) this.#calls.learnName(message);
        const answer = this.#calls.answered(keyOf(session, message.id), message);
        if (answer !== undefined) {
          const told = await answer;
          if (told !== undefined) response.write(eventWith(event, told));
          continue;
        }
      }
      response.write(raw);
    }
    response.end();
  }

  #addressFor({ url = '/' }: IncomingMessage): URL {
    const { url: server } = this.#parts;
    return url === '/' ? server : new URL(url, server.origin);
  }
}

const headersFrom = ({ headers }: Response): Record<string, string> =>
  Object.fromEntries([...headers].filter(([name]) => !hopByHop.has(name)));
