// The record of one event: everything that the engine knows about it.
import * as z from 'zod/mini';
import { isRecord, once, type SkippedKeys, whyNotJson } from '../kit/index.ts';
import type { AnyHookTranslator } from '../models/index.ts';
import { expectedBy, type HookOutput, type SpecificField } from '../protocol/index.ts';
import type { DefaultHookOutput } from './outputs.ts';

/**
 * The value that a matcher is compared with. `pattern` searches it with a regular expression; `exact` compares whole
 * words case-insensitively, and a pattern must match the whole value.
 */
export interface SubjectRule<Payload> {
  readonly from: 'toolName' | 'trigger';
  readonly compare: 'pattern' | 'exact';
  /** The field of the payload with the value. */
  readonly field: keyof Payload & string;
  /** All possible values, if they are known. */
  readonly words?: readonly string[];
  readonly of: (payload: Payload) => string;
}

/** The names of the rules in `merging/merge-rules.ts`. */
export type MergeRuleName =
  | 'keep-everything'
  | 'keep-result'
  | 'keep-permissions'
  | 'keep-variables'
  | 'replace-fields'
  | 'unite-tools'
  | 'last-wins';

/** A value that an event passes to the host without acting on it, described for the docs. */
export interface DataField {
  readonly type: 'object' | 'array' | 'string' | 'boolean';
  readonly words: string;
  readonly example: unknown;
}

interface WithSchema<Schema> {
  /** The schema of the fields that callers send, under their wire names. */
  readonly payload: () => Schema;
}

/** The definition of one event. No code outside the catalogue depends on an event's name. */
export interface EventDefinition<
  Args extends readonly unknown[],
  Payload,
  Fields extends object,
  Output extends DefaultHookOutput,
  Supported extends SpecificField,
> {
  /** Names of the same event in other agents. */
  readonly alsoCalled?: readonly string[];
  /** When it fires, in a few words, for tables. */
  readonly when: string;
  /** A schema for the docs, if it says more than the one that checks payloads. */
  readonly described?: z.core.$ZodType;
  /** A payload with plain values, for trying the event. */
  readonly sample: Payload;
  /** Makes a payload from positional arguments. */
  readonly fromArgs: (...args: Args) => Payload;
  /** Keys of the payload with objects of the SDK, which become JSON only by translation. */
  readonly translated?: SkippedKeys;
  /** The fields that hooks see. */
  readonly toFields: (payload: Payload, translator: AnyHookTranslator) => Fields;
  /** The consequence of a deny, in a few words, for the docs. */
  readonly denied?: string;
  /** Absent if matchers are ignored. */
  readonly subject?: SubjectRule<Payload>;
  readonly merge: MergeRuleName;
  /** A deny prevents an action, or the use of its result. */
  readonly holdsUp?: boolean;
  /** A new prompt: the count of forced continuations starts again. */
  readonly beginsTurn?: true;
  /** A deny makes the agent continue, which is counted. */
  readonly endsTurn?: true;
  readonly beginsSession?: true;
  readonly endsSession?: true;
  /** The verdict if the host of the hooks is lost; no verdict by default. */
  readonly onLost?: 'deny';
  /** Keys of `hookSpecificOutput` that this event acts on. */
  readonly supports: readonly Supported[];
  /** Keys of `hookSpecificOutput` that are passed to the host as data; `true` for every other key. */
  readonly keepsData?: true | Readonly<Record<string, DataField>>;
  readonly output: new (data?: HookOutput, translator?: AnyHookTranslator) => Output;
  /** The payload with an answer applied, for guards that must run again because they saw another payload. */
  readonly rewritten?: (payload: Payload, output: HookOutput) => Payload;
  /** The input of the next hook in a sequence after this answer. */
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
  /** Checks a value from outside; the message names the field. */
  readonly read: (value: unknown) => { ok: true; payload: Payload } | { ok: false; message: string };
}

const issueText = (issues: readonly z.core.$ZodIssue[]): string =>
  issues.map((issue) => `${['payload', ...issue.path].join('.')}: ${expectedBy(issue)}`).join('; ');

type Check = (value: unknown) => boolean;

/** Checks common schema types without the copy that zod makes; zod checks all others. */
const checkOf = (schema: z.core.$ZodType): Check => {
  const byZod: Check = (value) => z.safeParse(schema, value).success;
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
  return byZod;
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
  // The caller's own object is used, unknown fields included, not zod's copy.
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
