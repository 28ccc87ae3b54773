// Input schemas of abilities: the supported keywords of JSON Schema, and the copying of inputs.
import { describeThrown, describeValue, explainNotJson, formatSuggestion, isRecord } from '../../kit/index.ts';

export const inputTypes = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'] as const;
export type InputType = (typeof inputTypes)[number];

/** A subset of JSON Schema. Other keywords are refused, because a rule that is not checked misleads its author. */
export interface InputSchema {
  readonly type?: InputType | undefined;
  readonly description?: string | undefined;
  readonly properties?: Readonly<Record<string, InputSchema>> | undefined;
  readonly required?: readonly string[] | undefined;
  /** False refuses members that are not in `properties`. */
  readonly additionalProperties?: boolean | undefined;
  readonly items?: InputSchema | undefined;
  readonly enum?: readonly unknown[] | undefined;
  readonly minimum?: number | undefined;
  readonly maximum?: number | undefined;
  readonly minLength?: number | undefined;
  readonly maxLength?: number | undefined;
}

type MismatchFinder = (value: unknown) => string | undefined;

const createKeywordCheck = (what: string, is: (value: unknown) => boolean): MismatchFinder => {
  return (value) => (is(value) ? undefined : `expected ${what}, got ${describeValue(value)}`);
};

const isText = (value: unknown): value is string => typeof value === 'string';
const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);
const isCount = (value: unknown): value is number => Number.isInteger(value) && Number(value) >= 0;
const isTextList = (value: unknown): value is string[] => Array.isArray(value) && value.every(isText);
const isInputType = (value: unknown): value is InputType => inputTypes.some((type) => type === value);

const acceptAny: MismatchFinder = () => undefined;

const keywordChecks: Readonly<Record<keyof InputSchema, MismatchFinder>> = {
  type: createKeywordCheck(`one of ${inputTypes.join(', ')}`, isInputType),
  description: createKeywordCheck('text', isText),
  properties: createKeywordCheck('an object of schemas', isRecord),
  required: createKeywordCheck('a list of names', isTextList),
  additionalProperties: createKeywordCheck('true or false', (value) => typeof value === 'boolean'),
  items: acceptAny,
  enum: createKeywordCheck('a list of values', Array.isArray),
  minimum: createKeywordCheck('a number', isNumber),
  maximum: createKeywordCheck('a number', isNumber),
  minLength: createKeywordCheck('a number from 0 on', isCount),
  maxLength: createKeywordCheck('a number from 0 on', isCount),
};

const MAX_SCHEMA_DEPTH = 20;

const isKeyword = (key: string): key is keyof InputSchema => Object.hasOwn(keywordChecks, key);

const findKeywordProblem = (key: string, value: unknown): string | undefined =>
  isKeyword(key)
    ? keywordChecks[key](value)
    : `is not a known keyword of input schemas${formatSuggestion(key, Object.keys(keywordChecks))} Known are ${Object.keys(keywordChecks).join(', ')}`;

export interface SchemaProblem {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

export const findSchemaProblems = (value: unknown, path: readonly string[] = []): SchemaProblem[] => {
  if (!isRecord(value)) return [{ path, message: `expected a schema, got ${describeValue(value)}` }];
  if (path.length > MAX_SCHEMA_DEPTH) return [{ path, message: 'nests too deep for an input schema' }];
  const own = Object.entries(value).flatMap(([key, member]) => {
    const message = findKeywordProblem(key, member);
    return message === undefined ? [] : [{ path: [...path, key], message }];
  });
  const members = isRecord(value.properties) ? Object.entries(value.properties) : [];
  const below = members.flatMap(([name, schema]) => findSchemaProblems(schema, [...path, 'properties', name]));
  const items = value.items === undefined ? [] : findSchemaProblems(value.items, [...path, 'items']);
  return [...own, ...below, ...items];
};

export const isInputSchema = (value: unknown): value is InputSchema => findSchemaProblems(value).length === 0;

const MAX_INPUT_BYTES = 1_048_576;

export type CopiedInput =
  | { readonly ok: true; readonly input: unknown }
  | { readonly ok: false; readonly problem: string };

/** A copy made before the first guard sees the input, so that the caller cannot change it afterwards. */
export const copyInput = (input: unknown): CopiedInput => {
  if (input === undefined) return { ok: true, input };
  const notJson = explainNotJson({ input });
  if (notJson !== undefined) return { ok: false, problem: `the input is not plain JSON: ${notJson}` };
  try {
    const text = JSON.stringify(input);
    const bytes = Buffer.byteLength(text);
    if (bytes > MAX_INPUT_BYTES) {
      const limit = `more than the ${MAX_INPUT_BYTES} there may be; put it into a file and give its path`;
      return { ok: false, problem: `the input has ${bytes} bytes, ${limit}` };
    }
    const copy: unknown = JSON.parse(text);
    return { ok: true, input: copy };
  } catch (error) {
    return { ok: false, problem: `the input cannot be read: ${describeThrown(error)}` };
  }
};
