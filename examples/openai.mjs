// An agent on the `openai` package, with hooks around its model and its tools. The client is a stub, so that this runs
// anywhere; yours is `new OpenAI()`.
import { createHooks } from 'hookwright';
import { openaiChatTranslator } from 'hookwright/translators';

const client = stubClient();
const tools = { read_file: ({ path }) => `the contents of ${path}` };

const hooks = await createHooks({ deps: { translator: openaiChatTranslator } });

async function askModel(request) {
  const before = await hooks.beforeModel({ request });
  if (before.response) return before.response; // a hook answered in the model's place
  if (before.verdict === 'deny' || before.verdict === 'stop') throw new Error(before.reason);
  const response = await client.chat.completions.create(before.request);
  const after = await hooks.afterModel({ request: before.request, response });
  if (after.verdict === 'deny' || after.verdict === 'stop') throw new Error(after.reason);
  return after.response;
}

async function runTool({ id, function: { name, arguments: json } }) {
  const { output, blocked, withheld, stopped } = await hooks.callTool(name, JSON.parse(json), tools[name], { id });
  if (stopped) throw new Error(stopped.reason);
  const content = blocked ? `Not run: ${blocked.reason}` : withheld ? `Withheld: ${withheld.reason}` : output;
  return { role: 'tool', tool_call_id: id, content };
}

async function answer(prompt) {
  const messages = [{ role: 'user', content: prompt }];
  for (;;) {
    const { choices } = await askModel({ model: 'gpt-5', messages });
    const [{ message }] = choices;
    messages.push(message);
    if (!message.tool_calls) return message.content;
    for (const call of message.tool_calls) messages.push(await runTool(call));
  }
}

hooks.on('BeforeTool', ({ tool_input }) =>
  tool_input.path.startsWith('/etc') ? { decision: 'deny', reason: 'system files are not for agents' } : undefined,
);
hooks.on('BeforeModel', () => ({ hookSpecificOutput: { llm_request: { config: { temperature: 0 } } } }));

console.log('the agent said:', await answer('What do these two files say?'));
await hooks.close();

function stubClient() {
  const call = (id, path) => ({
    id,
    type: 'function',
    function: { name: 'read_file', arguments: JSON.stringify({ path }) },
  });
  const answers = [
    { role: 'assistant', content: null, tool_calls: [call('1', 'notes.txt'), call('2', '/etc/passwd')] },
    { role: 'assistant', content: 'One says something.' },
  ];
  const create = async ({ messages, temperature }) => {
    console.log('the model was asked at temperature', temperature);
    for (const { role, content } of messages) if (role === 'tool') console.log('the model got:', content);
    return { choices: [{ index: 0, finish_reason: 'stop', message: answers.shift() }] };
  };
  return { chat: { completions: { create } } };
}
