import { isRecord } from '../../kit/index.ts';
import type { HookToolConfig, LLMMessage } from '../../protocol/index.ts';
import { asMarkedUser } from '../sdk/entries.ts';
import type { RequestFacts } from '../sdk/request.ts';
import { list, number } from '../sdk/settings.ts';
import type { ToolChoiceFacts } from '../sdk/tool-choice.ts';
import { typedParts } from '../text-parts.ts';
import type { CallOptions } from './sdk-types.ts';

const roles: Readonly<Record<string, LLMMessage['role']>> = { user: 'user', assistant: 'model', system: 'system' };

const words = { AUTO: 'auto', ANY: 'required', NONE: 'none' } as const;

const readChoice = (choice: unknown): HookToolConfig => {
  if (!isRecord(choice)) return {};
  if (choice.type === 'auto') return { mode: 'AUTO' };
  if (choice.type === 'required') return { mode: 'ANY' };
  if (choice.type === 'none') return { mode: 'NONE' };
  return typeof choice.toolName === 'string' ? { mode: 'ANY', allowedFunctionNames: [choice.toolName] } : {};
};

/** There is one name or none; several are said by leaving the other tools out. */
const tools: ToolChoiceFacts = {
  key: 'toolChoice',
  read: readChoice,
  create: ({ mode = 'AUTO', allowedFunctionNames: names = [] }) => {
    const [toolName] = names;
    if (mode === 'ANY' && toolName !== undefined && names.length === 1) {
      return { choice: { type: 'tool', toolName }, holdsNames: true };
    }
    return { choice: { type: words[mode] }, holdsNames: false };
  },
  nameOf: ({ name }) => name,
};

const create = ({ role, content }: LLMMessage): object =>
  role === 'model'
    ? { role: 'assistant', content: [{ type: 'text', text: content }] }
    : { role: 'user', content: [{ type: 'text', text: content }] };

export const request: RequestFacts<CallOptions> = {
  expected: '`prompt`, a list of messages',
  isOwn: ({ prompt }) => Array.isArray(prompt),
  messages: 'prompt',
  entries: {
    roleOf: ({ role }) => (typeof role === 'string' && Object.hasOwn(roles, role) ? roles[role] : undefined),
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
