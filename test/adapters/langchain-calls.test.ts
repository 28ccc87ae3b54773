import { Command, MemorySaver } from '@langchain/langgraph';
import { MultiServerMCPClient } from '@langchain/mcp-adapters';
import { createAgent, HumanMessage, ToolMessage, tool } from 'langchain';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { hooksMiddleware } from '../../src/adapters/langchain/index.ts';
import { createHooks, type Hooks } from '../../src/index.ts';
import { type Asked, calling, type StubModel, said, saying } from './langchain-model.ts';
import { withHooks, withQuestions } from './support.ts';

const listing = (ran: unknown[]) =>
  tool(
    (input) => {
      ran.push(input.path);
      return `in ${input.path}`;
    },
    { name: 'ls', description: 'Lists.', schema: z.object({ path: z.string() }) },
  );

const ask = { messages: [new HumanMessage('Go.')] };

const told = (asked: Asked | undefined) =>
  (asked?.messages ?? []).flatMap((message) =>
    ToolMessage.isInstance(message) ? [[message.tool_call_id, message.text]] : [],
  );

const agentOf = (hooks: Hooks, model: StubModel, ran: unknown[], more: object = {}) =>
  createAgent({ model, tools: [listing(ran)], middleware: [hooksMiddleware(hooks)], ...more });

const two = () =>
  saying(calling({ name: 'ls', args: { path: '/a' } }, { name: 'ls', args: { path: '/b' } }), said('Done.'));

describe('two calls of one answer that hooks ask about', () => {
  const begin = async () => {
    const { hooks } = await withQuestions();
    const ran: unknown[] = [];
    const model = two();
    const agent = agentOf(hooks, model, ran, { checkpointer: new MemorySaver() });
    const config = { configurable: { thread_id: crypto.randomUUID() } };
    const resume = (given: unknown) => agent.invoke(new Command({ resume: given }), config);
    const first = questions.parse(await agent.invoke(ask, config));
    return { ran, model, resume, first };
  };
  const questions = z.object({
    __interrupt__: z.array(
      z.object({
        id: z.string(),
        value: z.object({ actionRequests: z.array(z.object({ id: z.string(), args: z.unknown() })) }),
      }),
    ),
  });
  const pending = (given: unknown) =>
    questions.parse(given).__interrupt__.map(({ value }) => value.actionRequests[0]?.id);
  const approve = { decisions: [{ type: 'approve' }] };
  const reject = { decisions: [{ type: 'reject' }] };

  test('are answered one by one: an answer that names none is that of the first', async () => {
    const { ran, model, resume, first } = await begin();
    expect(pending(first)).toEqual(['call_1', 'call_2']);
    expect(pending(await resume(approve))).toEqual(['call_2']);
    expect(ran).toEqual(['/a']);
    await resume(reject);
    expect(ran).toEqual(['/a']);
    expect(told(model.asked[1])).toEqual([
      ['call_1', 'in /a'],
      ['call_2', 'Tool call rejected by hook: not approved (really?)'],
    ]);
  });

  test('are answered by name', async () => {
    const { ran, resume } = await begin();
    expect(pending(await resume({ decisions: [{ type: 'approve', id: 'call_2' }] }))).toEqual(['call_1']);
    expect(ran).toEqual(['/b']);
    await resume({ decisions: [{ type: 'reject', id: 'call_1' }] });
    expect(ran).toEqual(['/b']);
  });

  test('are answered by the ids of their interrupts, all at once', async () => {
    const { ran, model, resume, first } = await begin();
    const [one, other] = first.__interrupt__;
    await resume({ [String(one?.id)]: reject, [String(other?.id)]: approve });
    expect(ran).toEqual(['/b']);
    expect(told(model.asked[1])[0]).toEqual(['call_1', 'Tool call rejected by hook: not approved (really?)']);
  });

  test('are not answered by a bare `true`, which names none', async () => {
    const { ran, resume } = await begin();
    expect(pending(await resume(true))).toEqual(['call_1', 'call_2']);
    expect(ran).toEqual([]);
  });
});

test('a hook that asks is answered by deps.confirm where the host has one, and no graph is interrupted', async () => {
  const asked: unknown[] = [];
  const hooks = await createHooks({
    deps: {
      confirm: ({ toolInput }) => {
        asked.push(toolInput?.path);
        return toolInput?.path === '/b';
      },
    },
  });
  onTestFinished(() => hooks.close());
  hooks.on('BeforeTool', () => ({ decision: 'ask', reason: 'really?' }));
  const ran: unknown[] = [];
  const config = { configurable: { thread_id: '1' } };
  await agentOf(hooks, two(), ran, { checkpointer: new MemorySaver() }).invoke(ask, config);
  expect([asked.toSorted(), ran]).toEqual([['/a', '/b'], ['/b']]);
});

test('arguments that a hook changed to what the tool does not take are its fault, and the tool keeps its own', async () => {
  const hooks = await withHooks((all) =>
    all.on('BeforeTool', () => ({ hookSpecificOutput: { tool_input: { path: 7 } } })),
  );
  const ran: unknown[] = [];
  await agentOf(hooks, two(), ran).invoke(ask);
  expect(ran).toEqual(['/a', '/b']);
});

test('a result that a hook replaces is replaced for the model', async () => {
  const hooks = await withHooks((all) => all.on('AfterTool', () => ({ hookSpecificOutput: { updatedOutput: '***' } })));
  const model = two();
  await agentOf(hooks, model, []).invoke(ask);
  expect(told(model.asked[1])).toEqual([
    ['call_1', '***'],
    ['call_2', '***'],
  ]);
});

test('tools of MCP servers, by the SDK’s own adapters, pass their hooks as others do', async () => {
  const client = new MultiServerMCPClient({
    mcpServers: { files: { command: process.execPath, args: ['test/fixtures/mcp/server.mjs'] } },
  });
  onTestFinished(() => client.close());
  const tools = await client.getTools();
  const seen: unknown[] = [];
  const hooks = await withHooks((all) => {
    all.on('BeforeTool', ({ tool_name, tool_input }) => {
      seen.push(tool_name);
      if (tool_input.path === '/no') return { decision: 'deny', reason: 'not here' };
      return tool_name === 'read' ? { hookSpecificOutput: { tool_input: { path: '/safe' } } } : undefined;
    });
    all.on('AfterToolFailure', ({ tool_name }) => void seen.push(`${tool_name} failed`));
  });
  const model = saying(
    calling(
      { name: 'read', args: { path: '/etc' } },
      { name: 'read', args: { path: '/no' } },
      { name: 'fail', args: {} },
    ),
    said('Done.'),
  );
  await agentOf(hooks, model, [], { tools }).invoke(ask);
  expect(seen.toSorted()).toEqual(['fail', 'fail failed', 'read', 'read']);
  expect(told(model.asked[1]).slice(0, 2)).toEqual([
    ['call_1', expect.stringMatching(/^content of \/safe\n/)],
    ['call_2', 'Tool call rejected by hook: not here'],
  ]);
});
