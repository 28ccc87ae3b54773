// Reads the answer of a hook: known fields, older names, misspellings, problems to report.
import * as z from 'zod/mini';
import {
  appendToPath,
  describeValue,
  explainNotJson,
  findNearestName,
  formatSuggestion,
  isPrototypeKey,
  isRecord,
  once,
  shorten,
} from '../../kit/index.ts';
import { type FieldProblem, type Notice, notice, toGuardSchema } from '../notices.ts';
import { normalizeVerdict } from './verdict-spellings.ts';
import { decisions, isDecision, quotedDecisions } from './verdicts.ts';

const MAX_FIELD_TEXT_LENGTH = 65_536;

const isBoolean = (value: unknown): boolean => typeof value === 'boolean';
const isShortText = (value: unknown): boolean => typeof value === 'string' && value.length <= MAX_FIELD_TEXT_LENGTH;

/** Used instead of `z.record`, which would copy all keys. */
const recordSchema = () => toGuardSchema(isRecord);

const specificFields = once(() => ({
  hookEventName: z.string(),
  additionalContext: z.string(),
  tool_input: recordSchema(),
  llm_request: z.looseObject({
    model: z.optional(z.string()),
    messages: z.optional(createListSchema(llmMessageSchema())),
    config: z.optional(recordSchema()),
    toolConfig: z.optional(hookToolConfigSchema()),
  }),
  llm_response: z.looseObject({
    text: z.optional(z.string()),
    candidates: z.optional(
      createListSchema(z.looseObject({ content: z.looseObject({ parts: toGuardSchema<unknown[]>(Array.isArray) }) })),
    ),
  }),
  toolConfig: hookToolConfigSchema(),
  clearContext: z.boolean(),
  updatedOutput: z.unknown(),
  tailToolCallRequest: z.object({ name: z.string().check(z.minLength(1)), args: recordSchema() }),
}));

const commonFields = once(() => ({
  continue: z.boolean(),
  stopReason: z.string(),
  suppressOutput: z.boolean(),
  systemMessage: z.string(),
  decision: z.enum(decisions),
  reason: z.string(),
  hookSpecificOutput: recordSchema(),
}));

type AnswerFields<Fields extends Record<string, z.ZodMiniType>> = { [Key in keyof Fields]?: z.infer<Fields[Key]> };

export type HookSpecificOutput = AnswerFields<ReturnType<typeof specificFields>> & { [key: string]: unknown };

/** The answer of a hook. An empty answer is no opinion. */
export type HookOutput = Omit<AnswerFields<ReturnType<typeof commonFields>>, 'hookSpecificOutput'> & {
  hookSpecificOutput?: HookSpecificOutput;
  [key: string]: unknown;
};

export type SpecificField = keyof ReturnType<typeof specificFields>;

const expectedValueByField: Readonly<Record<string, string>> = {
  continue: 'true or false',
  suppressOutput: 'true or false',
  decision: quotedDecisions,
  hookSpecificOutput: 'an object',
  'hookSpecificOutput.tool_input': 'an object of tool arguments',
  'hookSpecificOutput.llm_request':
    'an object with model, messages, config or toolConfig, a message with role (user, model, system) and text as content',
  'hookSpecificOutput.llm_response': 'an object with candidates (content.parts) or text',
  'hookSpecificOutput.toolConfig': 'an object with mode (AUTO, ANY, NONE) and allowedFunctionNames',
  'hookSpecificOutput.clearContext': 'true or false',
  'hookSpecificOutput.tailToolCallRequest': 'an object with name and args',
};

/** Names of an older protocol, which hooks may still write → the field in `hookSpecificOutput`. */
const fieldAliases: Readonly<Record<string, SpecificField>> = {
  modifiedRequest: 'llm_request',
  syntheticResponse: 'llm_response',
  modifiedResponse: 'llm_response',
  toolConfig: 'toolConfig',
};

const readField = (problems: FieldProblem[], schema: z.ZodMiniType, field: string, value: unknown): unknown => {
  if (value === undefined || value === null) return undefined;
  if (schema.safeParse(value).success) return typeof value === 'string' ? shorten(value, MAX_FIELD_TEXT_LENGTH) : value;
  const near = field === 'decision' && typeof value === 'string' ? formatSuggestion(value, decisions) : '';
  const note = `expected ${expectedValueByField[field] ?? 'a string'}, found ${describeValue(value)}${near}`;
  problems.push({ field, fate: 'malformed', note });
  return undefined;
};

const UNKNOWN_FIELD_NOTE = 'this field is unknown; it is kept unchanged';

const reportUnknownField = (problems: FieldProblem[], field: string, key: string, known: readonly string[]): void => {
  const near = findNearestName(key, field === key ? known : [...known, 'updatedInput']);
  const hint = near === undefined ? UNKNOWN_FIELD_NOTE : `did you mean "${near}"?`;
  const isMisplaced = Object.hasOwn(specificFields(), field);
  const note = isMisplaced ? 'it counts only inside "hookSpecificOutput"' : hint;
  problems.push({ field, fate: 'unsupported', note });
};

const readObject = (
  problems: FieldProblem[],
  value: Record<string, unknown>,
  schemas: Readonly<Record<string, z.ZodMiniType>>,
  prefix: string,
): Record<string, unknown> => {
  let copy: Record<string, unknown> | undefined;
  for (const key of Object.keys(value)) {
    const schema = Object.hasOwn(schemas, key) ? schemas[key] : undefined;
    const field = prefix + key;
    if (schema === undefined) {
      if (prefix !== '' || !Object.hasOwn(fieldAliases, key))
        reportUnknownField(problems, field, key, Object.keys(schemas));
      continue;
    }
    const read = readField(problems, schema, field, value[key]);
    if (read === value[key]) continue;
    copy ??= { ...value };
    if (read === undefined) delete copy[key];
    else copy[key] = read;
  }
  return copy ?? value;
};

const aliasNames = Object.keys(fieldAliases);

const specificPrefix = 'hookSpecificOutput.';

const resolveAliases = (problems: FieldProblem[], answer: Record<string, unknown>): Record<string, unknown> => {
  let resolved = answer;
  for (const alias of aliasNames) {
    const value = answer[alias];
    const field = fieldAliases[alias];
    if (value === undefined || field === undefined) continue;
    const { [alias]: _moved, hookSpecificOutput, ...rest } = resolved;
    const read = readField(problems, commonFields().hookSpecificOutput, 'hookSpecificOutput', hookSpecificOutput);
    const specific = isRecord(read) ? read : {};
    if (Object.hasOwn(specific, field)) {
      const note = `${specificPrefix}${field} is there too, and counts`;
      problems.push({ field: alias, fate: 'unsupported', note });
    }
    resolved = { ...rest, hookSpecificOutput: { [field]: value, ...specific } };
  }
  return resolved;
};

const removePrototypeKeys = (problems: FieldProblem[], value: unknown, path: string): unknown => {
  if (Array.isArray(value))
    return value.map((item, index) => removePrototypeKeys(problems, item, appendToPath(path, index)));
  if (!isRecord(value)) return value;
  const clean: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    const inner = appendToPath(path, key);
    if (isPrototypeKey(key)) {
      problems.push({ field: inner, fate: 'malformed', note: `the key "${key}" is refused and was dropped` });
    } else {
      clean[key] = removePrototypeKeys(problems, value[key], inner);
    }
  }
  return clean;
};

const hasPrototypeKey = (value: unknown): boolean => {
  if (Array.isArray(value)) return value.some(hasPrototypeKey);
  if (!isRecord(value)) return false;
  return Object.keys(value).some((key) => isPrototypeKey(key) || hasPrototypeKey(value[key]));
};

/**
 * A key such as `__proto__` from a hook could change the prototype of the host's objects. Copies only if there is such
 * a key.
 */
export const dropPrototypeKeys = (
  value: Record<string, unknown>,
  problems: FieldProblem[],
): Record<string, unknown> => {
  const safe = hasPrototypeKey(value) ? removePrototypeKeys(problems, value, '') : value;
  return isRecord(safe) ? safe : {};
};

const answerSchema = once(() =>
  z.partial(z.looseObject({ ...commonFields(), hookSpecificOutput: z.partial(z.looseObject(specificFields())) })),
);

export const isHookOutput = (value: unknown): value is HookOutput => answerSchema().safeParse(value).success;

export type ReadOutputResult =
  | {
      readonly ok: true;
      readonly output: HookOutput;
      readonly problems: readonly FieldProblem[];
      readonly notices?: readonly Notice[];
      readonly verdictLost: boolean;
    }
  | { readonly ok: false; readonly message: string };

const scalarChecks: ReadonlyMap<string, (value: unknown) => boolean> = new Map([
  ['continue', isBoolean],
  ['suppressOutput', isBoolean],
  ['decision', isDecision],
  ['reason', isShortText],
  ['stopReason', isShortText],
  ['systemMessage', isShortText],
]);

const isPlainAnswer = (answer: Record<string, unknown>): answer is HookOutput => {
  try {
    for (const key in answer) if (scalarChecks.get(key)?.(answer[key]) !== true) return false;
    return true;
  } catch {
    return false;
  }
};

const listUnknownAnswerNotices = (
  source: Record<string, unknown>,
  problems: readonly FieldProblem[],
): readonly Notice[] => {
  const known = commonFields();
  const found = Object.keys(source);
  if (found.some((key) => Object.hasOwn(known, key)) || problems.some(({ note }) => note !== UNKNOWN_FIELD_NOTE))
    return [];
  const message = `no field of the answer is known, found ${shorten(found.join(', '), 200)}`;
  return [notice('unknown-key', message, { fix: `an answer has ${Object.keys(known).join(', ')}` })];
};

const verdictFields: ReadonlySet<string> = new Set(['decision', 'continue']);

const noFieldProblems: readonly FieldProblem[] = [];

/**
 * Uses the fields with a valid type and reports the others. `verdictLost`: an invalid field may have been a verdict, so
 * the answer counts as a fault.
 */
export const readOutput = (answer: Record<string, unknown>): ReadOutputResult => {
  if (isPlainAnswer(answer)) return { ok: true, output: answer, problems: noFieldProblems, verdictLost: false };
  const notJson = explainNotJson(answer);
  if (notJson !== undefined) return { ok: false, message: notJson };
  const problems: FieldProblem[] = [];
  const safe = dropPrototypeKeys(answer, problems);
  const { answer: normalized, notices, isLost, problems: found } = normalizeVerdict(safe);
  problems.push(...found);
  const source = resolveAliases(problems, normalized);
  let output = readObject(problems, source, commonFields(), '');
  const specific = output.hookSpecificOutput;
  if (isRecord(specific)) {
    const read = readObject(problems, specific, specificFields(), specificPrefix);
    if (read !== specific) output = { ...output, hookSpecificOutput: read };
  }
  if (!isHookOutput(output)) return { ok: false, message: 'the answer is not an object' };
  const said = problems.length === 0 ? notices : [...notices, ...listUnknownAnswerNotices(source, problems)];
  const noted = said.length === 0 ? {} : { notices: said };
  if (problems.length === 0) return { ok: true, output, problems: noFieldProblems, verdictLost: false, ...noted };
  const verdictLost =
    isLost || problems.some((problem) => problem.fate === 'malformed' && verdictFields.has(problem.field));
  return { ok: true, output, problems, verdictLost, ...noted };
};

/**
 * Model requests and responses as hooks see them: text only, equal for all SDKs. `config` keeps unknown keys for
 * options of newer models.
 */
const llmMessageSchema = once(() => z.object({ role: z.enum(['user', 'model', 'system']), content: z.string() }));

const hookToolConfigSchema = once(() =>
  z.object({
    mode: z.optional(z.enum(['AUTO', 'ANY', 'NONE'])),
    allowedFunctionNames: z.optional(createListSchema(z.string())),
  }),
);

export const llmRequestSchema = once(() =>
  z.looseObject({
    model: z.string(),
    messages: createListSchema(llmMessageSchema()),
    config: z.optional(
      z.looseObject({
        temperature: z.optional(z.number()),
        maxOutputTokens: z.optional(z.number()),
        topP: z.optional(z.number()),
        topK: z.optional(z.number()),
      }),
    ),
    toolConfig: z.optional(hookToolConfigSchema()),
  }),
);

export const tokenCounterNames = ['promptTokenCount', 'candidatesTokenCount', 'totalTokenCount'] as const;

export const finishReasons = ['STOP', 'MAX_TOKENS', 'SAFETY', 'RECITATION', 'OTHER'] as const;

export const llmResponseSchema = once(() =>
  z.looseObject({
    text: z.optional(z.string()),
    candidates: createListSchema(
      z.looseObject({
        content: z.object({ role: z.literal('model'), parts: createListSchema(z.string()) }),
        finishReason: z.optional(z.enum(finishReasons)),
        index: z.optional(z.number()),
        safetyRatings: z.optional(createListSchema(z.object({ category: z.string(), probability: z.string() }))),
      }),
    ),
    usageMetadata: z.optional(
      z.object({
        promptTokenCount: z.optional(z.number()),
        candidatesTokenCount: z.optional(z.number()),
        totalTokenCount: z.optional(z.number()),
      }),
    ),
  }),
);

export type LLMMessage = z.infer<ReturnType<typeof llmMessageSchema>>;
export type HookToolConfig = z.infer<ReturnType<typeof hookToolConfigSchema>>;
export type LLMRequest = z.infer<ReturnType<typeof llmRequestSchema>>;
export type LLMResponse = z.infer<ReturnType<typeof llmResponseSchema>>;

/**
 * `z.array` checks every element of an invalid array, which could block the host for long; this check stops at the
 * first.
 */
const createListSchema = <Element extends z.ZodMiniType>(element: Element) =>
  z.custom<z.output<Element>[]>(
    (value) => Array.isArray(value) && value.every((each) => element.safeParse(each).success),
  );
