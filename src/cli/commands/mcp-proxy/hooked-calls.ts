import { type McpResult, McpTools } from '../../../adapters/index.ts';
import type { Hooks } from '../../../facade/index.ts';
import { describeThrown, isRecord, textOf } from '../../../kit/index.ts';
import {
  type AnswerEnvelope,
  asWritten,
  errorMessage,
  isToolCall,
  type Message,
  type RequestEnvelope,
  serverNameIn,
  writeMessage,
} from './envelope.ts';

const INTERNAL_ERROR = -32_603;
const INVALID_REQUEST = -32_600;
/** The first of those that a server may use as it likes. */
const REFUSED = -32_000;

/** A text that tells requests apart: an id means something within a session only, and 1 and "1" are two. */
export const keyOf = (session: string, id: unknown): string => `${session} ${JSON.stringify(id)}`;

/** The server answered a call with an error of the protocol; the client gets it as it is. */
class ServerError extends Error {
  readonly answer: Message;

  constructor(answer: Message) {
    super('the server answered with an error');
    this.answer = answer;
  }
}

/** A request that the server has yet to answer. */
interface OpenRequest {
  readonly method: string;
  /** There for a call of a tool. */
  readonly call?: OpenCall;
}

interface OpenCall {
  readonly leaving: AbortController;
  /** What the client is answered; `undefined` once the call was cancelled. */
  readonly answer: Promise<string | undefined>;
  /** Resolves when hooks are through with the arguments. */
  readonly decided: Promise<void>;
  settle?: { readonly resolve: (answer: AnswerEnvelope) => void; readonly reject: (error: Error) => void };
}

export interface CallParts {
  readonly hooks: Hooks;
  /** How hooks know the server; as it calls itself when left out. */
  readonly server: string | undefined;
  readonly note: (text: string) => void;
}

/** What an answer of the server comes to: a text for the client at once, or with the hooks that see it. */
export type Settled =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'call'; readonly answer: Promise<string | undefined> };

/** Requests that pass by, with hooks around calls of tools, however they travel. */
export class HookedCalls {
  readonly #parts: CallParts;
  readonly #open = new Map<string, OpenRequest>();
  /** Fixed by `--server`, or by the first answer to `initialize`. */
  #name: string | undefined;
  #tools: McpTools | undefined;

  constructor(parts: CallParts) {
    this.#parts = parts;
    if (parts.server !== undefined) this.#know(parts.server);
  }

  /**
   * Passes a request on, a call of a tool once hooks were asked. A text is for the client at once: the request was refused.
   * What a promise resolves to is the answer to a call.
   */
  open(
    key: string,
    request: RequestEnvelope,
    send: (text: string) => void,
  ): string | Promise<string | undefined> | undefined {
    const { id, method, raw } = request;
    if (this.#open.has(key)) {
      return errorMessage(id, INVALID_REQUEST, `a request with the id ${JSON.stringify(id)} is still open`);
    }
    if (isToolCall(request)) return this.#openCall(key, request, send);
    this.#open.set(key, { method });
    send(writeMessage(raw));
    return undefined;
  }

  #openCall(key: string, request: RequestEnvelope, send: (text: string) => void): string | Promise<string | undefined> {
    const { id, method, inexact } = request;
    const tools = this.#tools;
    if (tools === undefined) {
      const fix = 'send initialize first, or start the proxy with --server <name>';
      return errorMessage(id, REFUSED, `the server has not said its name yet, by which hooks know its tools; ${fix}`);
    }
    if (inexact !== undefined) {
      const seen = JSON.stringify(Number(inexact));
      return errorMessage(id, REFUSED, `hooks would see ${seen} where ${inexact} is written; send it as a text`);
    }
    const leaving = new AbortController();
    let isDecided = (): void => {};
    const decided = new Promise<void>((resolve) => {
      isDecided = resolve;
    });
    let call: OpenCall | undefined;
    const sendCall = (changed: Message): Promise<AnswerEnvelope> =>
      new Promise((resolve, reject) => {
        if (call !== undefined) call.settle = { resolve, reject };
        send(writeMessage(changed));
        isDecided();
      });
    const answer = this.#ask(tools, request, leaving.signal, sendCall).finally(() => {
      isDecided();
      if (this.#open.get(key)?.call === call) this.#open.delete(key);
    });
    call = { leaving, answer, decided };
    this.#open.set(key, { method, call });
    return answer;
  }

  /** What becomes of an answer of the server; `undefined` if no open request has this key. */
  answered(key: string, answer: AnswerEnvelope): Settled | undefined {
    const open = this.#open.get(key);
    if (open === undefined) return undefined;
    const { method, call } = open;
    if (call === undefined) {
      this.#open.delete(key);
      const wrong = method === 'initialize' ? this.#learnName(answer) : undefined;
      return { kind: 'text', text: wrong ?? writeMessage(answer.raw) };
    }
    // A call that hooks are still asked about cannot have been answered.
    if (call.settle === undefined) return undefined;
    if (isRecord(answer.value.result)) call.settle.resolve(answer);
    else call.settle.reject(new ServerError(answer.raw));
    return { kind: 'call', answer: call.answer };
  }

  /** The server could not be asked, or did not answer in a known form. */
  failed(key: string, error: Error): void {
    const open = this.#open.get(key);
    if (open?.call === undefined) this.#open.delete(key);
    else open.call.settle?.reject(error);
  }

  cancel(key: string): void {
    this.#open.get(key)?.call?.leaving.abort();
  }

  /** Resolves when hooks are through with the arguments of every open call. */
  async decided(): Promise<void> {
    await Promise.all([...this.#open.values()].map(({ call }) => call?.decided));
  }

  /** The server is gone: its open calls fail. Resolves when their hooks have heard of it. */
  async end(error: Error): Promise<void> {
    const calls = [...this.#open.values()].flatMap(({ call }) => call ?? []);
    await Promise.all(calls.map(({ decided }) => decided));
    for (const { settle } of calls) settle?.reject(error);
    await Promise.all(calls.map(({ answer }) => answer));
  }

  /** A server says in its answer to `initialize` how it is called; it cannot say something else later. */
  #learnName(answer: AnswerEnvelope): string | undefined {
    const said = serverNameIn(answer);
    const { server, note } = this.#parts;
    if (server !== undefined || said === undefined) return undefined;
    const name = said.replaceAll(/[^\w.-]/g, '_');
    if (this.#name === undefined) {
      this.#know(name);
      note(`hooks know this server as ${name}, the name it reports; --server <name> fixes it`);
    }
    if (name === this.#name) return undefined;
    const message = `the server was called ${this.#name} and now says ${name}; start me with --server <name>`;
    note(message);
    return errorMessage(answer.id, REFUSED, message);
  }

  #know(name: string): void {
    this.#name = name;
    this.#tools = new McpTools(this.#parts.hooks, name);
  }

  async #ask(
    tools: McpTools,
    { id, value, raw }: RequestEnvelope,
    signal: AbortSignal,
    send: (raw: Message) => Promise<AnswerEnvelope>,
  ): Promise<string | undefined> {
    // What is sent is sent after the caller knows of this call.
    await Promise.resolve();
    try {
      const params = isRecord(value.params) ? value.params : {};
      const rawParams = isRecord(raw.params) ? raw.params : {};
      const seen = isRecord(params.arguments) ? params.arguments : {};
      let answer: AnswerEnvelope | undefined;
      const run = async (input: Record<string, unknown>): Promise<McpResult> => {
        const args = asWritten(input, seen, rawParams.arguments);
        const isGiven = 'arguments' in params || Object.keys(input).length > 0;
        answer = await send({ ...raw, params: { ...rawParams, ...(isGiven ? { arguments: args } : {}) } });
        return isRecord(answer.value.result) ? answer.value.result : {};
      };
      const name = textOf(params.name) ?? '';
      const result = await tools.call({ name, input: { ...seen }, id: String(id), signal, run });
      const written = asWritten(result, answer?.value.result, answer?.raw.result);
      return writeMessage({ ...answer?.raw, jsonrpc: '2.0', id, result: written });
    } catch (error) {
      // A call that was cancelled has no answer: so the protocol wants it.
      if (signal.aborted) return undefined;
      if (error instanceof ServerError) return writeMessage({ ...error.answer, id });
      this.#parts.note(`a call failed: ${describeThrown(error)}`);
      return errorMessage(id, INTERNAL_ERROR, describeThrown(error));
    }
  }
}
