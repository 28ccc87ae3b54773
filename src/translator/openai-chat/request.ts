import { isRecord } from '../../kit/index.ts';
import type { HookToolConfig, LLMMessage } from '../../protocol/index.ts';
import { listOf } from '../json-tools.ts';
import { type RequestFacts, withChanges } from '../sdk/request.ts';
import { list, number } from '../sdk/settings.ts';
import type { ToolChoiceFacts } from '../sdk/tool-choice.ts';
import { isNoOther } from '../shapes.ts';
import { typedParts } from '../text-parts.ts';
import type { ChatRequest } from './sdk-types.ts';

/** Results of tools are no messages to hooks: they belong to the calls before them. */
const roles: Readonly<Record<string, LLMMessage['role']>> = {
  user: 'user',
  assistant: 'model',
  system: 'system',
  developer: 'system',
};

const roleOf = ({ role }: Readonly<Record<string, unknown>>): LLMMessage['role'] | undefined =>
  typeof role === 'string' && Object.hasOwn(roles, role) ? roles[role] : undefined;

/** An assistant may be silent as long as it does something. */
const otherParts = ['tool_calls', 'function_call', 'audio', 'refusal'];

const words = { AUTO: 'auto', ANY: 'required', NONE: 'none' } as const;

const nameOf = (tool: unknown): unknown => {
  if (!isRecord(tool)) return undefined;
  const inner = isRecord(tool.function) ? tool.function : isRecord(tool.custom) ? tool.custom : tool;
  return inner.name;
};

const namesOf = (tools: unknown): string[] =>
  listOf(tools)
    .map(nameOf)
    .filter((name) => typeof name === 'string');

const readChoice = (choice: unknown): HookToolConfig => {
  if (choice === 'auto') return { mode: 'AUTO' };
  if (choice === 'required') return { mode: 'ANY' };
  if (choice === 'none') return { mode: 'NONE' };
  if (!isRecord(choice)) return {};
  if (isRecord(choice.allowed_tools)) {
    const { mode, tools } = choice.allowed_tools;
    return { mode: mode === 'required' ? 'ANY' : 'AUTO', allowedFunctionNames: namesOf(tools) };
  }
  const name = nameOf(choice);
  return typeof name === 'string' ? { mode: 'ANY', allowedFunctionNames: [name] } : {};
};

const toFunction = (name: string) => ({ type: 'function', function: { name } });

const tools: ToolChoiceFacts = {
  key: 'tool_choice',
  read: readChoice,
  create: ({ mode = 'AUTO', allowedFunctionNames: names }) => {
    if (names === undefined || mode === 'NONE') return { choice: words[mode], holdsNames: mode === 'NONE' };
    const [name] = names;
    if (mode === 'ANY' && name !== undefined && names.length === 1)
      return { choice: toFunction(name), holdsNames: true };
    const allowed = { mode: words[mode], tools: names.map(toFunction) };
    return { choice: { type: 'allowed_tools', allowed_tools: allowed }, holdsNames: true };
  },
  nameOf,
};

export const request: RequestFacts<ChatRequest> = {
  expected: '`messages` with `role` and `content`',
  isOwn: (request) => Array.isArray(request.messages) && isNoOther('request', 'openai-chat', request),
  messages: 'messages',
  entries: {
    roleOf,
    parts: typedParts({ text: ['text'] }),
    create: ({ role, content }) => ({ role: role === 'model' ? 'assistant' : role, content }),
    withoutContent: (entry) =>
      otherParts.some((part) => entry[part] != null) ? withChanges(entry, { content: null }) : undefined,
    belongTogether: (_one, { role }) => role === 'tool' || role === 'function',
  },
  settings: [
    number('temperature', 'temperature'),
    number('maxOutputTokens', 'max_completion_tokens', 'max_tokens'),
    number('topP', 'top_p'),
    number('candidateCount', 'n'),
    number('seed', 'seed'),
    number('presencePenalty', 'presence_penalty'),
    number('frequencyPenalty', 'frequency_penalty'),
    list('stopSequences', 'stop'),
  ],
  tools,
  create: (model) => ({ model, messages: [] }),
};
