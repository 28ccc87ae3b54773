/** One JSON-RPC message of a known form: parsed, judged, and written anew with its numbers as they were written. */
import { randomUUID } from 'node:crypto';
import { visit } from 'jsonc-parser';
import { describeValue, isRecord, parseJson, textOf, whyNotJson } from '../../../kit/index.ts';

export type Message = Readonly<Record<string, unknown>>;
export type Id = string | number;

interface Read {
  /** As hooks see it. */
  readonly value: Message;
  /** As it is written on: numbers that JavaScript would write otherwise are marked. */
  readonly raw: Message;
  /** A number whose value JavaScript cannot hold, so that hooks see another one than the server. */
  readonly inexact: string | undefined;
}

export interface RequestEnvelope extends Read {
  readonly kind: 'request';
  readonly id: Id;
  readonly method: string;
}

export interface AnswerEnvelope extends Read {
  readonly kind: 'answer';
  /** `undefined` for an error about a message whose id could not be read. */
  readonly id: Id | undefined;
}

export interface NotificationEnvelope extends Read {
  readonly kind: 'notification';
  readonly method: string;
}

export type McpEnvelope = RequestEnvelope | AnswerEnvelope | NotificationEnvelope;

/** A message that is not passed on, and the error that answers it. */
export interface Misfit {
  readonly kind: 'misfit';
  readonly code: number;
  readonly message: string;
  readonly id: Id | undefined;
}

const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;
const INVALID_PARAMS = -32_602;

/** Reads one message. What is not exactly one known form is a misfit. */
export const readEnvelope = (text: string): McpEnvelope | Misfit => {
  const [first, ...others] = readEnvelopes(text);
  if (first !== undefined && others.length === 0 && !isBatch(text)) return first;
  return misfit(undefined, 'batches are not passed on; send each in a message of its own');
};

/** The same where several may come in a list, as releases of the protocol before June 2025 allowed. */
export const readEnvelopes = (text: string): readonly (McpEnvelope | Misfit)[] => {
  const parsed = parseJson(text);
  if (!parsed.ok) return [misfit(undefined, `expected one JSON value: ${parsed.message}`, PARSE_ERROR)];
  const unusable = whyNotJson({ message: parsed.value });
  if (unusable !== undefined) return [misfit(undefined, unusable)];
  const { raw, inexact } = markNumbers(text, parsed.value);
  if (!Array.isArray(parsed.value)) return [judge(parsed.value, raw, inexact)];
  if (parsed.value.length === 0) return [misfit(undefined, 'expected a JSON-RPC message; got an empty list')];
  const raws: readonly unknown[] = Array.isArray(raw) ? raw : [];
  return parsed.value.map((value, index) => judge(value, raws[index], inexact));
};

const isBatch = (text: string): boolean => /^\s*\[/.test(text);

const misfit = (id: Id | undefined, message: string, code: number = INVALID_REQUEST): Misfit => ({
  kind: 'misfit',
  code,
  message,
  id,
});

const isId = (value: unknown): value is Id => typeof value === 'string' || Number.isSafeInteger(value);

/** Some parsers take keys for the same that differ in case alone, in ASCII or not. */
const fold = (text: string): string => text.toUpperCase().toLowerCase();

const lookalike = (value: Message, known: readonly string[]): string | undefined =>
  Object.keys(value).find((key) => !known.includes(key) && known.includes(fold(key)));

const TOOL_CALL = 'tools/call';

const envelopeKeys = ['jsonrpc', 'id', 'method', 'params', 'result', 'error'];

/** `_meta` and others may carry anything. */
const callKeys = ['name', 'arguments', 'task'];

const judge = (value: unknown, raw: unknown, inexact: string | undefined): McpEnvelope | Misfit => {
  if (!isRecord(value) || !isRecord(raw)) {
    return misfit(undefined, `expected a JSON-RPC message; got ${describeValue(value)}`);
  }
  const { jsonrpc, method, params, result, error } = value;
  // An id that is written otherwise than it is read would come back as another one.
  const id = isId(value.id) && value.id === raw.id ? value.id : undefined;
  const wrong = (message: string, code?: number): Misfit => misfit(id, message, code);
  const similar = lookalike(value, envelopeKeys);
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
    if (fold(method.trim()) === TOOL_CALL) {
      const why = whyNotCall(method, id, params);
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

const whyNotCall = (method: string, id: Id | undefined, params: unknown): string | undefined => {
  if (method !== TOOL_CALL) return `the method is ${TOOL_CALL}; got ${describeValue(method)}`;
  if (id === undefined) return `${TOOL_CALL} needs an id: without one its result would reach no hook`;
  if (!isRecord(params)) return `${TOOL_CALL} needs params`;
  const similar = lookalike(params, callKeys);
  if (similar !== undefined) return `${describeValue(similar)} is nearly a parameter of ${TOOL_CALL}; case counts`;
  const { name, arguments: args, task } = params;
  if (typeof name !== 'string' || name === '') return `name must be a text; got ${describeValue(name)}`;
  if (args !== undefined && !isRecord(args)) return `arguments must be an object; got ${describeValue(args)}`;
  if (task !== undefined) return 'calls as tasks are not passed on: their results would reach no hook';
  return undefined;
};

export const isToolCall = ({ method }: RequestEnvelope): boolean => method === TOOL_CALL;

/** The call that a notification cancels. */
export const cancelledBy = ({ method, value: { params } }: NotificationEnvelope): unknown =>
  method === 'notifications/cancelled' && isRecord(params) ? params.requestId : undefined;

/** A client cannot write it: its texts never pass for a number. */
const MARK = `number ${randomUUID()} `;
const marked = new RegExp(`"${MARK}([^"]+)"`, 'g');

/** Value and exponent of a number as written: 1.0, 1 and 10e-1 are the same. */
const decimal = (written: string): string => {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(written) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  if (significant === '') return '0';
  return `${sign}${significant}e${Number(exponent) - fraction.length + digits.length - significant.length}`;
};

const markNumbers = (text: string, value: unknown): { raw: unknown; inexact: string | undefined } => {
  let pieces = '';
  let from = 0;
  let inexact: string | undefined;
  visit(text, {
    onLiteralValue: (literal: unknown, offset, length) => {
      if (typeof literal !== 'number') return;
      const written = text.slice(offset, offset + length);
      const rewritten = JSON.stringify(Number(written));
      if (rewritten === written) return;
      if (decimal(rewritten) !== decimal(written)) inexact ??= written;
      pieces += `${text.slice(from, offset)}"${MARK}${written}"`;
      from = offset + length;
    },
  });
  return { raw: from === 0 ? value : JSON.parse(pieces + text.slice(from)), inexact };
};

/** A value that began as `read`, with the numbers that are still those of `read` as they were written. */
export const asWritten = (value: unknown, read: unknown, raw: unknown): unknown => {
  if (read === raw) return value;
  if (typeof value === 'number') return value === read ? raw : value;
  if (Array.isArray(value) && Array.isArray(read) && Array.isArray(raw)) {
    return value.map((member, index) => asWritten(member, read[index], raw[index]));
  }
  if (!isRecord(value) || !isRecord(read) || !isRecord(raw)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, asWritten(member, read[key], raw[key])]),
  );
};

/** Text for the other side. Characters that some readers take for the end of a line are escaped. */
export const writeMessage = (raw: Message): string =>
  JSON.stringify(raw)
    .replaceAll(marked, '$1')
    .replaceAll(/[\u0085\u2028\u2029]/g, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`);

export const errorMessage = (id: unknown, code: number, message: string): string =>
  writeMessage({ jsonrpc: '2.0', id: id ?? null, error: { code, message: `hookwright mcp-proxy: ${message}` } });

/** How a server calls itself in its answer to `initialize`. */
export const serverNameIn = ({ value: { result } }: AnswerEnvelope): string | undefined => {
  const info = isRecord(result) ? result.serverInfo : undefined;
  return isRecord(info) ? textOf(info.name) : undefined;
};
