import * as z from 'zod/mini';
import { isRecord, once, type SkippedKeys, whyNotJson } from '../kit/index.ts';
import type { AnyHookTranslator } from '../models/index.ts';
import { expectedBy, type HookOutput, type SpecificField } from '../protocol/index.ts';
import type { DefaultHookOutput } from './outputs.ts';

/**
 * What a matcher is compared with. `pattern` searches the subject with a regular expression; `exact` compares whole
 * words without regard to case, and takes a pattern only when it covers the whole subject.
 */
export interface SubjectRule<Payload> {
  readonly from: 'toolName' | 'trigger';
  readonly compare: 'pattern' | 'exact';
  /** The field of the payload in which it stands. */
  readonly field: keyof Payload & string;
  /** All that it can be, where that is known. */
  readonly words?: readonly string[];
  readonly of: (payload: Payload) => string;
}

/** The rules of `merging/merge-rules.ts`, by name. */
export type MergeRuleName =
  | 'keep-everything'
  | 'keep-result'
  | 'keep-permissions'
  | 'keep-variables'
  | 'replace-fields'
  | 'unite-tools'
  | 'last-wins';

/** What an event hands on to the host without acting on it, for pages. */
export interface DataField {
  readonly type: 'object' | 'array' | 'string' | 'boolean';
  readonly words: string;
  readonly example: unknown;
}

interface WithSchema<Schema> {
  /** What callers send: the fields particular to the event, under their wire names. */
  readonly payload: () => Schema;
}

/** Everything that is particular to one event. Nothing outside the catalogue knows an event by its name. */
export interface EventDefinition<
  Args extends readonly unknown[],
  Payload,
  Fields extends object,
  Output extends DefaultHookOutput,
  Supported extends SpecificField,
> {
  /** What other agents call the same moment. */
  readonly alsoCalled?: readonly string[];
  /** When it fires, in a few words, for tables. */
  readonly when: string;
  /** The schema of its payload for pages, where it says more than that by which payloads are read. */
  readonly described?: z.core.$ZodType;
  /** A payload with plain values, for trying the event without one. */
  readonly sample: Payload;
  /** The positional form of the payload. */
  readonly fromArgs: (...args: Args) => Payload;
  /** Keys of the payload that are the SDK's own objects and become plain JSON only by translation. */
  readonly translated?: SkippedKeys;
  /** What hooks get to see of the payload. */
  readonly toFields: (payload: Payload, translator: AnyHookTranslator) => Fields;
  /** What a deny of its hooks comes to, in a few words, for pages. */
  readonly denied?: string;
  /** Left out where matchers play no part. */
  readonly subject?: SubjectRule<Payload>;
  /** How answers of several hooks become one. */
  readonly merge: MergeRuleName;
  /** A hook can keep something from happening, or from being used: its word counts before the thing does. */
  readonly holdsUp?: boolean;
  /** A new prompt: how often hooks sent the agent on is counted anew. */
  readonly beginsTurn?: true;
  /** A deny of its hooks sends the agent on; a count of that ends. */
  readonly endsTurn?: true;
  /** A session begins with it. */
  readonly beginsSession?: true;
  /** A session ends with it. */
  readonly endsSession?: true;
  /** The verdict when the host of the hooks is lost; no opinion when left out. */
  readonly onLost?: 'deny';
  /** Keys of `hookSpecificOutput` this event acts on. */
  readonly supports: readonly Supported[];
  /** Keys of `hookSpecificOutput` that are handed on to the host as data; `true` where every further one is. */
  readonly keepsData?: true | Readonly<Record<string, DataField>>;
  readonly output: new (data?: HookOutput, translator?: AnyHookTranslator) => Output;
  /** The payload after this answer, where a guard that saw another one is to be asked once more before it is used. */
  readonly rewritten?: (payload: Payload, output: HookOutput) => Payload;
  /** What the next hook of a sequence sees after this answer. */
  readonly feed?: <Input extends Fields>(input: Input, output: HookOutput) => Input;
}

export interface EventRecord<
  Args extends readonly unknown[] = readonly unknown[],
  Payload = unknown,
  Fields extends object = object,
  Output extends DefaultHookOutput = DefaultHookOutput,
  Supported extends SpecificField = SpecificField,
> extends EventDefinition<Args, Payload, Fields, Output, Supported> {
  /** The schema of the payload, for descriptions of the event. */
  readonly payload: () => z.ZodMiniType;
  /** Checks what arrived from outside; the message names the field. */
  readonly read: (value: unknown) => { ok: true; payload: Payload } | { ok: false; message: string };
}

const issueText = (issues: readonly z.core.$ZodIssue[]): string =>
  issues.map((issue) => `${['payload', ...issue.path].join('.')}: ${expectedBy(issue)}`).join('; ');

type Check = (value: unknown) => boolean;

/** What a schema says of the forms that nearly all payloads have, without the copy that zod makes; zod is asked about all others. */
const checkOf = (schema: z.core.$ZodType): Check => {
  const asked: Check = (value) => z.safeParse(schema, value).success;
  if (schema instanceof z.ZodMiniObject) {
    const members = Object.entries(schema.shape).map(([key, member]): [string, Check] => [key, checkOf(member)]);
    return (value) => isRecord(value) && members.every(([key, fits]) => fits(value[key]));
  }
  if (schema instanceof z.ZodMiniOptional) {
    const inner = checkOf(schema._zod.def.innerType);
    return (value) => value === undefined || inner(value);
  }
  if (schema instanceof z.ZodMiniString) {
    const [check, ...others] = schema._zod.def.checks ?? [];
    if (check === undefined) return (value) => typeof value === 'string';
    if (check instanceof z.core.$ZodCheckMinLength && others.length === 0) {
      const { minimum } = check._zod.def;
      return (value) => typeof value === 'string' && value.length >= minimum;
    }
  }
  if (schema instanceof z.ZodMiniCustom && schema._zod.def.checks === undefined)
    return (value) => Boolean(schema._zod.def.fn(value));
  if (schema instanceof z.ZodMiniBoolean) return (value) => typeof value === 'boolean';
  return asked;
};

export const eventRecord = <
  Args extends readonly unknown[],
  Schema extends z.ZodMiniType,
  Fields extends object,
  Output extends DefaultHookOutput,
  const Supported extends SpecificField = never,
>(
  definition: WithSchema<Schema> & EventDefinition<Args, z.infer<Schema>, Fields, Output, Supported>,
): EventRecord<Args, z.infer<Schema>, Fields, Output, Supported> => {
  const schema = once(definition.payload);
  // zod's own copy is thrown away: what the caller sent goes on, unknown fields included.
  const fits = once(() => checkOf(schema()));
  const isPayload = (value: unknown): value is z.infer<Schema> => fits()(value);
  return {
    ...definition,
    payload: schema,
    read: (value) => {
      if (typeof value !== 'object' || value === null) return { ok: false, message: 'payload: expected an object' };
      const notJson = whyNotJson(value, definition.translated);
      if (notJson !== undefined) return { ok: false, message: `payload: ${notJson}` };
      if (isPayload(value)) return { ok: true, payload: value };
      const { error } = schema().safeParse(value);
      return { ok: false, message: issueText(error?.issues ?? []) };
    },
  };
};
