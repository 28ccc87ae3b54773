import type {
  LangChainEntry,
  LangChainRequest,
  LangChainResponse,
  LangChainTools,
} from '../../../src/models/translators.ts';
import type { TranslatorSamples } from '../../../src/testing/index.ts';

const image = { type: 'image', url: 'https://example.com/a.png' };
const thought = { type: 'reasoning', reasoning: 'What may be in here?' };

/** As the adapter shows the messages of an agent. */
const messages: LangChainEntry[] = [
  { type: 'system', content: 'Be brief.' },
  { type: 'human', content: [{ type: 'text', text: 'What is in here?' }, image] },
  { type: 'ai', content: [thought, { type: 'text', text: 'I look.' }], callsTools: true },
  { type: 'tool', content: 'a b' },
  { type: 'ai', content: 'Two files.' },
  { type: 'human', content: 'Thanks.' },
];

const ls = { name: 'ls' };

export const langchain: TranslatorSamples<LangChainRequest, LangChainResponse, LangChainTools> = {
  requests: [
    { messages, model: 'm' },
    { messages: messages.slice(1), model: 'm', toolChoice: 'required', tools: [ls] },
  ],
  responses: [
    { content: [thought, { type: 'text', text: 'I look.' }], finish: 'tool_calls', usage: { input_tokens: 5 } },
    { content: 'No.', finish: 'length', usage: { input_tokens: 5, output_tokens: 3, total_tokens: 8 } },
  ],
  toolConfigs: [{ toolChoice: 'required', tools: [ls] }, { toolChoice: { type: 'function', function: ls } }],
  pieces: ({ messages: all }) =>
    all.flatMap(({ type, content }) =>
      type === 'tool'
        ? [{ tool: content }]
        : Array.isArray(content)
          ? content.map((part) => part.text ?? part)
          : [content],
    ),
};
