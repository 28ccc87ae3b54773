// Fields that the payloads of several events share, and subjects of matchers.
import * as z from 'zod/mini';
import { isRecord, once } from '../kit/index.ts';
import type { TranslatableRequest, TranslatableResponse } from '../models/index.ts';

export type JsonRecord = Record<string, unknown>;

/** Adds a JSON Schema, which zod cannot derive from a custom schema. */
const withJsonSchema = <Schema extends z.ZodMiniType>(schema: Schema, form: JsonRecord): Schema => {
  z.globalRegistry.add(schema, { ...z.globalRegistry.get(schema), ...form });
  return schema;
};

export const withDescription = <Schema extends z.ZodMiniType>(
  schema: Schema,
  description: string,
  example: unknown,
): Schema => withJsonSchema(schema, { description, examples: [example] });

const markAsRare = <Schema extends z.ZodMiniType>(schema: Schema): Schema => withJsonSchema(schema, { 'x-rare': true });

export const createObjectSchema = () =>
  withJsonSchema(z.custom<JsonRecord>(isRecord, 'expected an object'), { type: 'object' });
export const createRequestSchema = () =>
  withJsonSchema(z.custom<TranslatableRequest>(isRecord, 'expected a model request'), {
    type: 'object',
    description:
      'the request to the model: `model`, `messages` (each with `role` and `content`), `config`, `toolConfig`',
    examples: [{ model: 'example-model', messages: [{ role: 'user', content: 'Why is the sky blue?' }] }],
  });
export const createResponseSchema = () =>
  withJsonSchema(z.custom<TranslatableResponse>(isRecord, 'expected a model response'), {
    type: 'object',
    description: 'the answer of the model: `text`, and `candidates` with the `parts` of their `content`',
    examples: [
      { text: 'It is.', candidates: [{ content: { role: 'model', parts: ['It is.'] }, finishReason: 'STOP' }] },
    ],
  });

export const getToolFields = once(() => ({
  tool_name: withDescription(z.string().check(z.minLength(1)), 'the name of the tool', 'run_shell_command'),
  tool_input: withDescription(createObjectSchema(), 'its arguments', { command: 'ls' }),
  mcp_context: markAsRare(
    withDescription(z.optional(createObjectSchema()), 'the MCP server of the tool, if it has one', {
      server_name: 'files',
    }),
  ),
  original_request_name: markAsRare(
    withDescription(
      z.optional(z.string()),
      'the tool that was first requested, if this call continues another',
      'search',
    ),
  ),
  tool_use_id: withDescription(z.optional(z.string()), 'the id of the call for the agent and its model', 'call_1'),
  call_id: withDescription(z.optional(z.string()), 'the id of the call, the same before and after the tool', 'call_1'),
}));

/** If the agent has an id for the call, hooks get it as `call_id` too. */
export const withCallId = <Payload extends { tool_use_id?: string | undefined; call_id?: string | undefined }>(
  payload: Payload,
): Payload =>
  payload.call_id !== undefined || payload.tool_use_id === undefined
    ? payload
    : { ...payload, call_id: payload.tool_use_id };

export const createPromptField = () =>
  withDescription(z.string(), 'what the user wrote', 'Write a test for the parser.');

export const createStopHookActiveField = () =>
  withDescription(
    z.optional(z.boolean()),
    'true if the agent continues because of a stop hook; let it end then',
    false,
  );

export const createStopCountField = () =>
  withDescription(
    z.optional(z.number()),
    'how often stop hooks made the agent continue for this prompt; if the agent omits it, the engine counts',
    0,
  );

export const createAgentTypeField = () =>
  withDescription(z.string().check(z.minLength(1)), 'the type of the other agent', 'reviewer');

export const createMcpFields = (mcpContext?: JsonRecord, originalName?: string) => ({
  ...(mcpContext === undefined ? {} : { mcp_context: mcpContext }),
  ...(originalName === undefined ? {} : { original_request_name: originalName }),
});

export const createChoiceSchema = <Word extends string>(words: Readonly<Record<string, Word>>) => {
  const known: readonly string[] = Object.values(words);
  const isWord = (value: unknown): boolean => typeof value === 'string' && known.includes(value.toLowerCase());
  return withJsonSchema(z.custom<Word>(isWord, `expected one of ${known.join(', ')}`), { enum: known, type: 'string' });
};

export const toolSubject = {
  from: 'toolName',
  compare: 'pattern',
  field: 'tool_name',
  of: (payload: { tool_name: string }) => payload.tool_name,
} as const;

export const createChoiceSubject = <Field extends string>(field: Field, words: Readonly<Record<string, string>>) => ({
  ...createTextSubject(field),
  words: Object.values(words),
});

export const createTextSubject = <Field extends string>(field: Field) => ({
  from: 'trigger' as const,
  compare: 'exact' as const,
  field,
  of: (payload: Readonly<Record<Field, string>>) => payload[field],
});
