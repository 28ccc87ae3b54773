import { Command, MemorySaver } from '@langchain/langgraph';
import { Agent, tool as openaiTool, RunState } from '@openai/agents';
import { createAgent, HumanMessage, tool } from 'langchain';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { hookedTools } from '../../src/adapters/ai-sdk/index.ts';
import { hooksMiddleware } from '../../src/adapters/langchain/index.ts';
import { hookedAgent } from '../../src/adapters/openai-agents/index.ts';
import { createHooks, type HookDeps, memoryTokenStore, parkedCalls } from '../../src/index.ts';
import { calling, said, saying } from './langchain-model.ts';
import { call, message, runner, StubModel } from './openai-agents-support.ts';

const waits = 'the call waits for an approval and has not run; do not repeat it (really?)';

const asking = async (deps?: HookDeps) => {
  const hooks = await createHooks(deps === undefined ? {} : { deps });
  onTestFinished(() => hooks.close());
  hooks.on('BeforeTool', () => ({ decision: 'ask', reason: 'really?' }), { name: 'asks' });
  return hooks;
};

/** A host whose confirm parks; what runs a tool later stands beside the SDK. */
const parking = async () => {
  const tokens: string[] = [];
  const later: unknown[] = [];
  const hooks = await asking({
    parking: parkedCalls({
      key: 'a secret that all processes of the host have',
      store: memoryTokenStore(),
      runTool: (name, args) => later.push([name, args]),
    }),
    confirm: async (_question, context) => {
      const answer = await context?.park?.();
      if (answer !== undefined) tokens.push(answer.park);
      return answer ?? false;
    },
  });
  const approve = () => hooks.resume(tokens[0] ?? '', { approved: true, by: 'ann' });
  return { hooks, tokens, later, approve };
};

const listing = (ran: unknown[]) =>
  tool((input) => ran.push(input), { name: 'ls', description: 'Lists.', schema: z.object({ path: z.string() }) });

const listingAgent = (ran: unknown[]) =>
  new Agent({
    name: 'Lister',
    model: new StubModel([call('ls', { path: '/' })], [message('Done.')]),
    tools: [
      openaiTool({
        name: 'ls',
        description: 'Lists.',
        parameters: z.object({ path: z.string() }),
        execute: (input) => String(ran.push(input)),
      }),
    ],
  });

test('R1548 a call of LangChain that confirm parks interrupts no graph, the model reads that it waits, and it runs when it is resumed', async () => {
  const { hooks, later, approve } = await parking();
  const [ran, model] = [[] as unknown[], saying(calling({ name: 'ls', args: { path: '/' } }), said('Done.'))];
  const agent = createAgent({ model, tools: [listing(ran)], middleware: [hooksMiddleware(hooks)] });
  await agent.invoke({ messages: [new HumanMessage('Go.')] });
  expect(JSON.stringify(model.asked[1]?.messages)).toContain(waits);
  await approve();
  expect([ran, later]).toEqual([[], [['ls', { path: '/' }]]]);
});

test('R1548 a call of the OpenAI Agents SDK that confirm parks does so, too', async () => {
  const { hooks, later, approve } = await parking();
  const ran: unknown[] = [];
  const agent = listingAgent(ran);
  const { interruptions, input, newItems } = await runner.run(hookedAgent(hooks, agent), 'Go.');
  expect(interruptions).toEqual([]);
  expect(JSON.stringify([input, newItems.map(({ rawItem }) => rawItem)])).toContain(waits);
  await approve();
  expect([ran, later]).toEqual([[], [['ls', { path: '/' }]]]);
});

test('R1548 a call of the AI SDK that confirm parks does so, too', async () => {
  const { hooks, later, approve } = await parking();
  const ran: unknown[] = [];
  const execute = async (input: unknown) => ran.push(input);
  const { ls } = hookedTools(hooks, { ls: { inputSchema: z.object({ path: z.string() }), execute } });
  await expect(ls.execute({ path: '/' })).rejects.toThrow(waits);
  await approve();
  expect([ran, later]).toEqual([[], [['ls', { path: '/' }]]]);
});

test('R1549 without deps.confirm an interrupted graph goes on after a restart, and hooks are asked again', async () => {
  const ran: unknown[] = [];
  const checkpointer = new MemorySaver();
  const config = { configurable: { thread_id: 'one' } };
  const start = async (model: ReturnType<typeof saying>) =>
    createAgent({ model, tools: [listing(ran)], middleware: [hooksMiddleware(await asking())], checkpointer });
  const before = await start(saying(calling({ name: 'ls', args: { path: '/' } })));
  const first = await before.invoke({ messages: [new HumanMessage('Go.')] }, config);
  const { __interrupt__: questions } = z.object({ __interrupt__: z.array(z.object({ id: z.string() })) }).parse(first);
  expect(ran).toEqual([]);
  const after = await start(saying(said('Done.')));
  const resume = { [questions[0]?.id ?? '']: { decisions: [{ type: 'approve' }] } };
  await after.invoke(new Command({ resume }), config);
  expect(ran).toEqual([{ path: '/' }]);
});

test('R1549 without deps.confirm a run of the OpenAI Agents SDK goes on from its text, and hooks are asked again', async () => {
  const ran: unknown[] = [];
  const agent = listingAgent(ran);
  const { state } = await runner.run(hookedAgent(await asking(), agent), 'Go.');
  const text = state.toString();
  const restarted = hookedAgent(await asking(), agent);
  const again = await RunState.fromString(restarted, text);
  for (const interruption of again.getInterruptions()) again.approve(interruption);
  expect(ran).toEqual([]);
  expect((await runner.run(restarted, again)).finalOutput).toBe('Done.');
  expect(ran).toEqual([{ path: '/' }]);
});
