// An agent of the Vercel AI SDK with hooks around its model and its tools. The model is a stub, so that this runs anywhere.
import { generateText, stepCountIs, tool } from 'ai';
import { MockLanguageModelV3 } from 'ai/test';
import { createHooks } from 'hookwright';
import { hookedModel, hookedTools } from 'hookwright/ai-sdk';
import { z } from 'zod';

const model = stubModel();
const tools = {
  readFile: tool({ inputSchema: z.object({ path: z.string() }), execute: ({ path }) => `the contents of ${path}` }),
};

const hooks = await createHooks();
const agent = { model: hookedModel(hooks, model), tools: hookedTools(hooks, tools), stopWhen: stepCountIs(5) };

hooks.on('BeforeTool', ({ tool_input }) =>
  String(tool_input.path).startsWith('/etc')
    ? { decision: 'deny', reason: 'system files are not for agents' }
    : undefined,
);
hooks.on('BeforeModel', () => ({ hookSpecificOutput: { llm_request: { config: { temperature: 0 } } } }));

const { text } = await generateText({ ...agent, prompt: 'What do these two files say?' });
console.log('the agent said:', text);
await hooks.close();

function stubModel() {
  const call = (toolCallId, path) => ({
    type: 'tool-call',
    toolCallId,
    toolName: 'readFile',
    input: JSON.stringify({ path }),
  });
  const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
  const answers = [
    { content: [call('1', 'notes.txt'), call('2', '/etc/passwd')], finishReason: { unified: 'tool-calls' } },
    { content: [{ type: 'text', text: 'One says something.' }], finishReason: { unified: 'stop' } },
  ];
  return new MockLanguageModelV3({
    doGenerate: async ({ prompt, temperature }) => {
      console.log('the model was asked at temperature', temperature);
      for (const part of prompt.findLast(({ role }) => role === 'tool')?.content ?? []) {
        console.log('the model got:', JSON.stringify(part.output));
      }
      return { ...answers.shift(), usage, warnings: [] };
    },
  });
}
