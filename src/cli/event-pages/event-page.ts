/** Describes an event for hook authors: fields, answers and an example. `events` and docs/events show it. */
import * as z from 'zod/mini';
import { catalogue, type HookEventName } from '../../events/index.ts';
import { isRecord, textOf } from '../../kit/index.ts';
import { defaultHookTranslator } from '../../models/index.ts';
import type { BaseHookInput, SpecificField } from '../../protocol/index.ts';

export interface PageField {
  readonly name: string;
  readonly type: string;
  readonly words: string;
  readonly example?: unknown;
  readonly isOptional?: true | undefined;
  readonly isRare?: true | undefined;
}

export interface EventPage {
  readonly name: HookEventName;
  readonly when: string;
  readonly alsoCalled: readonly string[];
  readonly matcher:
    | { readonly field: string; readonly words: string; readonly values: readonly string[] | undefined }
    | undefined;
  readonly reads: readonly PageField[];
  readonly stdin: Readonly<Record<string, unknown>>;
  readonly answers: readonly PageField[];
  readonly exitCodes: readonly { readonly code: string; readonly words: string }[];
}

const baseFields: { readonly [Key in keyof BaseHookInput]: Omit<PageField, 'name' | 'type'> } = {
  session_id: { words: 'the session of the agent', example: 's1' },
  transcript_path: { words: 'the file of the conversation; empty if the agent keeps none', example: '' },
  cwd: { words: 'the working directory of the agent', example: '/home/me/project' },
  hook_event_name: { words: 'the event' },
  timestamp: { words: 'when the event was fired', example: '2026-01-31T12:00:00.000Z' },
};

const toJsonSchema = (eventName: HookEventName): Record<string, unknown> => {
  const { payload, described = payload } = catalogue[eventName];
  return z.toJSONSchema(described(), { io: 'input', unrepresentable: 'any', target: 'draft-7' });
};

export const createPayloadJsonSchema = (eventName: HookEventName): unknown => ({
  title: eventName,
  description: `The payload of ${eventName}: ${catalogue[eventName].when}.`,
  ...toJsonSchema(eventName),
});

const describeType = (value: unknown): string => {
  if (Array.isArray(value)) return 'list';
  return value === null ? 'anything' : typeof value;
};

const toPageField = (name: string, schema: unknown, isRequired: boolean): PageField => {
  const { type, enum: words, description, examples, 'x-rare': rare } = isRecord(schema) ? schema : {};
  const [example] = Array.isArray(examples) ? examples : [];
  const choices = Array.isArray(words) ? words.map((one) => JSON.stringify(one)).join(', ') : undefined;
  return {
    name,
    type: choices ?? textOf(type) ?? 'anything',
    words: textOf(description) ?? '',
    example,
    isOptional: isRequired ? undefined : true,
    isRare: rare === true || undefined,
  };
};

const listPayloadFields = (eventName: HookEventName): PageField[] => {
  const { properties, required } = toJsonSchema(eventName);
  const needed: readonly unknown[] = Array.isArray(required) ? required : [];
  return Object.entries(isRecord(properties) ? properties : {}).map(([name, schema]) =>
    toPageField(name, schema, needed.includes(name)),
  );
};

const createSamplePayload = (eventName: HookEventName, fields: readonly PageField[]): Record<string, unknown> => ({
  ...catalogue[eventName].sample,
  ...Object.fromEntries(
    fields.flatMap(({ name, example, isRare }) => (example === undefined || isRare ? [] : [[name, example]])),
  ),
});

const createHookFields = <E extends HookEventName>(eventName: E, payload: unknown): Record<string, unknown> => {
  const read = catalogue[eventName].read(payload);
  if (!read.ok) throw new TypeError(`the examples of ${eventName} are no payload: ${read.message}`);
  return { ...catalogue[eventName].toFields(read.payload, defaultHookTranslator) };
};

const listSharedAnswerFields = (eventName: HookEventName): PageField[] => {
  const { holdsUp, denied } = catalogue[eventName];
  const deny = denied ?? (holdsUp === true ? 'it stops' : 'nothing is stopped here; the verdict is shown');
  return [
    {
      name: 'decision',
      type: 'string',
      words: `"deny" (${deny}), "ask" (a person is asked) or "allow"; the strictest of all hooks counts`,
      example: 'deny',
    },
    {
      name: 'reason',
      type: 'string',
      words: 'the reason, for the model or the person',
      example: 'not on a Friday',
    },
    {
      name: 'systemMessage',
      type: 'string',
      words: 'a message for the user, whatever the decision; the model reads it, too',
      example: 'It was logged.',
    },
    {
      name: 'suppressOutput',
      type: 'boolean',
      words: 'true hides the result in the user interface',
      example: true,
    },
    { name: 'continue', type: 'boolean', words: 'false stops the agent', example: false },
    { name: 'stopReason', type: 'string', words: 'why it is stopped', example: 'out of budget' },
  ];
};

const specificFields: Readonly<Record<SpecificField, Omit<PageField, 'name'>>> = {
  hookEventName: { type: 'string', words: 'the event; may be left out' },
  additionalContext: { type: 'string', words: 'more context for the model', example: 'Use tabs here.' },
  tool_input: {
    type: 'object',
    words: 'arguments to replace, by name',
    example: { command: 'ls --color=never' },
  },
  llm_request: {
    type: 'object',
    words: 'fields of the request to replace: model, messages, config, toolConfig',
    example: { config: { temperature: 0 } },
  },
  llm_response: {
    type: 'object',
    words: 'a response that replaces that of the model',
    example: { candidates: [{ content: { role: 'model', parts: ['No.'] } }] },
  },
  toolConfig: {
    type: 'object',
    words: 'which tools the model may call: mode (AUTO, ANY, NONE) and allowedFunctionNames',
    example: { mode: 'ANY', allowedFunctionNames: ['read_file'] },
  },
  clearContext: { type: 'boolean', words: 'true clears the conversation', example: true },
  updatedOutput: {
    type: 'anything',
    words: 'another result in place of the tool’s, in the form of tool_response or as a text',
    example: { llmContent: 'key: [redacted]' },
  },
  tailToolCallRequest: {
    type: 'object',
    words: 'a tool to call next: name and args',
    example: { name: 'run_tests', args: {} },
  },
};

const listDataFields = (eventName: HookEventName): PageField[] => {
  const { keepsData } = catalogue[eventName];
  if (keepsData === undefined || keepsData === true) return [];
  return Object.entries(keepsData).map(([name, field]) => ({ name: `hookSpecificOutput.${name}`, ...field }));
};

const listAnswerFields = (eventName: HookEventName): PageField[] => [
  ...listSharedAnswerFields(eventName),
  ...catalogue[eventName].supports.map((field) => ({ name: `hookSpecificOutput.${field}`, ...specificFields[field] })),
  ...listDataFields(eventName),
];

const findMatcher = (eventName: HookEventName): EventPage['matcher'] => {
  const { subject } = catalogue[eventName];
  if (subject === undefined) return undefined;
  const { field, compare, words } = subject;
  const how = compare === 'pattern' ? 'a regular expression that may match anywhere in it' : 'the whole word';
  return { field, words: how, values: words };
};

export const createEventPage = (eventName: HookEventName): EventPage => {
  const { when, alsoCalled = [] } = catalogue[eventName];
  const own = listPayloadFields(eventName);
  const seen = createHookFields(eventName, createSamplePayload(eventName, own));
  const added = Object.entries(seen)
    .filter(([name]) => own.every((field) => field.name !== name))
    .map(([name, example]) => ({ name, type: describeType(example), words: 'an older name of the same', example }));
  const always = Object.entries(baseFields).map(([name, field]): PageField => {
    const example = name === 'hook_event_name' ? eventName : field.example;
    return { name, type: 'string', ...field, example };
  });
  return {
    name: eventName,
    when,
    alsoCalled,
    matcher: findMatcher(eventName),
    reads: [...own, ...added, ...always],
    stdin: { ...Object.fromEntries(always.map(({ name, example }) => [name, example])), ...seen },
    answers: listAnswerFields(eventName),
    exitCodes: [
      { code: '0', words: 'stdout counts: JSON is the answer, other text is a message, nothing is no opinion' },
      { code: '2', words: 'deny, whatever stdout has; stderr is the reason' },
      { code: 'other', words: 'the hook failed: its onFault decides; by default the agent goes on' },
    ],
  };
};
