import type { Readable, Writable } from 'node:stream';
import { type McpResult, McpTools } from '../../../adapters/index.ts';
import type { Hooks } from '../../../facade/index.ts';
import { describeThrown, isRecord, parseJson, textOf } from '../../../kit/index.ts';
import { LineSplitter } from '../../../recorder/internal.ts';

/** A picture in a message is long; whoever sends more than this in one does not talk MCP. */
const MAX_MESSAGE_BYTES = 64 * 2 ** 20;
const INTERNAL_ERROR = -32_603;

type Message = Readonly<Record<string, unknown>>;
type Id = string | number;

const idOf = ({ id }: Message): Id | undefined => (typeof id === 'string' || typeof id === 'number' ? id : undefined);

/** The server answered a call with an error of the protocol; the client gets it as it is. */
class ServerError extends Error {
  readonly answer: Message;

  constructor(answer: Message) {
    super('the server answered with an error');
    this.answer = answer;
  }
}

interface Pending {
  readonly resolve: (result: McpResult) => void;
  readonly reject: (error: Error) => void;
}

export interface ProxyParts {
  readonly hooks: Hooks;
  readonly server: string | undefined;
  readonly toServer: Writable;
  readonly toClient: Writable;
  readonly note: (text: string) => void;
}

/** Passes messages on between a client and a server, and asks hooks about the calls of tools among them. */
export class McpProxy {
  readonly #parts: ProxyParts;
  readonly #pending = new Map<Id, Pending>();
  readonly #calls = new Map<Id, AbortController>();
  #tools: McpTools | undefined;
  #initializeId: Id | undefined;

  constructor(parts: ProxyParts) {
    this.#parts = parts;
    if (parts.server !== undefined) this.#tools = new McpTools(parts.hooks, parts.server);
  }

  /** Reads one side until it ends. */
  async read(from: Readable, side: 'client' | 'server'): Promise<void> {
    const splitter = new LineSplitter(MAX_MESSAGE_BYTES);
    for await (const piece of from) {
      for (const { text } of splitter.push(Buffer.isBuffer(piece) ? piece : Buffer.from(String(piece)))) {
        if (text === undefined) throw new Error(`the ${side} sent more than ${MAX_MESSAGE_BYTES} bytes in one message`);
        if (text.trim() !== '') this.#take(text, side);
      }
    }
  }

  #take(text: string, side: 'client' | 'server'): void {
    const read = parseJson(text);
    const message = read.ok && isRecord(read.value) ? read.value : undefined;
    if (side === 'client') this.#fromClient(text, message);
    else this.#fromServer(text, message);
  }

  #fromClient(text: string, message: Message | undefined): void {
    const id = message === undefined ? undefined : idOf(message);
    if (message?.method === 'tools/call' && id !== undefined && isRecord(message.params)) {
      void this.#call(id, message, message.params);
      return;
    }
    if (message?.method === 'initialize') this.#initializeId = id;
    if (message?.method === 'notifications/cancelled' && isRecord(message.params))
      this.#cancel(message.params.requestId);
    this.#parts.toServer.write(`${text}\n`);
  }

  #fromServer(text: string, message: Message | undefined): void {
    const id = message === undefined || 'method' in message ? undefined : idOf(message);
    if (message !== undefined && id !== undefined && id === this.#initializeId) this.#learnName(message);
    const pending = id === undefined ? undefined : this.#pending.get(id);
    if (message === undefined || id === undefined || pending === undefined) {
      this.#parts.toClient.write(`${text}\n`);
      return;
    }
    this.#pending.delete(id);
    if (isRecord(message.result)) pending.resolve(message.result);
    else pending.reject(new ServerError(message));
  }

  /** The server says in its first answer how it is called. */
  #learnName({ result }: Message): void {
    const info = isRecord(result) ? result.serverInfo : undefined;
    const name = isRecord(info) ? textOf(info.name) : undefined;
    this.#tools ??= new McpTools(this.#parts.hooks, (name ?? 'server').replaceAll(/[^\w.-]/g, '_'));
  }

  #cancel(requestId: unknown): void {
    if (typeof requestId !== 'string' && typeof requestId !== 'number') return;
    this.#calls.get(requestId)?.abort();
    this.#pending.delete(requestId);
  }

  async #call(id: Id, message: Message, params: Message): Promise<void> {
    const { toServer, note } = this.#parts;
    const leaving = new AbortController();
    this.#calls.set(id, leaving);
    try {
      const tools = this.#tools ?? new McpTools(this.#parts.hooks, 'server');
      const result = await tools.call({
        name: textOf(params.name) ?? '',
        input: isRecord(params.arguments) ? { ...params.arguments } : {},
        id: String(id),
        signal: leaving.signal,
        run: (args) =>
          new Promise<McpResult>((resolve, reject) => {
            this.#pending.set(id, { resolve, reject });
            toServer.write(`${JSON.stringify({ ...message, params: { ...params, arguments: args } })}\n`);
          }),
      });
      this.#answer({ jsonrpc: '2.0', id, result });
    } catch (error) {
      // A call that was cancelled has no answer: so the protocol wants it.
      if (leaving.signal.aborted) return;
      if (error instanceof ServerError) this.#answer(error.answer);
      else {
        note(`a call could not be asked about: ${describeThrown(error)}`);
        this.#answer({ jsonrpc: '2.0', id, error: { code: INTERNAL_ERROR, message: describeThrown(error) } });
      }
    } finally {
      this.#calls.delete(id);
    }
  }

  #answer(message: Message): void {
    this.#parts.toClient.write(`${JSON.stringify(message)}\n`);
  }
}
