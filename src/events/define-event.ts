// `defineEvent`: creates an event of a host, and adds events to the catalogue.
import * as z from 'zod/mini';
import { createInvalidArgument, HookwrightError } from '../errors.ts';
import {
  describeValue,
  formatStandardIssues,
  isRecord,
  isStandardSchema,
  once,
  type StandardSchema,
} from '../kit/index.ts';
import type { SpecificField } from '../protocol/index.ts';
import { addEventRecord, catalogue, isHookEventName } from './catalogue.ts';
import { createEventRecord, type DataField } from './event-record.ts';
import { DefaultHookOutput } from './outputs.ts';
import type { JsonRecord } from './payload-fields.ts';

/** The payload field that matchers are compared with. */
export interface EventSubject {
  readonly field: string;
  /** `exact`, the default, compares whole words. `pattern` searches with a regular expression. */
  readonly compare?: 'exact' | 'pattern' | undefined;
  readonly words?: readonly string[] | undefined;
}

/** If several hooks answer, `all` joins their texts, and with `last` a later text replaces an earlier one. */
const mergeRulesByWord = { all: 'keep-everything', last: 'last-wins' } as const;

export type SchemaPayload<Schema> = Schema extends {
  readonly '~standard': { readonly types?: { readonly output: infer Output extends object } | undefined };
}
  ? Output
  : JsonRecord;

export interface HostEventDefinition<Name extends string, Schema> {
  readonly name: Name;
  /** When the event fires, in a few words. Tables show it. */
  readonly when: string;
  /** A synchronous schema of zod, valibot, arktype or another library of standardschema.dev. */
  readonly payload?: Schema | undefined;
  /** Plain values with which the event can be tried out. */
  readonly sample?: Readonly<JsonRecord> | undefined;
  /** The field that matchers are compared with. Without it, matchers are ignored. */
  readonly subject?: string | EventSubject | undefined;
  readonly merge?: keyof typeof mergeRulesByWord | undefined;
  /** Keys of `hookSpecificOutput` that the host acts on. Default: `additionalContext`. */
  readonly supports?: readonly SpecificField[] | undefined;
  /** Further keys of `hookSpecificOutput` that the host reads; `true` for any key. */
  readonly keepsData?: true | Readonly<Record<string, DataField>> | undefined;
  /** What the host does if hooks deny. Without this text, a deny prevents nothing. */
  readonly denied?: string | undefined;
}

/** An event that a host defined. Pass it to `createHooks({events})`. */
export interface HostEvent<Name extends string = string, Payload extends object = object> {
  readonly name: Name;
  readonly when: string;
  readonly read: (value: unknown) => { ok: true; payload: Payload } | { ok: false; message: string };
}

/**
 * Defines an event of the host. Pass the result to `createHooks({events})`; `hooks.fire(name, payload)` fires it.
 *
 * @throws HookwrightError if a member of the definition is invalid.
 */
export const defineEvent = <const Name extends string, Schema extends StandardSchema>(
  definition: HostEventDefinition<Name, Schema>,
): HostEvent<Name, SchemaPayload<Schema>> => {
  checkDefinition(definition);
  const { payload } = definition;
  return createHostEvent({ ...definition, payload: () => payload });
};

export interface HostEventParts<Name extends string, Schema>
  extends Omit<HostEventDefinition<Name, Schema>, 'payload'> {
  /** A function, because few processes use the events of other agents, and schemas take long to build. */
  readonly payload: () => Schema | undefined;
}

/** `defineEvent` without its checks. */
export const createHostEvent = <const Name extends string, Schema extends StandardSchema>(
  definition: HostEventParts<Name, Schema>,
): HostEvent<Name, SchemaPayload<Schema>> => {
  const { name, when, sample = {}, subject, merge = 'all', denied, keepsData } = definition;
  const getSchema = once(definition.payload);
  const findIssues = (value: unknown) => findPayloadIssues(getSchema(), value);
  const isPayload = (value: unknown): value is SchemaPayload<Schema> => findIssues(value).length === 0;
  const record = createEventRecord({
    when,
    sample,
    payload: createAnyObjectSchema,
    described: () => {
      const schema = getSchema();
      return isZodSchema(schema) ? schema : createAnyObjectSchema();
    },
    fromArgs: (payload: JsonRecord) => payload,
    toFields: (payload: JsonRecord) => payload,
    ...(subject === undefined ? {} : { subject: createSubjectRule(subject) }),
    ...(denied === undefined ? {} : { denied, holdsUp: true }),
    ...(keepsData === undefined ? {} : { keepsData }),
    merge: mergeRulesByWord[merge],
    supports: definition.supports ?? ['additionalContext'],
    output: DefaultHookOutput,
  });
  const event: HostEvent<Name, SchemaPayload<Schema>> = {
    ...record,
    name,
    read: (value) => {
      const plain = record.read(value);
      if (!plain.ok) return plain;
      if (isPayload(value)) return { ok: true, payload: value };
      return { ok: false, message: findIssues(value).join('; ') };
    },
  };
  definedEvents.add(event);
  return event;
};

export const addEvents = (events: readonly HostEvent[]): void => {
  if (!Array.isArray(events))
    throw createInvalidArgument(`events must be a list of events; got ${describeValue(events)}`);
  for (const event of events) {
    if (!definedEvents.has(event))
      throw createInvalidArgument(`events: make each with defineEvent; got ${describeValue(event)}`);
    const { name } = event;
    if (!isHookEventName(name)) addEventRecord(name, event);
    else if (!isSameObject(catalogue[name], event)) {
      const message = `events: "${name}" is an event already; choose another name, and define an event once per process`;
      throw new HookwrightError('invalid_argument', message, { details: { eventName: name } });
    }
  }
};

const definedEvents = new WeakSet<object>();

const isSameObject = (one: object, other: object): boolean => one === other;

const eventNamePattern = /^[A-Za-z][A-Za-z0-9_]*$/;

const checkDefinition = ({
  name,
  when,
  payload,
  subject,
  merge,
  supports,
}: HostEventDefinition<string, unknown>): void => {
  const wrong = (what: string, value: unknown): HookwrightError =>
    createInvalidArgument(`defineEvent needs ${what}; got ${describeValue(value)}`);
  if (typeof name !== 'string' || !eventNamePattern.test(name)) throw wrong('name, letters and digits', name);
  if (typeof when !== 'string' || when.trim() === '') throw wrong('when, a few words on when it fires', when);
  if (payload !== undefined && !isStandardSchema(payload))
    throw wrong('payload as a schema such as one of zod', payload);
  const field = isRecord(subject) ? subject.field : subject;
  if (field !== undefined && typeof field !== 'string') throw wrong('subject as the name of a field', subject);
  if (merge !== undefined && !Object.hasOwn(mergeRulesByWord, merge)) throw wrong('merge as "all" or "last"', merge);
  if (supports !== undefined && !Array.isArray(supports)) throw wrong('supports as a list of keys', supports);
};

const createSubjectRule = (subject: string | EventSubject) => {
  const { field, compare = 'exact', words } = typeof subject === 'string' ? { field: subject } : subject;
  return {
    from: 'trigger' as const,
    compare,
    field,
    ...(words === undefined ? {} : { words }),
    of: (payload: Readonly<JsonRecord>) => String(payload[field] ?? ''),
  };
};

const findPayloadIssues = (schema: StandardSchema | undefined, value: unknown): readonly string[] => {
  if (schema === undefined) return [];
  const result = schema['~standard'].validate(value);
  return result instanceof Promise
    ? ['payload: its schema must answer at once']
    : formatStandardIssues(result, 'payload');
};

const isZodSchema = (schema: unknown): schema is z.core.$ZodType => isRecord(schema) && '_zod' in schema;

/** Accepts any object, because the schema of the host checks the payload later. */
const createAnyObjectSchema = () => {
  const object = z.custom<JsonRecord>(isRecord, 'expected an object');
  z.globalRegistry.add(object, { type: 'object' });
  return object;
};
