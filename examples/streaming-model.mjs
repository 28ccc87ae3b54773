// Hooks around a model that streams, and what AfterModel cannot undo.
import { createHooks, defineHook } from 'hookwright';

const hooks = await createHooks({
  hooks: [
    defineHook({
      event: 'BeforeModel',
      name: 'steady',
      run: () => ({ hookSpecificOutput: { llm_request: { config: { temperature: 0 } } } }),
    }),
    defineHook({
      event: 'BeforeToolSelection',
      name: 'read-only',
      run: () => ({ hookSpecificOutput: { toolConfig: { mode: 'ANY', allowedFunctionNames: ['read_file'] } } }),
    }),
    defineHook({
      event: 'AfterModel',
      name: 'redact-keys',
      run: ({ llm_response }) => {
        const { parts } = llm_response.candidates[0].content;
        const redacted = parts.map((text) => text.replace(/sk-\w+/g, '[redacted]'));
        return {
          hookSpecificOutput: { llm_response: { candidates: [{ content: { role: 'model', parts: redacted } }] } },
        };
      },
    }),
  ],
});

/** Tool selection first, then BeforeModel, then the model, then AfterModel once, with the complete response. */
async function callModel(model, original, show) {
  const { toolConfig, tools } = await hooks.beforeToolSelection({ request: original });
  const asked = { ...original, config: { ...original.config, toolConfig, tools } };
  const before = await hooks.beforeModel({ request: asked });
  if (before.response) return before.response; // a hook answered in the model's place
  if (isRefused(before)) return textResponse(before.reason);

  const chunks = [];
  for await (const chunk of model(before.request)) {
    show(chunk.candidates[0].content.parts[0].text); // from here on the user has read it
    chunks.push(chunk);
  }
  const after = await hooks.afterModel({ request: before.request, response: joined(chunks) });
  if (isRefused(after)) return textResponse(after.reason);
  return after.response; // for the history; what was shown stays as it was shown
}

function isRefused({ verdict }) {
  return verdict === 'deny' || verdict === 'stop';
}

const request = {
  model: 'stub',
  contents: [{ role: 'user', parts: [{ text: 'Which key do we use?' }] }],
  config: { temperature: 0.9, tools: [{ functionDeclarations: [{ name: 'read_file' }, { name: 'run_shell' }] }] },
};

console.log('1. Shown while it streams: AfterModel comes too late for the eyes of the user.');
let screen = '';
const kept = await callModel(stubModel, request, (text) => {
  screen += text;
});
console.log('   the user saw:    ', screen);
console.log('   the history has: ', textOf(kept));

console.log('2. Held back until AfterModel has spoken: no longer a stream, and nothing to undo.');
const held = await callModel(stubModel, request, () => {});
console.log('   the user saw:    ', textOf(held));

async function* stubModel({ config }) {
  const { temperature, toolConfig } = config;
  console.log('   the model got:   ', JSON.stringify({ temperature, toolConfig }));
  for (const text of ['The key is ', 'sk-1', '2345.']) yield textResponse(text);
}

function textResponse(text) {
  return { candidates: [{ content: { role: 'model', parts: [{ text }] } }] };
}

function textOf(response) {
  return response.candidates[0].content.parts.map(({ text }) => text).join('');
}

function joined(chunks) {
  return textResponse(chunks.map(textOf).join(''));
}
