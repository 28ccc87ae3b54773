import { type McpResult, McpTools } from '../../../adapters/index.ts';
import type { Hooks } from '../../../facade/index.ts';
import { describeThrown, isRecord, textOf } from '../../../kit/index.ts';

const INTERNAL_ERROR = -32_603;

export type Message = Readonly<Record<string, unknown>>;

/** What a message says that asks for a call of a tool. */
export interface ToolCallMessage extends Message {
  readonly id: string | number;
  readonly params: Message;
}

/** An id means something within a session only; 1 and "1" are two. */
export const keyOf = (session: string, id: unknown): string => `${session} ${JSON.stringify(id)}`;

export const isToolCall = (message: unknown): message is ToolCallMessage =>
  isRecord(message) &&
  message.method === 'tools/call' &&
  (typeof message.id === 'string' || typeof message.id === 'number') &&
  isRecord(message.params);

/** Whether a message answers one; a question of the server has an id, too. */
export const isAnswer = (message: Message): boolean => 'id' in message && !('method' in message);

/** Of a call that was cancelled, the id. */
export const cancelledBy = ({ method, params }: Message): unknown =>
  method === 'notifications/cancelled' && isRecord(params) ? params.requestId : undefined;

/** The server answered a call with an error of the protocol; the client gets it as it is. */
class ServerError extends Error {
  readonly answer: Message;

  constructor(answer: Message) {
    super('the server answered with an error');
    this.answer = answer;
  }
}

interface Call {
  readonly leaving: AbortController;
  readonly answer: Promise<Message | undefined>;
  settle?: { readonly resolve: (result: McpResult) => void; readonly reject: (error: Error) => void };
}

export interface CallParts {
  readonly hooks: Hooks;
  /** How hooks know the server; as it calls itself when left out. */
  readonly server: string | undefined;
  readonly note: (text: string) => void;
}

/** Calls of tools that pass by, with hooks around them, however they travel. */
export class HookedCalls {
  readonly #parts: CallParts;
  readonly #calls = new Map<string, Call>();
  #tools: McpTools | undefined;

  constructor(parts: CallParts) {
    this.#parts = parts;
    if (parts.server !== undefined) this.#tools = new McpTools(parts.hooks, parts.server);
  }

  /** A server says in its answer to `initialize` how it is called. */
  learnName({ result }: Message): void {
    const info = isRecord(result) ? result.serverInfo : undefined;
    const name = isRecord(info) ? textOf(info.name) : undefined;
    if (name !== undefined) this.#tools ??= new McpTools(this.#parts.hooks, name.replaceAll(/[^\w.-]/g, '_'));
  }

  /** Asks hooks about a call, which `send` passes on; resolves to what the client is answered, nothing once it was cancelled. */
  ask(key: string, message: ToolCallMessage, send: (message: Message) => void): Promise<Message | undefined> {
    const leaving = new AbortController();
    let call: Call | undefined;
    const answer = this.#ask(message, leaving.signal, (input) => {
      return new Promise<McpResult>((resolve, reject) => {
        if (call !== undefined) call.settle = { resolve, reject };
        send({ ...message, params: { ...message.params, arguments: input } });
      });
    }).finally(() => {
      if (this.#calls.get(key) === call) this.#calls.delete(key);
    });
    call = { leaving, answer };
    this.#calls.set(key, call);
    return answer;
  }

  /** What the client is told in place of what the server said, if that answers a call; else nothing. */
  answered(key: string, message: Message): Promise<Message | undefined> | undefined {
    const call = this.#calls.get(key);
    if (call?.settle === undefined) return undefined;
    if (isRecord(message.result)) call.settle.resolve(message.result);
    else call.settle.reject(new ServerError(message));
    return call.answer;
  }

  /** The server could not be asked. */
  failed(key: string, error: Error): void {
    this.#calls.get(key)?.settle?.reject(error);
  }

  cancel(key: string): void {
    this.#calls.get(key)?.leaving.abort();
  }

  async #ask(
    { id, params }: ToolCallMessage,
    signal: AbortSignal,
    run: (input: Record<string, unknown>) => Promise<McpResult>,
  ): Promise<Message | undefined> {
    // What is sent is sent after the caller knows of this call.
    await Promise.resolve();
    try {
      const tools = this.#tools ?? new McpTools(this.#parts.hooks, 'server');
      const name = textOf(params.name) ?? '';
      const input = isRecord(params.arguments) ? { ...params.arguments } : {};
      return { jsonrpc: '2.0', id, result: await tools.call({ name, input, id: String(id), signal, run }) };
    } catch (error) {
      // A call that was cancelled has no answer: so the protocol wants it.
      if (signal.aborted) return undefined;
      if (error instanceof ServerError) return error.answer;
      this.#parts.note(`the hooks could not be run for a call: ${describeThrown(error)}`);
      return { jsonrpc: '2.0', id, error: { code: INTERNAL_ERROR, message: describeThrown(error) } };
    }
  }
}
