/** Keeps the open requests of an MCP proxy, and runs hooks before and after each tool call. */
import { randomUUID } from 'node:crypto';
import { visit } from 'jsonc-parser';
import { type McpResult, McpTools } from '../../../adapters/index.ts';
import type { Hooks } from '../../../facade/index.ts';
import { describeThrown, describeValue, explainNotJson, isRecord, parseJson, textOf } from '../../../kit/index.ts';

const INTERNAL_ERROR = -32_603;
const INVALID_REQUEST = -32_600;
/** JSON-RPC reserves the codes -32000 to -32099 for servers. */
export const REFUSED_CODE = -32_000;

/** Large enough for messages with images. */
export const MAX_MESSAGE_BYTES = 64 * 2 ** 20;

/** Request ids are unique only within a session, and the ids 1 and "1" differ. */
export const createRequestKey = (session: string, id: unknown): string => `${session} ${JSON.stringify(id)}`;

class ServerError extends Error {
  readonly answer: JsonRpcMessage;

  constructor(answer: JsonRpcMessage) {
    super('the server answered with an error');
    this.answer = answer;
  }
}

interface OpenRequest {
  readonly method: string;
  readonly call?: OpenCall;
}

interface OpenCall {
  readonly leaving: AbortController;
  /** Resolves when the call was sent to the server, or when it is certain not to be sent. */
  readonly decided: Promise<void>;
  answer?: Promise<string | undefined>;
  settle?: { readonly resolve: (answer: AnswerEnvelope) => void; readonly reject: (error: Error) => void };
}

export interface HookedCallsDeps {
  readonly hooks: Hooks;
  readonly server: string | undefined;
  readonly note: (text: string) => void;
}

type ClientResponse = string | Promise<string | undefined> | undefined;

export class HookedCalls {
  readonly #deps: HookedCallsDeps;
  readonly #open = new Map<string, OpenRequest>();
  #name: string | undefined;
  #tools: McpTools | undefined;

  constructor(deps: HookedCallsDeps) {
    this.#deps = deps;
    if (deps.server !== undefined) this.#setServerName(deps.server);
  }

  open(key: string, request: RequestEnvelope, send: (text: string) => void): ClientResponse {
    const { id, method, raw } = request;
    if (this.#open.has(key)) {
      return createErrorMessage(id, INVALID_REQUEST, `a request with the id ${JSON.stringify(id)} is still open`);
    }
    if (method === TOOL_CALL) return this.#openCall(key, request, send);
    this.#open.set(key, { method });
    send(writeMessage(raw));
    return undefined;
  }

  #openCall(key: string, request: RequestEnvelope, send: (text: string) => void): ClientResponse {
    const { id, method, inexact } = request;
    const tools = this.#tools;
    if (tools === undefined) {
      const why = 'the server has not said its name yet, by which hooks know its tools';
      const fix = 'send initialize first, or start the proxy with --server <name>';
      return createErrorMessage(id, REFUSED_CODE, `${why}; ${fix}`);
    }
    if (inexact !== undefined) {
      const seen = JSON.stringify(Number(inexact));
      const message = `hooks would see ${seen} where ${inexact} is written; send it as a text`;
      return createErrorMessage(id, REFUSED_CODE, message);
    }
    let decide = (): void => {};
    const decided = new Promise<void>((resolve) => {
      decide = resolve;
    });
    const call: OpenCall = { leaving: new AbortController(), decided };
    this.#open.set(key, { method, call });
    const sendCall = (changed: JsonRpcMessage): Promise<AnswerEnvelope> =>
      new Promise((resolve, reject) => {
        call.settle = { resolve, reject };
        send(writeMessage(changed));
        decide();
      });
    call.answer = this.#callWithHooks(tools, request, call.leaving.signal, sendCall).finally(() => {
      decide();
      if (this.#open.get(key)?.call === call) this.#open.delete(key);
    });
    return call.answer;
  }

  receive(envelope: McpEnvelope | InvalidMessage, keyOfId: (id: Id) => string): ClientResponse {
    const { note } = this.#deps;
    if (envelope.kind === 'invalid') {
      const { id, message } = envelope;
      note(`a message of the server was not passed on: ${message}`);
      if (id !== undefined) this.fail(keyOfId(id), new Error(`the server answered wrongly: ${message}`));
      return undefined;
    }
    if (envelope.kind !== 'answer' || envelope.id === undefined) return writeMessage(envelope.raw);
    const key = keyOfId(envelope.id);
    const { method, call } = this.#open.get(key) ?? {};
    if (method !== undefined && call === undefined) {
      this.#open.delete(key);
      const refusal = method === 'initialize' ? this.#learnName(envelope) : undefined;
      return refusal ?? writeMessage(envelope.raw);
    }
    if (call?.settle === undefined) {
      note('an answer of the server to no open request was dropped');
      return undefined;
    }
    if (isRecord(envelope.value.result)) call.settle.resolve(envelope);
    else call.settle.reject(new ServerError(envelope.raw));
    return call.answer;
  }

  fail(key: string, error: Error): void {
    const open = this.#open.get(key);
    if (open?.call === undefined) this.#open.delete(key);
    else open.call.settle?.reject(error);
  }

  cancel(key: string): void {
    this.#open.get(key)?.call?.leaving.abort();
  }

  async waitForDecisions(): Promise<void> {
    await Promise.all([...this.#open.values()].map(({ call }) => call?.decided));
  }

  async end(error: Error): Promise<void> {
    const calls = [...this.#open.values()].flatMap(({ call }) => call ?? []);
    await Promise.all(calls.map(({ decided }) => decided));
    for (const { settle } of calls) settle?.reject(error);
    await Promise.all(calls.map(({ answer }) => answer));
  }

  /** Hooks know the server by the name in its first response to `initialize`. A later change of the name is refused. */
  #learnName(answer: AnswerEnvelope): string | undefined {
    const { result } = answer.value;
    const info = isRecord(result) ? result.serverInfo : undefined;
    const reported = isRecord(info) ? textOf(info.name) : undefined;
    const { server, note } = this.#deps;
    if (server !== undefined || reported === undefined) return undefined;
    const name = reported.replaceAll(/[^\w.-]/g, '_');
    if (this.#name === undefined) {
      this.#setServerName(name);
      note(`hooks know this server as ${name}, the name it reports; --server <name> fixes it`);
    }
    if (name === this.#name) return undefined;
    const message = `the server was called ${this.#name} and now says ${name}; start me with --server <name>`;
    note(message);
    return createErrorMessage(answer.id, REFUSED_CODE, message);
  }

  #setServerName(name: string): void {
    this.#name = name;
    this.#tools = new McpTools(this.#deps.hooks, name);
  }

  async #callWithHooks(
    tools: McpTools,
    { id, value, raw }: RequestEnvelope,
    signal: AbortSignal,
    send: (raw: JsonRpcMessage) => Promise<AnswerEnvelope>,
  ): Promise<string | undefined> {
    try {
      const params = isRecord(value.params) ? value.params : {};
      const rawParams = isRecord(raw.params) ? raw.params : {};
      const seen = isRecord(params.arguments) ? params.arguments : {};
      let answer: AnswerEnvelope | undefined;
      const run = async (input: Record<string, unknown>): Promise<McpResult> => {
        const args = restoreNumbers(input, seen, rawParams.arguments);
        const isGiven = 'arguments' in params || Object.keys(input).length > 0;
        answer = await send({ ...raw, params: { ...rawParams, ...(isGiven ? { arguments: args } : {}) } });
        return isRecord(answer.value.result) ? answer.value.result : {};
      };
      const name = textOf(params.name) ?? '';
      const result = await tools.call({ name, input: { ...seen }, id: String(id), signal, run });
      const written = restoreNumbers(result, answer?.value.result, answer?.raw.result);
      return writeMessage({ ...answer?.raw, jsonrpc: '2.0', id, result: written });
    } catch (error) {
      // MCP forbids a response to a cancelled call.
      if (signal.aborted) return undefined;
      if (error instanceof ServerError) return writeMessage({ ...error.answer, id });
      this.#deps.note(`a call failed: ${describeThrown(error)}`);
      return createErrorMessage(id, INTERNAL_ERROR, describeThrown(error));
    }
  }
}

type JsonRpcMessage = Readonly<Record<string, unknown>>;
type Id = string | number;

interface ParsedMessage {
  readonly value: JsonRpcMessage;
  readonly raw: JsonRpcMessage;
  /** A number that JavaScript cannot represent exactly. Hooks would see another value than the server. */
  readonly inexact: string | undefined;
}

export interface RequestEnvelope extends ParsedMessage {
  readonly kind: 'request';
  readonly id: Id;
  readonly method: string;
}

interface AnswerEnvelope extends ParsedMessage {
  readonly kind: 'answer';
  readonly id: Id | undefined;
}

interface NotificationEnvelope extends ParsedMessage {
  readonly kind: 'notification';
  readonly method: string;
}

export type McpEnvelope = RequestEnvelope | AnswerEnvelope | NotificationEnvelope;

export interface InvalidMessage {
  readonly kind: 'invalid';
  readonly id: Id | undefined;
  readonly message: string;
  /** The JSON-RPC error for the sender of the message. */
  readonly refusal: string;
}

const PARSE_ERROR = -32_700;
const INVALID_PARAMS = -32_602;

export const readEnvelope = (text: string): McpEnvelope | InvalidMessage => {
  const [first, ...others] = readEnvelopes(text);
  if (first !== undefined && others.length === 0 && !/^\s*\[/.test(text)) return first;
  return createInvalidMessage(undefined, 'batches are not passed on; send each in a message of its own');
};

/** Accepts batches, which MCP allowed before June 2025. */
export const readEnvelopes = (text: string): readonly (McpEnvelope | InvalidMessage)[] => {
  const parsed = parseJson(text);
  if (!parsed.ok) return [createInvalidMessage(undefined, `expected one JSON value: ${parsed.message}`, PARSE_ERROR)];
  const unusable = explainNotJson({ message: parsed.value });
  if (unusable !== undefined) return [createInvalidMessage(undefined, unusable)];
  const { raw, inexact } = parseWithExactNumbers(text, parsed.value);
  if (!Array.isArray(parsed.value)) return [classifyMessage(parsed.value, raw, inexact)];
  if (parsed.value.length === 0)
    return [createInvalidMessage(undefined, 'expected a JSON-RPC message; got an empty list')];
  const raws: readonly unknown[] = Array.isArray(raw) ? raw : [];
  return parsed.value.map((value, index) => classifyMessage(value, raws[index], inexact));
};

const createInvalidMessage = (id: Id | undefined, message: string, code: number = INVALID_REQUEST): InvalidMessage => ({
  kind: 'invalid',
  id,
  message,
  refusal: createErrorMessage(id, code, message),
});

const isId = (value: unknown): value is Id => typeof value === 'string' || Number.isSafeInteger(value);

/** Some servers ignore the case of keys, even of non-ASCII letters, and would read fields that hooks do not see. */
const foldCase = (text: string): string => text.toUpperCase().toLowerCase();

const findLookalike = (value: JsonRpcMessage, known: readonly string[]): string | undefined =>
  Object.keys(value).find((key) => !known.includes(key) && known.includes(foldCase(key)));

const TOOL_CALL = 'tools/call';

const envelopeKeys = ['jsonrpc', 'id', 'method', 'params', 'result', 'error'];

const callKeys = ['name', 'arguments', 'task'];

const classifyMessage = (value: unknown, raw: unknown, inexact: string | undefined): McpEnvelope | InvalidMessage => {
  if (!isRecord(value) || !isRecord(raw)) {
    return createInvalidMessage(undefined, `expected a JSON-RPC message; got ${describeValue(value)}`);
  }
  const { jsonrpc, method, params, result, error } = value;
  // JavaScript would send the id 1.0 back as 1.
  const id = isId(value.id) && value.id === raw.id ? value.id : undefined;
  const wrong = (message: string, code?: number): InvalidMessage => createInvalidMessage(id, message, code);
  const similar = findLookalike(value, envelopeKeys);
  if (similar !== undefined) return wrong(`${describeValue(similar)} is nearly a field of JSON-RPC; case counts`);
  if (jsonrpc !== '2.0') return wrong(`jsonrpc must be "2.0"; got ${describeValue(jsonrpc)}`);
  if ('id' in value && id === undefined && !(value.id === null && isRecord(error))) {
    return wrong(`id must be a string or an integer; got ${describeValue(value.id)}`);
  }
  const read = { value, raw, inexact };
  if ('method' in value) {
    if (typeof method !== 'string' || method === '')
      return wrong(`method must be a text; got ${describeValue(method)}`);
    if ('result' in value || 'error' in value) return wrong('a message is a request or an answer, not both');
    if (params !== undefined && !isRecord(params)) {
      return wrong(`params must be an object; got ${describeValue(params)}`, INVALID_PARAMS);
    }
    if (foldCase(method.trim()) === TOOL_CALL) {
      const why = explainBadCall(method, id, params);
      if (why !== undefined) return wrong(why, INVALID_PARAMS);
    }
    return id === undefined ? { kind: 'notification', method, ...read } : { kind: 'request', id, method, ...read };
  }
  if ('params' in value) return wrong('params without a method');
  if ('result' in value === 'error' in value) return wrong('expected a method, a result or an error');
  if ('error' in value) {
    const isError = isRecord(error) && typeof error.code === 'number' && typeof error.message === 'string';
    return isError ? { kind: 'answer', id, ...read } : wrong('error must have a code and a message');
  }
  if (id === undefined) return wrong('an answer needs the id of its request');
  return isRecord(result) ? { kind: 'answer', id, ...read } : wrong('result must be an object');
};

const explainBadCall = (method: string, id: Id | undefined, params: unknown): string | undefined => {
  if (method !== TOOL_CALL) return `the method is ${TOOL_CALL}; got ${describeValue(method)}`;
  if (id === undefined) return `${TOOL_CALL} needs an id: without one its result would reach no hook`;
  if (!isRecord(params)) return `${TOOL_CALL} needs params`;
  const similar = findLookalike(params, callKeys);
  if (similar !== undefined) return `${describeValue(similar)} is nearly a parameter of ${TOOL_CALL}; case counts`;
  const { name, arguments: args, task } = params;
  if (typeof name !== 'string' || name === '') return `name must be a text; got ${describeValue(name)}`;
  if (args !== undefined && !isRecord(args)) return `arguments must be an object; got ${describeValue(args)}`;
  if (task !== undefined) return 'calls as tasks are not passed on: their results would reach no hook';
  return undefined;
};

export const readCancelledRequestId = ({ method, value: { params } }: NotificationEnvelope): unknown =>
  method === 'notifications/cancelled' && isRecord(params) ? params.requestId : undefined;

/** Random, so that no text of a client can be mistaken for a marked number. */
const NUMBER_MARKER = `number ${randomUUID()} `;
const MARKED_NUMBER = new RegExp(`"${NUMBER_MARKER}([^"]+)"`, 'g');

const normalizeDecimal = (written: string): string => {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(written) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  if (significant === '') return '0';
  return `${sign}${significant}e${Number(exponent) - fraction.length + digits.length - significant.length}`;
};

const parseWithExactNumbers = (text: string, value: unknown): { raw: unknown; inexact: string | undefined } => {
  let pieces = '';
  let from = 0;
  let inexact: string | undefined;
  visit(text, {
    onLiteralValue: (literal: unknown, offset, length) => {
      if (typeof literal !== 'number') return;
      const written = text.slice(offset, offset + length);
      const rewritten = JSON.stringify(Number(written));
      if (rewritten === written) return;
      if (normalizeDecimal(rewritten) !== normalizeDecimal(written)) inexact ??= written;
      pieces += `${text.slice(from, offset)}"${NUMBER_MARKER}${written}"`;
      from = offset + length;
    },
  });
  return { raw: from === 0 ? value : JSON.parse(pieces + text.slice(from)), inexact };
};

/** Restores the original spelling of numbers that no hook changed. */
const restoreNumbers = (value: unknown, read: unknown, raw: unknown): unknown => {
  if (read === raw) return value;
  if (typeof value === 'number') return value === read ? raw : value;
  if (Array.isArray(value) && Array.isArray(read) && Array.isArray(raw)) {
    return value.map((member, index) => restoreNumbers(member, read[index], raw[index]));
  }
  if (!isRecord(value) || !isRecord(read) || !isRecord(raw)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, restoreNumbers(member, read[key], raw[key])]),
  );
};

/** Also escapes characters that some JSON readers treat as line ends. */
export const writeMessage = (raw: JsonRpcMessage): string =>
  JSON.stringify(raw)
    .replaceAll(MARKED_NUMBER, '$1')
    .replaceAll(/[\u0085\u2028\u2029]/g, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`);

export const createErrorMessage = (id: unknown, code: number, message: string): string =>
  writeMessage({ jsonrpc: '2.0', id: id ?? null, error: { code, message: `hookwright mcp-proxy: ${message}` } });
