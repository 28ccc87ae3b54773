import { roleOf, toolChoice } from '../sdk/openai.ts';
import type { RequestFacts } from '../sdk/request-translation.ts';
import { number } from '../sdk/setting-facts.ts';
import { isNoOther } from '../shapes.ts';
import { typedParts } from '../text-parts.ts';
import type { ResponsesRequest } from './responses-types.ts';

const tools = toolChoice({
  ofTool: (name) => ({ type: 'function', name }),
  nameOf: ({ name }) => name,
  ofTools: (allowed) => ({ type: 'allowed_tools', ...allowed }),
  allowedIn: (choice) => (choice.type === 'allowed_tools' ? choice : undefined),
});

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
    // Items that are no messages (calls, their results, reasoning, references) have no role.
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
