// The record of one event: everything that the engine knows about it.
import * as z from 'zod/mini';
import { explainNotJson, isRecord, once, type SkippedKeys } from '../kit/index.ts';
import type { AnyHookTranslator } from '../models/index.ts';
import { describeExpected, type HookOutput, type SpecificField } from '../protocol/index.ts';
import type { DefaultHookOutput } from './outputs.ts';

/**
 * The value of an event that matchers are compared with. With `pattern` a matcher is a regular expression; with `exact`
 * the whole value must equal the matcher, ignoring case.
 */
export interface SubjectRule<Payload> {
  readonly from: 'toolName' | 'trigger';
  readonly compare: 'pattern' | 'exact';
  readonly field: keyof Payload & string;
  readonly words?: readonly string[];
  readonly of: (payload: Payload) => string;
}

/** Each name is a rule in `merging/merge-rules.ts`. */
export type MergeRuleName =
  | 'keep-everything'
  | 'keep-result'
  | 'keep-permissions'
  | 'keep-variables'
  | 'replace-fields'
  | 'unite-tools'
  | 'last-wins';

/** A value that the engine passes from hooks to the host, described for the docs. */
export interface DataField {
  readonly type: 'object' | 'array' | 'string' | 'boolean';
  readonly words: string;
  readonly example: unknown;
}

interface WithPayloadSchema<Schema> {
  readonly payload: () => Schema;
}

/** Facts about an event. The engine reads them instead of comparing names of events. */
export interface EventDefinition<
  Args extends readonly unknown[],
  Payload,
  Fields extends object,
  Output extends DefaultHookOutput,
  Supported extends SpecificField,
> {
  readonly alsoCalled?: readonly string[];
  readonly when: string;
  /** A schema for the docs, if it says more than `payload`. */
  readonly described?: () => z.core.$ZodType;
  readonly sample: Payload;
  readonly fromArgs: (...args: Args) => Payload;
  /** Keys of the payload with objects of the SDK, which are JSON only after translation. */
  readonly translated?: SkippedKeys;
  readonly toFields: (payload: Payload, translator: AnyHookTranslator) => Fields;
  readonly denied?: string;
  readonly subject?: SubjectRule<Payload>;
  readonly merge: MergeRuleName;
  /** True if a deny prevents the action, or the use of its result. */
  readonly holdsUp?: boolean;
  /** True if the event resets the count of how often hooks made the agent continue. */
  readonly beginsTurn?: true;
  /** True if a deny makes the agent continue. The engine counts how often. */
  readonly endsTurn?: true;
  readonly beginsSession?: true;
  readonly endsSession?: true;
  /** The verdict if no process that runs hooks answers. Default: none. */
  readonly onLost?: 'deny';
  readonly supports: readonly Supported[];
  /** Keys of `hookSpecificOutput` that the host gets as data; `true` for any key. */
  readonly keepsData?: true | Readonly<Record<string, DataField>>;
  readonly output: new (data?: HookOutput, translator?: AnyHookTranslator) => Output;
  /** Applies an answer to the payload, so that guards can judge what other hooks changed. */
  readonly rewritten?: (payload: Payload, output: HookOutput) => Payload;
  /** Applies an answer to the input of the next hook in a sequence. */
  readonly feed?: <Input extends Fields>(input: Input, output: HookOutput) => Input;
}

export interface EventRecord<
  Args extends readonly unknown[] = readonly unknown[],
  Payload = unknown,
  Fields extends object = object,
  Output extends DefaultHookOutput = DefaultHookOutput,
  Supported extends SpecificField = SpecificField,
> extends EventDefinition<Args, Payload, Fields, Output, Supported> {
  readonly payload: () => z.ZodMiniType;
  readonly read: (value: unknown) => { ok: true; payload: Payload } | { ok: false; message: string };
}

const formatPayloadIssues = (issues: readonly z.core.$ZodIssue[]): string =>
  issues.map((issue) => `${['payload', ...issue.path].join('.')}: ${describeExpected(issue)}`).join('; ');

type ValueCheck = (value: unknown) => boolean;

/** Common types are checked without zod, which would copy each value. */
const createSchemaCheck = (schema: z.core.$ZodType): ValueCheck => {
  const byZod: ValueCheck = (value) => z.safeParse(schema, value).success;
  if (schema instanceof z.ZodMiniObject) {
    const members = Object.entries(schema.shape).map(([key, member]): [string, ValueCheck] => [
      key,
      createSchemaCheck(member),
    ]);
    return (value) => isRecord(value) && members.every(([key, fits]) => fits(value[key]));
  }
  if (schema instanceof z.ZodMiniOptional) {
    const inner = createSchemaCheck(schema._zod.def.innerType);
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

export const createEventRecord = <
  Args extends readonly unknown[],
  Schema extends z.ZodMiniType,
  Fields extends object,
  Output extends DefaultHookOutput,
  const Supported extends SpecificField = never,
>(
  definition: WithPayloadSchema<Schema> & EventDefinition<Args, z.infer<Schema>, Fields, Output, Supported>,
): EventRecord<Args, z.infer<Schema>, Fields, Output, Supported> => {
  const schema = once(definition.payload);
  // Checks instead of parsing, so that hooks get the caller's own object with all its fields, not zod's copy.
  const fits = once(() => createSchemaCheck(schema()));
  const isPayload = (value: unknown): value is z.infer<Schema> => fits()(value);
  return {
    ...definition,
    payload: schema,
    read: (value) => {
      if (typeof value !== 'object' || value === null) return { ok: false, message: 'payload: expected an object' };
      const notJson = explainNotJson(value, definition.translated);
      if (notJson !== undefined) return { ok: false, message: `payload: ${notJson}` };
      if (isPayload(value)) return { ok: true, payload: value };
      const { error } = schema().safeParse(value);
      return { ok: false, message: formatPayloadIssues(error?.issues ?? []) };
    },
  };
};
