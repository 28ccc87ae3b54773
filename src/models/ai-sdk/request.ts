import type { LLMMessage } from '../../protocol/index.ts';
import { asMarkedUser, rolesBy } from '../sdk/entries.ts';
import type { RequestFacts } from '../sdk/request.ts';
import { list, number } from '../sdk/settings.ts';
import { createForOne, readTyped, type ToolChoiceFacts, words } from '../sdk/tool-choice.ts';
import { typedParts } from '../text-parts.ts';
import type { SdkCallOptions } from './sdk-types.ts';

const tools: ToolChoiceFacts = {
  key: 'toolChoice',
  read: readTyped('toolName'),
  create: createForOne(
    (toolName) => ({ type: 'tool', toolName }),
    (mode) => ({ type: words[mode] }),
  ),
  nameOf: ({ name }) => name,
};

const create = ({ role, content }: LLMMessage): object =>
  role === 'model'
    ? { role: 'assistant', content: [{ type: 'text', text: content }] }
    : { role: 'user', content: [{ type: 'text', text: content }] };

export const request: RequestFacts<SdkCallOptions> = {
  expected: '`prompt`, a list of messages',
  isOwn: ({ prompt }) => Array.isArray(prompt),
  messages: 'prompt',
  entries: {
    roleOf: rolesBy({ user: 'user', assistant: 'model', system: 'system' }),
    parts: typedParts({ text: ['text'], leading: ['reasoning'] }),
    // Several providers refuse a system message after the first message of the user.
    create: asMarkedUser(create),
    belongTogether: (_one, { role }) => role === 'tool',
  },
  settings: [
    number('temperature', 'temperature'),
    number('maxOutputTokens', 'maxOutputTokens'),
    number('topP', 'topP'),
    number('topK', 'topK'),
    number('seed', 'seed'),
    number('presencePenalty', 'presencePenalty'),
    number('frequencyPenalty', 'frequencyPenalty'),
    list('stopSequences', 'stopSequences'),
  ],
  tools,
  create: (model) => (model === '' ? { prompt: [] } : { model, prompt: [] }),
};
