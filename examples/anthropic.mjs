// An agent on `@anthropic-ai/sdk`, with hooks around its model and its tools. The client is a stub, so that this runs
// anywhere; yours is `new Anthropic()`.
import { createHooks } from 'hookwright';
import { anthropicTranslator } from 'hookwright/translators';

const client = stubClient();
const tools = { read_file: ({ path }) => `the contents of ${path}` };

const hooks = await createHooks({ deps: { translator: anthropicTranslator } });

async function askModel(request) {
  const before = await hooks.beforeModel({ request });
  if (before.response) return before.response; // a hook answered in the model's place
  if (before.verdict === 'deny' || before.verdict === 'stop') throw new Error(before.reason);
  const response = await client.messages.create(before.request);
  const after = await hooks.afterModel({ request: before.request, response });
  if (after.verdict === 'deny' || after.verdict === 'stop') throw new Error(after.reason);
  return after.response;
}

async function runTool({ id, name, input }) {
  const { output, blocked, withheld, stopped } = await hooks.callTool(name, input, tools[name], { id });
  if (stopped) throw new Error(stopped.reason);
  const content = blocked ? `Not run: ${blocked.reason}` : withheld ? `Withheld: ${withheld.reason}` : output;
  return { type: 'tool_result', tool_use_id: id, content };
}

async function answer(prompt) {
  const messages = [{ role: 'user', content: prompt }];
  for (;;) {
    const { content } = await askModel({ model: 'claude-sonnet-4-5', max_tokens: 1000, messages });
    messages.push({ role: 'assistant', content });
    const calls = content.filter(({ type }) => type === 'tool_use');
    if (calls.length === 0) return content.map(({ text }) => text).join('');
    messages.push({ role: 'user', content: await Promise.all(calls.map(runTool)) });
  }
}

hooks.on('BeforeTool', ({ tool_input }) =>
  tool_input.path.startsWith('/etc') ? { decision: 'deny', reason: 'system files are not for agents' } : undefined,
);
hooks.on('BeforeModel', () => ({ hookSpecificOutput: { llm_request: { config: { temperature: 0 } } } }));

console.log('the agent said:', await answer('What do these two files say?'));
await hooks.close();

function stubClient() {
  const call = (id, path) => ({ type: 'tool_use', id, name: 'read_file', input: { path } });
  const answers = [[call('1', 'notes.txt'), call('2', '/etc/passwd')], [{ type: 'text', text: 'One says something.' }]];
  const create = async ({ messages, temperature }) => {
    console.log('the model was asked at temperature', temperature);
    const { content } = messages.at(-1);
    for (const part of content) if (part.type === 'tool_result') console.log('the model got:', part.content);
    return { type: 'message', role: 'assistant', content: answers.shift(), stop_reason: 'end_turn' };
  };
  return { messages: { create } };
}
