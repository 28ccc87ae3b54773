import { catalogue, type HookEventName, isHookEventName } from '../events/index.ts';
import { isRecord } from '../kit/index.ts';
import { defaultHookTranslator } from '../models/index.ts';
import {
  type AnswerMessage,
  eventIn,
  type HookExecutionTrace,
  type HookOutput,
  type HookRow,
  MessageBusType,
  type RequestMessage,
} from '../protocol/index.ts';

type Fields = Record<string, unknown>;

/** What an event is about, as its request says it. */
export const fieldsOf = (request: RequestMessage | undefined): Fields | undefined => {
  if (request === undefined) return undefined;
  const fields =
    request.type === MessageBusType.HOOK_EXECUTION_REQUEST ? (request.payload ?? request.input) : request.context;
  return isRecord(fields) ? fields : undefined;
};

const GIST = 160;

/** How deep the first words are looked for; deeper lies nothing that somebody would know a request by. */
const DEPTH = 4;

const firstText = (value: unknown, depth: number): string | undefined => {
  if (typeof value === 'string') return value.trim() === '' ? undefined : value;
  if (typeof value !== 'object' || value === null || depth === 0) return undefined;
  for (const member of Object.values(value)) {
    const text = firstText(member, depth - 1);
    if (text !== undefined) return text;
  }
  return undefined;
};

/** The words by which somebody knows a request again: the command, the file, the prompt. */
export const gistOf = (fields: Fields | undefined, subject: string | undefined): string | undefined => {
  const others = Object.entries(fields ?? {}).filter(([, value]) => value !== subject);
  const text = firstText(Object.fromEntries(others), DEPTH)?.replace(/\s+/g, ' ').trim();
  return text === undefined || text.length <= GIST ? text : `${text.slice(0, GIST)}…`;
};

const isFed = ({ outcome, code }: HookRow): boolean => outcome === 'answered' && code === undefined;

/** What hooks read of a payload; nothing of one that is written for an SDK nobody here knows. */
const readOf = <E extends HookEventName>(eventName: E, fields: Fields) => {
  const { read, toFields } = catalogue[eventName];
  const given = read(fields);
  if (!given.ok) return undefined;
  try {
    return toFields(given.payload, defaultHookTranslator);
  } catch {
    // It is shown as it travelled.
    return undefined;
  }
};

const inputsOfEvent = <E extends HookEventName>(
  eventName: E,
  fields: Fields,
  { mode, rows }: HookExecutionTrace,
  merged: HookOutput | undefined,
): readonly unknown[] => {
  const first = readOf(eventName, fields);
  if (first === undefined) return rows.map(() => ({ hook_event_name: eventName, ...fields }));
  const { feed } = catalogue[eventName];
  let input = first;
  return rows.map((row) => {
    if (row.outcome === undefined) return undefined;
    if (row.recheck === true) {
      const last = feed === undefined || merged === undefined ? first : feed(first, merged);
      return { hook_event_name: eventName, ...last, recheck: true };
    }
    const own = { hook_event_name: eventName, ...input };
    if (mode === 'sequential' && feed !== undefined && row.output !== undefined && isFed(row)) {
      input = feed(input, row.output);
    }
    return own;
  });
};

/**
 * What each hook of a trace read, in the order of its rows: in a sequence it is what the hooks before it made of the
 * event, and what was asked once more was asked with the end of it. Session, directories and time of day do not travel, so
 * they are not in it.
 */
export const inputsOf = (
  request: RequestMessage | undefined,
  trace: HookExecutionTrace | undefined,
  answer: AnswerMessage | undefined,
): readonly unknown[] => {
  const fields = fieldsOf(request);
  if (request === undefined || trace === undefined || fields === undefined) return [];
  const eventName = eventIn(request);
  if (!isHookEventName(eventName)) return trace.rows.map(() => fields);
  const merged = answer?.type === MessageBusType.HOOK_EXECUTION_RESPONSE ? answer.output : undefined;
  return inputsOfEvent(eventName, fields, trace, merged);
};
