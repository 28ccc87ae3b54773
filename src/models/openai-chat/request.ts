import { isRecord } from '../../kit/index.ts';
import { roleOf, toolChoice } from '../sdk/openai.ts';
import { type RequestFacts, withChanges } from '../sdk/request.ts';
import { list, number } from '../sdk/settings.ts';
import { isNoOther } from '../shapes.ts';
import { typedParts } from '../text-parts.ts';
import type { ChatRequest } from './sdk-types.ts';

/** An assistant may be silent as long as it does something. */
const otherParts = ['tool_calls', 'function_call', 'audio', 'refusal'];

const tools = toolChoice({
  ofTool: (name) => ({ type: 'function', function: { name } }),
  nameOf: (tool) => (isRecord(tool.function) ? tool.function : isRecord(tool.custom) ? tool.custom : tool).name,
  ofTools: (allowed) => ({ type: 'allowed_tools', allowed_tools: allowed }),
  allowedIn: ({ allowed_tools: allowed }) => allowed,
});

export const request: RequestFacts<ChatRequest> = {
  expected: '`messages` with `role` and `content`',
  isOwn: (request) => Array.isArray(request.messages) && isNoOther('request', 'openai-chat', request),
  messages: 'messages',
  entries: {
    // Results of tools are no messages to hooks: they belong to the calls before them.
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
