import { Agent, type Model, type ModelRequest, tool } from '@openai/agents';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { hookedAgent } from '../../src/adapters/openai-agents/index.ts';
import type { Hooks } from '../../src/index.ts';
import { call, message, runner, StubModel } from './openai-agents-support.ts';
import { answer, withChanges, withHooks, withLeaving, withQuestions } from './support.ts';

const listing = (ran: unknown[]) =>
  tool({
    name: 'ls',
    description: 'Lists.',
    parameters: z.object({ path: z.string() }),
    execute: (input) => {
      ran.push(input);
      return 'a b';
    },
  });

const agentOf = (hooks: Hooks, model: Model, ran: unknown[] = [], more: object = {}) =>
  hookedAgent(hooks, new Agent({ name: 'lister', instructions: 'List.', model, tools: [listing(ran)], ...more }));

const results = ({ input }: ModelRequest): unknown[] =>
  (typeof input === 'string' ? [] : input).flatMap((item) =>
    item.type === 'function_call_result' ? [typeof item.output === 'string' ? item.output : { ...item.output }] : [],
  );

const said = (text: string) => expect.objectContaining({ text });

test('a hooked agent is asked as it was where no hook has a word', async () => {
  const [bare, other] = [new StubModel([message('Hi.')]), new StubModel([message('Hi.')])];
  const hooks = await withHooks();
  await runner.run(new Agent({ name: 'lister', instructions: 'List.', model: bare, tools: [listing([])] }), 'Hello.');
  const { finalOutput } = await runner.run(agentOf(hooks, other), 'Hello.');
  expect(finalOutput).toBe('Hi.');
  expect(other.asked).toEqual(bare.asked);
});

test('its model is asked what hooks made of the request, and AfterModel sees each answer once', async () => {
  const { hooks, seen } = await withChanges();
  const model = new StubModel([message('Hi.')]);
  expect((await runner.run(agentOf(hooks, model), 'Hello.')).finalOutput).toBe('Changed.');
  expect(seen.slice(1)).toEqual([[{ role: 'user', content: 'Hello.' }], 'Hi.']);
  expect(model.asked).toMatchObject([{ modelSettings: { temperature: 0, toolChoice: 'none' } }]);
  expect(model.asked[0]?.input).toMatchObject([{ content: 'Hello.' }, { role: 'system', content: 'Mind the gap.' }]);
});

test('its model is not asked where a hook answers, and a blocked call rejects', async () => {
  const hooks = await withHooks();
  const model = new StubModel();
  const off = hooks.on('BeforeModel', () => answer('By a hook.'));
  expect((await runner.run(agentOf(hooks, model), 'Hello.')).finalOutput).toBe('By a hook.');
  off();
  hooks.on('BeforeModel', () => ({ decision: 'deny', reason: 'not today' }));
  await expect(runner.run(agentOf(hooks, model), 'Hello.')).rejects.toMatchObject({ code: 'blocked' });
  expect(model.asked).toEqual([]);
});

test('its streams are held back for AfterModel hooks, and pass as they come without any', async () => {
  const hooks = await withHooks();
  const stream = async () => {
    const run = await runner.run(agentOf(hooks, new StubModel([message('The key is sk-1.')])), 'Which?', {
      stream: true,
    });
    const pieces: string[] = [];
    for await (const event of run) {
      if (event.type === 'raw_model_stream_event' && event.data.type === 'output_text_delta')
        pieces.push(event.data.delta);
    }
    await run.completed;
    return { pieces, kept: run.finalOutput };
  };
  expect(await stream()).toEqual({ pieces: ['The key is ', 'sk-1.'], kept: 'The key is sk-1.' });
  hooks.on('AfterModel', () => answer('Kept.'));
  expect(await stream()).toEqual({ pieces: ['Kept.'], kept: 'Kept.' });
});

test('its tools run with what hooks made of their arguments, and are refused as a person would', async () => {
  const hooks = await withHooks((all) =>
    all.on('BeforeTool', ({ tool_input, tool_use_id }) =>
      tool_input.path === '/etc'
        ? { decision: 'deny', reason: `not here (${tool_use_id})` }
        : { hookSpecificOutput: { tool_input: { path: '/safe' } } },
    ),
  );
  hooks.on('AfterTool', () => ({ hookSpecificOutput: { additionalContext: 'Two files.' } }));
  const ran: unknown[] = [];
  const calls = [call('ls', { path: '/' }, 'call_1'), call('ls', { path: '/etc' }, 'call_2')];
  const model = new StubModel(calls, [message('Done.')]);
  await runner.run(agentOf(hooks, model, ran), 'List.');
  expect(ran).toEqual([{ path: '/safe' }]);
  expect(model.asked.map(results)[1]).toEqual([
    expect.objectContaining({ text: expect.stringMatching(/^a b[\s\S]*Two files\.$/) }),
    said('Tool execution was not approved. not here (call_2)'),
  ]);
});

test('a hook that asks becomes an interruption of the run, and is asked again when it goes on', async () => {
  const { hooks, asked: questions } = await withQuestions();
  const ran: unknown[] = [];
  const model = new StubModel([call('ls', { path: '/' })], [message('Done.')]);
  const agent = agentOf(hooks, model, ran);
  const first = await runner.run(agent, 'List.');
  expect(first.interruptions).toHaveLength(1);
  expect({ questions, ran }).toEqual({ questions: { times: 1 }, ran: [] });
  for (const interruption of first.interruptions) first.state.approve(interruption);
  expect((await runner.run(agent, first.state)).finalOutput).toBe('Done.');
  expect({ questions, ran }).toEqual({ questions: { times: 2 }, ran: [{ path: '/' }] });
});

test('a withheld result says that the tool ran, and a hook that ends the work keeps the model from being asked', async () => {
  const hooks = await withHooks();
  const off = hooks.on('AfterTool', () => ({ decision: 'deny', reason: 'secret' }));
  const model = new StubModel([call('ls', { path: '/' })], [message('Done.')]);
  await runner.run(agentOf(hooks, model), 'List.');
  expect(model.asked.map(results)[1]).toEqual([said('The tool has run; its result is withheld: secret')]);
  off();
  hooks.on('AfterTool', () => ({ continue: false, stopReason: 'enough' }));
  const stopped = new StubModel([call('ls', { path: '/' }, 'call_9')]);
  const { finalOutput } = await runner.run(agentOf(hooks, stopped), 'List.');
  expect(finalOutput).toBe('Execution stopped by hook: enough');
  expect(stopped.asked).toHaveLength(1);
});

test('agents it hands over to are hooked too, in circles as well, and are sub-agents to hooks', async () => {
  const seen: string[] = [];
  const hooks = await withHooks((all) => {
    all.on('SubagentStart', ({ agent_type }) => void seen.push(`start ${agent_type}`));
    all.on('SubagentStop', ({ agent_type, response }) => void seen.push(`stop ${agent_type}: ${response}`));
    all.on('BeforeModel', ({ llm_request }) => void seen.push(`model ${llm_request.messages.length}`));
  });
  const second = new StubModel([message('From the other.')]);
  const other = new Agent({ name: 'other', model: second });
  const first = new StubModel([call('transfer_to_other', {})]);
  const agent = new Agent({ name: 'first', model: first, handoffs: [other] });
  other.handoffs.push(agent);
  const { finalOutput } = await runner.run(hookedAgent(hooks, agent), 'Go.');
  expect(finalOutput).toBe('From the other.');
  await expect.poll(() => seen).toEqual(['model 1', 'start other', 'model 1', 'stop other: From the other.']);
  // What was given is left as it was.
  expect(agent.model).toBe(first);
});

test('a call that is cancelled while hooks are asked does not run', async () => {
  const { hooks, signal } = await withLeaving();
  const ran: unknown[] = [];
  const model = new StubModel([call('ls', { path: '/' })], [message('Done.')]);
  await runner.run(agentOf(hooks, model, ran), 'List.', { signal }).catch(() => undefined);
  expect(ran).toEqual([]);
});
