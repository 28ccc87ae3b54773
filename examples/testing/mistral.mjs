// A translator for an SDK that none is there for: the client of Mistral. It is facts about the SDK, and no code that changes a
// conversation. mistral.test.mjs beside it says whether it is right.
import { rolesBy, SdkTranslator, typedParts } from 'hookwright/translators';

const words = { AUTO: 'auto', ANY: 'any', NONE: 'none' };
const modes = { auto: 'AUTO', any: 'ANY', required: 'ANY', none: 'NONE' };

const request = {
  expected: '`messages` with `role` and `content`',
  isOwn: ({ messages }) => Array.isArray(messages),
  messages: 'messages',
  entries: {
    // Results of tools have no role here: they are not shown to hooks, and stay behind their calls.
    roleOf: rolesBy({ user: 'user', assistant: 'model', system: 'system' }),
    parts: typedParts({ text: ['text'] }),
    create: ({ role, content }) => ({ role: role === 'model' ? 'assistant' : role, content }),
    withoutContent: (message) => (message.toolCalls ? { ...message, content: '' } : undefined),
    belongTogether: (_message, next) => next.role === 'tool',
  },
  settings: [
    { name: 'temperature', keys: ['temperature'] },
    { name: 'topP', keys: ['topP'] },
    { name: 'maxOutputTokens', keys: ['maxTokens'] },
    { name: 'seed', keys: ['randomSeed'] },
    { name: 'stopSequences', keys: ['stop'], isList: true },
  ],
  tools: {
    key: 'toolChoice',
    read: (choice) => {
      if (choice?.function) return { mode: 'ANY', allowedFunctionNames: [choice.function.name] };
      return Object.hasOwn(modes, choice) ? { mode: modes[choice] } : {};
    },
    // It has a word for one name. Of several, the other tools are left out of the request.
    create: ({ mode = 'AUTO', allowedFunctionNames: names = [] }) =>
      mode === 'ANY' && names.length === 1
        ? { choice: { type: 'function', function: { name: names[0] } }, holdsNames: true }
        : { choice: words[mode], holdsNames: false },
    nameOf: (tool) => tool.function?.name,
  },
  create: (model) => ({ model, messages: [] }),
};

const textOf = ({ message }) => message?.content;

const response = {
  expected: '`choices`',
  isOwn: ({ choices }) => Array.isArray(choices),
  candidatesOf: ({ choices }) => choices,
  withCandidates: (_response, choices) => ({ choices }),
  textsOf: (choice) => (textOf(choice) ? [textOf(choice)] : []),
  withTexts: (choice, texts) => ({ ...choice, message: { ...choice.message, content: texts.join('') } }),
  finishOf: ({ finishReason }) => finishReason,
  withFinish: (choice, finishReason) => ({ ...choice, finishReason }),
  finishWords: { stop: 'STOP', tool_calls: 'STOP', length: 'MAX_TOKENS', model_length: 'MAX_TOKENS' },
  usage: {
    promptTokenCount: ['promptTokens'],
    candidatesTokenCount: ['completionTokens'],
    totalTokenCount: ['totalTokens'],
  },
  createCandidate: (index) => ({ index, message: { role: 'assistant', content: '' }, finishReason: 'stop' }),
  create: () => ({ id: 'hookwright', object: 'chat.completion', model: '', created: 0, choices: [], usage: {} }),
};

/** What the pieces of a stream come to. */
const join = (events) => {
  const whole = response.create();
  for (const { data } of events) {
    const { choices, ...rest } = data;
    Object.assign(whole, rest);
    for (const { index, delta, finishReason } of choices) {
      whole.choices[index] ??= response.createCandidate(index);
      const choice = whole.choices[index];
      choice.message.content += delta.content ?? '';
      if (delta.toolCalls) choice.message.toolCalls = [...(choice.message.toolCalls ?? []), ...delta.toolCalls];
      if (finishReason) choice.finishReason = finishReason;
    }
  }
  return whole;
};

export const mistralTranslator = new SdkTranslator({
  name: 'mistral',
  looksLike: ['openai-chat'],
  request,
  response,
  noTools: {},
  join,
});
