// An agent of LangChain 1 with hooks around its prompts, its model and its tools. The model is a stub, so that this runs anywhere.
import { createHooks } from 'hookwright';
import { hooksMiddleware } from 'hookwright/langchain';
import { AIMessage, createAgent, fakeModel, tool } from 'langchain';
import { z } from 'zod';

const model = stubModel();
const readFile = tool(({ path }) => `the contents of ${path}`, {
  name: 'readFile',
  description: 'Reads a file.',
  schema: z.object({ path: z.string() }),
});
const tools = [readFile];

const hooks = await createHooks();
const agent = createAgent({ model, tools, middleware: [hooksMiddleware(hooks)] });

hooks.on('BeforeTool', ({ tool_input }) =>
  String(tool_input.path).startsWith('/etc')
    ? { decision: 'deny', reason: 'system files are not for agents' }
    : undefined,
);
hooks.on('BeforeAgent', () => ({ hookSpecificOutput: { additionalContext: 'Be brief.' } }));

const { messages } = await agent.invoke({ messages: 'What do these two files say?' });
console.log('the agent said:', messages.at(-1).text);
await hooks.close();

function stubModel() {
  const call = (id, path) => ({ id, name: 'readFile', args: { path } });
  const answer = (conversation) => {
    for (const { type, content } of conversation) if (type === 'human') console.log('the user said:', content);
    for (const { type, content } of conversation) if (type === 'tool') console.log('the model got:', content);
    return new AIMessage('One says something.');
  };
  return fakeModel()
    .respondWithTools([call('1', 'notes.txt'), call('2', '/etc/passwd')])
    .respond(answer);
}
