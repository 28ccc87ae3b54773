// An agent of OpenAI Agents with hooks around its model, its tools and its handoffs. The model is a stub.
import { Agent, run, setTracingDisabled, tool, Usage } from '@openai/agents';
import { createHooks } from 'hookwright';
import { hookedAgent } from 'hookwright/openai-agents';
import { z } from 'zod';

setTracingDisabled(true);
const readFile = tool({
  name: 'readFile',
  description: 'Reads a file.',
  parameters: z.object({ path: z.string() }),
  execute: ({ path }) => `the contents of ${path}`,
});
const reader = new Agent({ name: 'reader', instructions: 'Read files.', model: stubModel(), tools: [readFile] });

const hooks = await createHooks();
const agent = hookedAgent(hooks, reader);

hooks.on('BeforeTool', ({ tool_input }) =>
  String(tool_input.path).startsWith('/etc')
    ? { decision: 'deny', reason: 'system files are not for agents' }
    : undefined,
);
hooks.on('BeforeModel', () => ({ hookSpecificOutput: { llm_request: { config: { temperature: 0 } } } }));

const { finalOutput } = await run(agent, 'What do these two files say?');
console.log('the agent said:', finalOutput);
await hooks.close();

function stubModel() {
  const call = (callId, path) => ({
    type: 'function_call',
    callId,
    name: 'readFile',
    status: 'completed',
    arguments: JSON.stringify({ path }),
  });
  const content = [{ type: 'output_text', text: 'One says something.' }];
  const answers = [
    [call('1', 'notes.txt'), call('2', '/etc/passwd')],
    [{ type: 'message', role: 'assistant', status: 'completed', content }],
  ];
  return {
    getResponse: async ({ input, modelSettings }) => {
      console.log('the model was asked at temperature', modelSettings.temperature);
      for (const { type, output } of input)
        if (type === 'function_call_result') console.log('the model got:', output.text);
      return { output: answers.shift(), usage: new Usage() };
    },
  };
}
