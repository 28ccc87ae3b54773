// The same hooks in front of two SDKs: each call of the model says which translator its request is for.
import { createHooks, defineHook } from 'hookwright';
import { anthropicTranslator, openaiChatTranslator, translatorOf } from 'hookwright/translators';

const hooks = await createHooks({
  hooks: [
    defineHook({
      event: 'BeforeModel',
      name: 'no-keys',
      run: ({ llm_request: { messages } }) => {
        const redacted = messages.map(({ role, content }) => ({ role, content: content.replace(/sk-\w+/g, '[key]') }));
        return { hookSpecificOutput: { llm_request: { messages: redacted } } };
      },
    }),
  ],
});

const image = { type: 'image_url', image_url: { url: 'https://example.com/a.png' } };
const chat = {
  model: 'gpt',
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Use sk-123 on this.' }, image] }],
};
const message = { model: 'claude', max_tokens: 100, messages: [{ role: 'user', content: 'Use sk-123.' }] };

const { request } = await hooks.beforeModel({ request: chat, translator: openaiChatTranslator });
console.log(JSON.stringify(request.messages));
const other = await hooks.beforeModel({ request: message, translator: anthropicTranslator });
console.log(JSON.stringify(other.request.messages));

// By its shape, where an agent cannot know.
console.log(translatorOf(chat) === openaiChatTranslator);

const { faults } = await hooks.beforeModel({ request: chat, translator: anthropicTranslator });
console.log(faults[0].message);
await hooks.close();
