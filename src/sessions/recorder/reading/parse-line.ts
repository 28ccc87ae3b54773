import type * as z from 'zod/mini';
import { describeValue, isRecord, parseJson, suggestion } from '../../../kit/index.ts';
import {
  type HookMessage,
  isCorrelationId,
  isNoticeCode,
  MAX_CORRELATION_ID,
  MessageBusType,
  messageSchemas,
  type Notice,
  notice,
} from '../../../protocol/index.ts';
import {
  entrySchema,
  headerSchema,
  SESSION_VERSION,
  type SessionEntry,
  type SessionHeader,
  type SessionProblemCode,
} from './format.ts';

interface Refused {
  readonly ok: false;
  readonly code: SessionProblemCode;
  readonly message: string;
}

const refuse = (code: SessionProblemCode, message: string): Refused => ({ ok: false, code, message });

const types: readonly string[] = Object.values(MessageBusType);

const isType = (type: unknown): type is MessageBusType => types.some((known) => known === type);

const issuesOf = ({ issues }: z.core.$ZodError, of: string): string =>
  issues.map(({ path, message }) => `${[of, ...path].join('.')}: ${message}`).join('; ');

/** The same object, not what the schema made of it: unknown fields are kept. */
const isMessage = (value: unknown, type: MessageBusType): value is HookMessage =>
  messageSchemas()[type].safeParse(value).success;

const whyNotMessage = (value: unknown, type: MessageBusType): string => {
  const read = messageSchemas()[type].safeParse(value);
  return read.success ? '' : issuesOf(read.error, 'message');
};

export type ParsedHeader = { readonly ok: true; readonly header: SessionHeader } | Refused;

/** The first line of a file. */
export const parseHeader = (text: string): ParsedHeader => {
  const json = parseJson(text);
  const expected = 'expected a header, {"hookwright":"session","version":1,…}';
  if (!json.ok) return refuse('not-a-session', `${expected}, got what is no JSON: ${json.message}`);
  if (!isRecord(json.value) || json.value.hookwright !== 'session') {
    return refuse('not-a-session', `${expected}, got ${describeValue(json.value)}`);
  }
  const read = headerSchema().safeParse(json.value);
  if (!read.success) return refuse('not-a-session', `the header cannot be read: ${issuesOf(read.error, 'header')}`);
  return { ok: true, header: read.data };
};

export const whyNotVersion = ({ version }: SessionHeader): string | undefined =>
  version === SESSION_VERSION
    ? undefined
    : `the session has version ${version}, this reads version ${SESSION_VERSION}; what reads like it is used`;

export type ParsedEntry = { readonly ok: true; readonly entry: SessionEntry } | Refused;

/** Any line but the first. */
export const parseEntry = (text: string, line: number): ParsedEntry => {
  const json = parseJson(text);
  if (!json.ok) return refuse('invalid-json', `the line is not JSON: ${json.message}`);
  const read = entrySchema().safeParse(json.value);
  if (!read.success) {
    return refuse('invalid-message', `expected {"at":…,"message":{…}}: ${issuesOf(read.error, 'line')}`);
  }
  const { at, redacted, shortened } = read.data;
  const message = inTodaysForm(read.data.message);
  const { type, correlationId } = message;
  if (!isType(type)) {
    const near = typeof type === 'string' ? suggestion(type, types) : '';
    return refuse('unknown-message', `expected a known message type, got ${describeValue(type)}${near}`);
  }
  if (!isCorrelationId(correlationId)) {
    const found = describeValue(correlationId);
    const expected = `a correlationId of 1 to ${MAX_CORRELATION_ID} characters`;
    return refuse('invalid-message', `${type}: expected ${expected}, got ${found}`);
  }
  if (!isMessage(message, type)) return refuse('invalid-message', `${type}: ${whyNotMessage(message, type)}`);
  return {
    ok: true,
    entry: {
      at,
      line,
      message,
      ...(redacted === undefined ? {} : { redacted }),
      ...(shortened === undefined ? {} : { shortened }),
    },
  };
};

/** `held-pipe: a process …`, as warnings were written when they were text. */
const noticeIn = (text: string): Notice => {
  const [, code, message] = /^([a-z]+(?:-[a-z]+)*): (.*)$/s.exec(text) ?? [];
  return isNoticeCode(code) && message !== undefined ? notice(code, message) : notice('other', text);
};

const asNotice = (warning: unknown): unknown => {
  if (typeof warning === 'string') return noticeIn(warning);
  // A later hookwright may have codes that this one does not know; what it said is still there to read.
  return isRecord(warning) && typeof warning.message === 'string' && !isNoticeCode(warning.code)
    ? { ...warning, code: 'other' }
    : warning;
};

/** Where a mark stands for what was redacted, nothing is known of what became of the field. */
const knownFates = (fields: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([, fate]) => typeof fate !== 'string'));

const withNotices = (row: unknown): unknown =>
  isRecord(row)
    ? {
        ...row,
        ...(Array.isArray(row.warnings) ? { warnings: row.warnings.map(asNotice) } : {}),
        ...(isRecord(row.fields) ? { fields: knownFates(row.fields) } : {}),
      }
    : row;

/** A recorded message in the form of today. */
const inTodaysForm = (message: Record<string, unknown>): Record<string, unknown> =>
  Array.isArray(message.rows) ? { ...message, rows: message.rows.map(withNotices) } : message;
