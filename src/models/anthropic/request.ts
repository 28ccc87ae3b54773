import { isRecord } from '../../kit/index.ts';
import { listOf } from '../json-tools.ts';
import { asMarkedUser, rolesBy } from '../sdk/entries.ts';
import type { RequestFacts } from '../sdk/request-translation.ts';
import { list, number } from '../sdk/setting-facts.ts';
import { createForOne, readTyped, type ToolChoiceFacts, words } from '../sdk/tool-choice.ts';
import { isNoOther } from '../shapes.ts';
import { typedParts } from '../text-parts.ts';
import type { MessagesRequest } from './messages-types.ts';

type Members = Readonly<Record<string, unknown>>;

const ownWords = { ...words, ANY: 'any' };

const tools: ToolChoiceFacts = {
  key: 'tool_choice',
  read: readTyped('name', ownWords),
  create: createForOne(
    (name) => ({ type: 'tool', name }),
    (mode) => ({ type: ownWords[mode] }),
  ),
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
    roleOf: rolesBy({ user: 'user', assistant: 'model', system: 'system' }),
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
