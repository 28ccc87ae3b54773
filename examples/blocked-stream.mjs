// A hook that comes before a stream: it answers in place of the model, or it is against the call. No stream is opened.
import { createHooks, defineHook } from 'hookwright';

const hooks = await createHooks({
  hooks: [
    defineHook({
      event: 'BeforeModel',
      name: 'knows-the-hours',
      run: ({ llm_request: { messages } }) => {
        if (!messages.at(-1).content.includes('open')) return undefined;
        const content = { role: 'model', parts: ['From nine to five.'] };
        return { decision: 'deny', hookSpecificOutput: { llm_response: { candidates: [{ content }] } } };
      },
    }),
    defineHook({
      event: 'BeforeModel',
      name: 'no-secrets',
      run: ({ llm_request: { messages } }) =>
        messages.at(-1).content.includes('password') ? { decision: 'deny', reason: 'no passwords here' } : undefined,
    }),
  ],
});

let opened = 0;

async function* openStream() {
  opened += 1;
  for (const text of ['I ', 'am a ', 'model.']) yield responseOf(text);
}

/** Yields what the user reads. */
async function* ask(text) {
  const request = { model: 'stub', contents: [{ role: 'user', parts: [{ text }] }] };
  const before = await hooks.beforeModel({ request });
  if (before.verdict === 'deny' || before.verdict === 'stop') {
    yield before.response ?? responseOf(`(not asked: ${before.reason})`);
    return;
  }
  yield* openStream(before.request);
}

for (const question of ['Who are you?', 'When are you open?', 'What is the password?']) {
  opened = 0;
  let answer = '';
  for await (const { candidates } of ask(question)) answer += candidates[0].content.parts[0].text;
  console.log(`${question.padEnd(22)} ${answer.padEnd(32)} streams: ${opened}`);
}

function responseOf(text) {
  return { candidates: [{ content: { role: 'model', parts: [{ text }] } }] };
}
