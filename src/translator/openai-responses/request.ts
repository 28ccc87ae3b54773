import { isRecord } from '../../kit/index.ts';
import type { HookToolConfig, LLMMessage } from '../../protocol/index.ts';
import { listOf } from '../json-tools.ts';
import type { RequestFacts } from '../sdk/request.ts';
import { number } from '../sdk/settings.ts';
import type { ToolChoiceFacts } from '../sdk/tool-choice.ts';
import { isNoOther } from '../shapes.ts';
import { typedParts } from '../text-parts.ts';
import type { ResponsesRequest } from './sdk-types.ts';

const roles: Readonly<Record<string, LLMMessage['role']>> = {
  user: 'user',
  assistant: 'model',
  system: 'system',
  developer: 'system',
};

/** Items that are no messages (calls, their results, reasoning, references) have no role. */
const roleOf = ({ role }: Readonly<Record<string, unknown>>): LLMMessage['role'] | undefined =>
  typeof role === 'string' && Object.hasOwn(roles, role) ? roles[role] : undefined;

const words = { AUTO: 'auto', ANY: 'required', NONE: 'none' } as const;

const nameOf = (tool: unknown): unknown => (isRecord(tool) ? tool.name : undefined);

const readChoice = (choice: unknown): HookToolConfig => {
  if (choice === 'auto') return { mode: 'AUTO' };
  if (choice === 'required') return { mode: 'ANY' };
  if (choice === 'none') return { mode: 'NONE' };
  if (!isRecord(choice)) return {};
  if (choice.type === 'allowed_tools') {
    const names = listOf(choice.tools)
      .map(nameOf)
      .filter((name) => typeof name === 'string');
    return { mode: choice.mode === 'required' ? 'ANY' : 'AUTO', allowedFunctionNames: names };
  }
  return typeof choice.name === 'string' ? { mode: 'ANY', allowedFunctionNames: [choice.name] } : {};
};

const toFunction = (name: string) => ({ type: 'function', name });

const tools: ToolChoiceFacts = {
  key: 'tool_choice',
  read: readChoice,
  create: ({ mode = 'AUTO', allowedFunctionNames: names }) => {
    if (names === undefined || mode === 'NONE') return { choice: words[mode], holdsNames: mode === 'NONE' };
    const [name] = names;
    if (mode === 'ANY' && name !== undefined && names.length === 1)
      return { choice: toFunction(name), holdsNames: true };
    return { choice: { type: 'allowed_tools', mode: words[mode], tools: names.map(toFunction) }, holdsNames: true };
  },
  nameOf,
};

/** A call and its result, and a thought and what it leads to: the API refuses one without the other right behind it. */
const belongTogether = (one: Readonly<Record<string, unknown>>, other: Readonly<Record<string, unknown>>): boolean =>
  one.type === 'reasoning' || (typeof other.type === 'string' && other.type.endsWith('_output'));

export const request: RequestFacts<ResponsesRequest> = {
  expected: '`input`',
  isOwn: (request) =>
    (typeof request.input === 'string' || Array.isArray(request.input)) &&
    isNoOther('request', 'openai-responses', request),
  messages: 'input',
  entries: {
    roleOf,
    parts: typedParts({ text: ['input_text', 'output_text'], positional: { annotations: [], logprobs: undefined } }),
    create: ({ role, content }) => ({ role: role === 'model' ? 'assistant' : role, content }),
    belongTogether,
    ofText: (content) => ({ role: 'user', content }),
  },
  settings: [
    number('temperature', 'temperature'),
    number('maxOutputTokens', 'max_output_tokens'),
    number('topP', 'top_p'),
  ],
  tools,
  create: (model) => ({ model, input: [] }),
};
