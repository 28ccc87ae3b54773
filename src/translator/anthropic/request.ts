import { isRecord } from '../../kit/index.ts';
import type { HookToolConfig, LLMMessage } from '../../protocol/index.ts';
import { listOf } from '../json-tools.ts';
import { asMarkedUser } from '../sdk/entries.ts';
import type { RequestFacts } from '../sdk/request.ts';
import { list, number } from '../sdk/settings.ts';
import type { ToolChoiceFacts } from '../sdk/tool-choice.ts';
import { isNoOther } from '../shapes.ts';
import { typedParts } from '../text-parts.ts';
import type { MessagesRequest } from './sdk-types.ts';

type Members = Readonly<Record<string, unknown>>;

const roles: Readonly<Record<string, LLMMessage['role']>> = { user: 'user', assistant: 'model', system: 'system' };

const words = { AUTO: 'auto', ANY: 'any', NONE: 'none' } as const;

const readChoice = (choice: unknown): HookToolConfig => {
  if (!isRecord(choice)) return {};
  if (choice.type === 'auto') return { mode: 'AUTO' };
  if (choice.type === 'any') return { mode: 'ANY' };
  if (choice.type === 'none') return { mode: 'NONE' };
  return typeof choice.name === 'string' ? { mode: 'ANY', allowedFunctionNames: [choice.name] } : {};
};

/** There is one name or none; several are said by leaving the other tools out. */
const tools: ToolChoiceFacts = {
  key: 'tool_choice',
  read: readChoice,
  create: ({ mode = 'AUTO', allowedFunctionNames: names = [] }) => {
    const [name] = names;
    if (mode === 'ANY' && name !== undefined && names.length === 1) {
      return { choice: { type: 'tool', name }, holdsNames: true };
    }
    return { choice: { type: words[mode] }, holdsNames: false };
  },
  nameOf: ({ name }) => name,
};

const hasBlock = ({ content }: Members, type: string): boolean =>
  listOf(content).some((block) => isRecord(block) && block.type === type);

export const request: RequestFacts<MessagesRequest> = {
  expected: '`messages` and `max_tokens`',
  isOwn: (request) =>
    Array.isArray(request.messages) &&
    typeof request.max_tokens === 'number' &&
    isNoOther('request', 'anthropic', request),
  messages: 'messages',
  entries: {
    roleOf: ({ role }) => (typeof role === 'string' && Object.hasOwn(roles, role) ? roles[role] : undefined),
    parts: typedParts({ text: ['text'], leading: ['thinking', 'redacted_thinking'], positional: { citations: null } }),
    create: asMarkedUser(({ role, content }) => ({ role: role === 'model' ? 'assistant' : role, content })),
    belongTogether: (one, other) => hasBlock(one, 'tool_use') && hasBlock(other, 'tool_result'),
  },
  settings: [
    number('temperature', 'temperature'),
    { ...number('maxOutputTokens', 'max_tokens'), required: true },
    number('topP', 'top_p'),
    number('topK', 'top_k'),
    list('stopSequences', 'stop_sequences'),
  ],
  tools,
  create: (model) => ({ model, max_tokens: 4096, messages: [] }),
};
