import { Command, interrupt, MemorySaver } from '@langchain/langgraph';
import {
  AIMessage,
  createAgent,
  createMiddleware,
  HumanMessage,
  SystemMessage,
  ToolMessage,
  tool,
  toolRetryMiddleware,
} from 'langchain';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { hooksMiddleware } from '../../src/adapters/langchain/index.ts';
import { createHooks, type Hooks } from '../../src/index.ts';
import { type Asked, calling, StubModel, said, saying } from './langchain-model.ts';
import { answer, withChanges, withHooks, withLeaving, withQuestions } from './support.ts';

const listing = (ran: unknown[] = []) =>
  tool(
    (input) => {
      ran.push(input);
      if (input.path === '/gone') throw new Error('there is no /gone');
      return 'a b';
    },
    { name: 'ls', description: 'Lists.', schema: z.object({ path: z.string() }) },
  );

const agentOf = (hooks: Hooks, model: StubModel, ran: unknown[] = [], more: object = {}) =>
  createAgent({ model, tools: [listing(ran)], systemPrompt: 'List.', middleware: [hooksMiddleware(hooks)], ...more });

const ask = (content = 'Hello.') => ({ messages: [new HumanMessage(content)] });

const lastOf = ({ messages }: { messages: readonly { text: string }[] }): string | undefined => messages.at(-1)?.text;

const told = (asked: Asked | undefined) =>
  (asked?.messages ?? []).flatMap((message) =>
    ToolMessage.isInstance(message) ? [{ content: message.content, status: message.status }] : [],
  );

const plain = ({ messages, options }: Asked) => ({
  messages: messages.map((message) => ({ ...message.toDict().data, id: undefined, type: message.type })),
  options: ['tools', 'tool_choice', 'temperature', 'tags', 'metadata'].map((key) =>
    key === 'tools' ? 'tools' in options : options[key],
  ),
});

test('an agent with the middleware is asked as it was where no hook has a word', async () => {
  const hooks = await withHooks();
  const [bare, hooked] = [1, 2].map(() => saying(calling({ name: 'ls', args: { path: '/' } }), said('Done.')));
  if (bare === undefined || hooked === undefined) throw new Error('unreachable');
  await createAgent({ model: bare, tools: [listing()], systemPrompt: 'List.' }).invoke(ask());
  expect(lastOf(await agentOf(hooks, hooked).invoke(ask()))).toBe('Done.');
  expect(hooked.asked.map(plain)).toEqual(bare.asked.map(plain));
});

test('its model is asked what hooks made of the request, and AfterModel sees each answer once', async () => {
  const { hooks, seen } = await withChanges();
  const model = saying(said('Hi.'));
  const { messages } = await agentOf(hooks, model).invoke(ask());
  expect(messages.map(({ type, text }) => [type, text])).toEqual([
    ['human', 'Hello.'],
    ['ai', 'Changed.'],
  ]);
  expect(seen).toEqual([
    'stub',
    [
      { role: 'system', content: 'List.' },
      { role: 'user', content: 'Hello.' },
    ],
    'Hi.',
  ]);
  expect(model.asked).toMatchObject([{ options: { temperature: 0, tool_choice: 'none' } }]);
  expect(model.asked[0]?.messages.map(({ type, text }) => [type, text])).toEqual([
    ['system', 'List.'],
    ['human', 'Hello.'],
    ['human', expect.stringContaining('Mind the gap.')],
  ]);
});

test('hooks change the system message, take tools away and name another model', async () => {
  const hooks = await withHooks((all) => {
    all.on('BeforeToolSelection', () => ({
      hookSpecificOutput: { toolConfig: { mode: 'AUTO', allowedFunctionNames: ['ls'] } },
    }));
    all.on('BeforeModel', ({ llm_request }) => ({
      hookSpecificOutput: {
        llm_request: {
          model: 'other',
          messages: [{ role: 'system', content: 'Be kind.' }, ...llm_request.messages.slice(1)],
        },
      },
    }));
  });
  const [first, other] = [saying(), saying(said('Hi.'))];
  const rm = tool(() => '', { name: 'rm', description: 'Removes.', schema: z.object({}) });
  const middleware = [hooksMiddleware(hooks, { modelFor: (id) => (id === 'other' ? other : undefined) })];
  await agentOf(hooks, first, [], { tools: [listing(), rm], middleware }).invoke(ask());
  expect(other.asked[0]?.messages.map(({ text }) => text)).toEqual(['Be kind.', 'Hello.']);
  expect(other.asked[0]?.messages[0]).toBeInstanceOf(SystemMessage);
  expect(other.asked[0]?.options.tools).toMatchObject([{ name: 'ls' }]);
  await expect(agentOf(hooks, first).invoke(ask())).rejects.toThrow('asks for the model "other"');
});

test('a system message that hooks leave out is not sent', async () => {
  const hooks = await withHooks((all) =>
    all.on('BeforeModel', ({ llm_request }) => ({
      hookSpecificOutput: { llm_request: { messages: llm_request.messages.filter(({ role }) => role !== 'system') } },
    })),
  );
  const model = saying(said('Hi.'));
  await agentOf(hooks, model).invoke(ask());
  expect(model.asked[0]?.messages.map(({ text }) => text)).toEqual(['Hello.']);
});

test('its model is not asked where a hook answers, and a blocked call rejects', async () => {
  const hooks = await withHooks();
  const model = saying();
  const off = hooks.on('BeforeModel', () => answer('By a hook.'));
  expect(lastOf(await agentOf(hooks, model).invoke(ask()))).toBe('By a hook.');
  off();
  hooks.on('BeforeModel', () => ({ decision: 'deny', reason: 'not today' }));
  await expect(agentOf(hooks, model).invoke(ask())).rejects.toMatchObject({
    message: expect.stringContaining('not today'),
    cause: { code: 'blocked' },
  });
  expect(model.asked).toEqual([]);
});

test('its tokens are held back for AfterModel hooks, and pass as they come without any', async () => {
  const hooks = await withHooks();
  const stream = async (more: object = {}) => {
    const model = new StubModel({ answer: () => said(''), pieces: () => ['The key is ', 'sk-1.'] });
    const shown: string[] = [];
    const run = await agentOf(hooks, model, [], more).stream(ask(), { streamMode: 'messages' });
    for await (const [message] of run) if (message.text !== '') shown.push(message.text);
    return shown;
  };
  expect(await stream()).toEqual(['The key is ', 'sk-1.']);
  hooks.on('AfterModel', () => answer('Kept.'));
  expect(await stream()).toEqual(['Kept.']);
  expect(await stream({ tools: [] })).toEqual(['Kept.']);
  const live = [hooksMiddleware(hooks, { stream: 'live' })];
  expect(await stream({ middleware: live })).toEqual(['The key is ', 'sk-1.']);
  hooks.on('BeforeModel', () => answer('By a hook.'));
  expect(await stream()).toEqual(['By a hook.']);
});

test('its tools run with what hooks made of their arguments, and are refused in the form of the SDK', async () => {
  const hooks = await withHooks((all) => {
    all.on('BeforeTool', ({ tool_input, tool_use_id }) =>
      tool_input.path === '/etc'
        ? { decision: 'deny', reason: `not here (${tool_use_id})` }
        : { hookSpecificOutput: { tool_input: { path: '/safe' } } },
    );
    all.on('AfterTool', () => ({ hookSpecificOutput: { additionalContext: 'Two files.' } }));
  });
  const ran: unknown[] = [];
  const model = saying(
    calling({ name: 'ls', args: { path: '/' } }, { name: 'ls', args: { path: '/etc' } }),
    said('Done.'),
  );
  await agentOf(hooks, model, ran).invoke(ask());
  expect(ran).toEqual([{ path: '/safe' }]);
  expect(told(model.asked[1])).toEqual([
    { content: expect.stringMatching(/^a b[\s\S]*Two files\.$/), status: 'success' },
    { content: 'Tool call rejected by hook: not here (call_2)', status: 'error' },
  ]);
});

test('a tool that throws is told to the model as without middleware, and to AfterToolFailure', async () => {
  const seen: unknown[] = [];
  const hooks = await withHooks((all) => all.on('AfterToolFailure', ({ error }) => void seen.push(error)));
  const failing = () => saying(calling({ name: 'ls', args: { path: '/gone' } }), said('Done.'));
  const [bare, hooked] = [failing(), failing()];
  await createAgent({ model: bare, tools: [listing()] }).invoke(ask());
  await agentOf(hooks, hooked).invoke(ask());
  expect(told(hooked.asked[1])).toEqual(told(bare.asked[1]));
  expect(seen).toEqual([expect.stringContaining('there is no /gone')]);

  // A middleware before this one that tries again has to see what was thrown.
  const ran: unknown[] = [];
  const retry = toolRetryMiddleware({ maxRetries: 2, initialDelayMs: 0, jitter: false });
  const middleware = [retry, hooksMiddleware(hooks, { toolErrors: 'throw' })];
  await agentOf(hooks, failing(), ran, { middleware }).invoke(ask());
  expect(ran).toHaveLength(3);
});

test('arguments that do not fit are told to the model as without middleware', async () => {
  const hooks = await withHooks();
  const wrong = () => saying(calling({ name: 'ls', args: { path: 5 } }), said('Done.'));
  const [bare, hooked] = [wrong(), wrong()];
  await createAgent({ model: bare, tools: [listing()] }).invoke(ask());
  await agentOf(hooks, hooked).invoke(ask());
  const firstLines = (asked: Asked | undefined) => told(asked).map(({ content }) => String(content).split('\n')[0]);
  expect(firstLines(hooked.asked[1])).toEqual(firstLines(bare.asked[1]));
  expect(told(hooked.asked[1])).toMatchObject([{ status: 'error' }]);
});

test('a hook that asks interrupts the graph in the form of the SDK, and is asked again when it goes on', async () => {
  const { hooks, asked: questions } = await withQuestions();
  const ran: unknown[] = [];
  const failed: unknown[] = [];
  hooks.on('AfterToolFailure', ({ error }) => void failed.push(error));
  for (const type of ['approve', 'reject'] as const) {
    const model = saying(calling({ name: 'ls', args: { path: `/${type}` } }), said('Done.'));
    const agent = agentOf(hooks, model, ran, { checkpointer: new MemorySaver() });
    const config = { configurable: { thread_id: type } };
    const first: object = await agent.invoke(ask(), config);
    expect(first).toMatchObject({
      __interrupt__: [
        {
          value: {
            actionRequests: [
              { name: 'ls', args: { path: `/${type}` }, description: expect.stringContaining('really?') },
            ],
            reviewConfigs: [{ actionName: 'ls', allowedDecisions: ['approve', 'reject'] }],
          },
        },
      ],
    });
    const then = await agent.invoke(new Command({ resume: { decisions: [{ type }] } }), config);
    expect(lastOf(then)).toBe('Done.');
    expect(told(model.asked[1])).toMatchObject([{ status: type === 'approve' ? 'success' : 'error' }]);
  }
  expect({ questions, ran, failed }).toEqual({ questions: { times: 4 }, ran: [{ path: '/approve' }], failed: [] });
});

test('where nothing is kept, and nobody can be asked later, deps.confirm is asked, or the call is refused', async () => {
  const call = () => saying(calling({ name: 'ls', args: { path: '/' } }), said('Done.'));
  for (const confirm of [undefined, () => true]) {
    const hooks = await createHooks(confirm === undefined ? {} : { deps: { confirm } });
    onTestFinished(() => hooks.close());
    hooks.on('BeforeTool', () => ({ decision: 'ask', reason: 'really?' }));
    const ran: unknown[] = [];
    const model = call();
    await agentOf(hooks, model, ran).invoke(ask());
    expect(ran).toHaveLength(confirm === undefined ? 0 : 1);
    expect(told(model.asked[1])).toMatchObject([{ status: confirm === undefined ? 'error' : 'success' }]);
  }
});

test('a tool that interrupts the graph itself has not failed', async () => {
  const seen: string[] = [];
  const hooks = await withHooks((all) => {
    all.on('BeforeTool', () => void seen.push('before'));
    all.on('AfterTool', () => void seen.push('after'));
    all.on('AfterToolFailure', () => void seen.push('failed'));
  });
  const asking = tool(() => `said ${interrupt('Which?')}`, { name: 'ask', description: 'Asks.', schema: z.object({}) });
  const model = saying(calling({ name: 'ask', args: {} }), said('Done.'));
  const agent = agentOf(hooks, model, [], { tools: [asking], checkpointer: new MemorySaver() });
  const config = { configurable: { thread_id: '1' } };
  expect(await agent.invoke(ask(), config)).toMatchObject({ __interrupt__: [{ value: 'Which?' }] });
  await agent.invoke(new Command({ resume: 'this' }), config);
  expect(told(model.asked[1])).toEqual([{ content: 'said this', status: 'success' }]);
  expect(seen).toEqual(['before', 'before', 'after']);
});

test('a tool that commands the graph is heeded, and what hooks add rides on the next request', async () => {
  const hooks = await withHooks((all) =>
    all.on('AfterTool', () => ({ hookSpecificOutput: { additionalContext: 'It is late.' } })),
  );
  const commanding = tool(
    () => new Command({ update: { messages: [new ToolMessage({ content: 'went', tool_call_id: 'call_1' })] } }),
    { name: 'go', description: 'Goes.', schema: z.object({}) },
  );
  const model = saying(calling({ name: 'go', args: {} }), said('Done.'));
  await agentOf(hooks, model, [], { tools: [commanding] }).invoke(ask());
  expect(told(model.asked[1])).toMatchObject([{ content: 'went' }]);
  expect(model.asked[1]?.messages.map(({ text }) => text).join('\n')).toContain('It is late.');
});

test('a withheld result says that the tool ran, and a hook that ends the work keeps the model from being asked', async () => {
  const hooks = await withHooks();
  const off = hooks.on('AfterTool', () => ({ decision: 'deny', reason: 'secret' }));
  const model = saying(calling({ name: 'ls', args: { path: '/' } }), said('Done.'));
  await agentOf(hooks, model).invoke(ask());
  expect(told(model.asked[1])).toEqual([
    { content: 'The tool has run; its result is withheld: secret', status: 'error' },
  ]);
  off();
  hooks.on('AfterTool', () => ({ continue: false, stopReason: 'enough' }));
  const stopped = saying(calling({ name: 'ls', args: { path: '/' }, id: 'call_9' }));
  expect(lastOf(await agentOf(hooks, stopped).invoke(ask()))).toBe('Execution stopped by hook: enough');
  expect(stopped.asked).toHaveLength(1);
});

test('another tool that a hook wants called takes the place of the first', async () => {
  const hooks = await withHooks((all) =>
    all.on('AfterTool', ({ tool_name }) =>
      tool_name === 'ls'
        ? { hookSpecificOutput: { tailToolCallRequest: { name: 'wc', args: { of: 'a' } } } }
        : undefined,
    ),
  );
  const wc = tool(({ of }) => `${of}: 1`, { name: 'wc', description: 'Counts.', schema: z.object({ of: z.string() }) });
  const model = saying(calling({ name: 'ls', args: { path: '/' } }), said('Done.'));
  await agentOf(hooks, model, [], { tools: [listing(), wc] }).invoke(ask());
  expect(told(model.asked[1])).toEqual([{ content: 'a: 1', status: 'success' }]);
});

test('prompts are blocked or told more, and an answer is sent back to work', async () => {
  const seen: unknown[] = [];
  const hooks = await withHooks((all) => {
    all.on('BeforeAgent', ({ prompt }) =>
      prompt === 'Bad.'
        ? { decision: 'deny', reason: 'no' }
        : { hookSpecificOutput: { additionalContext: 'It is late.' } },
    );
    all.on('AfterAgent', ({ prompt_response, stop_hook_active }) => {
      seen.push([prompt_response, stop_hook_active]);
      return stop_hook_active ? undefined : { decision: 'deny', reason: 'say more' };
    });
  });
  const model = saying(said('Short.'), said('Longer.'));
  const { messages } = await agentOf(hooks, model).invoke(ask());
  expect(messages.map(({ text }) => text)).toEqual([
    expect.stringMatching(/^Hello\.[\s\S]*It is late\./),
    'Short.',
    'say more',
    'Longer.',
  ]);
  expect(seen).toEqual([
    ['Short.', false],
    ['Longer.', true],
  ]);
  expect(lastOf(await agentOf(hooks, saying()).invoke(ask('Bad.')))).toBe('Prompt blocked by hook: no');
  expect(seen).toHaveLength(2);
});

test('R1991 a tool that a provider runs is named in the problems at the first call of the model', async () => {
  const hooks = await withHooks();
  const tools = [listing(), { type: 'web_search_20250305', name: 'web_search' }];
  await createAgent({ model: saying(said('Hi.')), tools, middleware: [hooksMiddleware(hooks)] }).invoke(ask());
  expect(hooks.problems).toMatchObject([{ code: 'unhooked-tool', message: expect.stringContaining('"web_search"') }]);
});

test('R1992 a prompt is judged also if the application adds a system message after it', async () => {
  const hooks = await withHooks((all) => all.on('BeforeAgent', () => ({ decision: 'deny', reason: 'no' })));
  const messages = [new HumanMessage('Bad.'), new SystemMessage('It is late.')];
  expect(lastOf(await agentOf(hooks, saying()).invoke({ messages }))).toBe('Prompt blocked by hook: no');
});

test('what is no text of an answer stays with it, its calls and its id, and what was kept word for word goes', async () => {
  const hooks = await withHooks((all) => all.on('AfterModel', () => answer('Changed.')));
  const image = { type: 'image', url: 'https://example.com/a.png' };
  const metadata = { model_name: 'm', output: [{ type: 'message', content: 'Old words.' }] };
  const given = new AIMessage({
    id: 'a1',
    content: [{ type: 'text', text: 'Old words.' }, image],
    tool_calls: [{ name: 'ls', args: { path: '/' }, id: 'call_1', type: 'tool_call' }],
    response_metadata: metadata,
  });
  const model = saying(given, said('Done.'));
  const { messages } = await agentOf(hooks, model).invoke(ask());
  const kept = messages[1];
  expect(kept).toBeInstanceOf(AIMessage);
  expect(kept).toMatchObject({
    id: 'a1',
    content: [{ type: 'text', text: 'Changed.' }, image],
    tool_calls: [{ id: 'call_1' }],
  });
  expect(JSON.stringify(kept)).not.toContain('Old words.');
  expect(given.text).toBe('Old words.');
});

test('a structured answer cannot be told in other words, and is not lost where hooks leave it alone', async () => {
  const seen: unknown[] = [];
  const hooks = await withHooks((all) => all.on('AfterModel', ({ llm_response }) => void seen.push(llm_response.text)));
  const model = new StubModel({
    answer: ({ options }) => {
      const [offered]: unknown[] = Array.isArray(options.tools) ? options.tools : [];
      const { name } = z.object({ function: z.object({ name: z.string() }) }).parse(offered).function;
      const tool_calls = [{ name, args: { city: 'Rome' }, id: 'call_1', type: 'tool_call' as const }];
      return new AIMessage({ content: 'It is Rome.', tool_calls });
    },
  });
  const responseFormat = z.object({ city: z.string() });
  const agent = createAgent({ model, tools: [], responseFormat, middleware: [hooksMiddleware(hooks)] });
  expect((await agent.invoke(ask())).structuredResponse).toEqual({ city: 'Rome' });
  expect(seen).toEqual(['It is Rome.']);
  hooks.on('AfterModel', () => answer('Changed.'));
  await expect(agent.invoke(ask())).rejects.toThrow('changed the text of a structured answer');
});

test('a call that is cancelled while hooks are asked does not run', async () => {
  const { hooks, signal } = await withLeaving();
  const ran: unknown[] = [];
  const model = saying(calling({ name: 'ls', args: { path: '/' } }), said('Done.'));
  await expect(agentOf(hooks, model, ran).invoke(ask(), { signal })).rejects.toThrow();
  expect(ran).toEqual([]);
});

test('hooks hear nothing of what other middleware refuses, and have the last word on what it changes', async () => {
  const seen: unknown[] = [];
  const hooks = await withHooks((all) => all.on('BeforeTool', ({ tool_input }) => void seen.push(tool_input.path)));
  const rewriting = createMiddleware({
    name: 'rewriting',
    wrapToolCall: (request, handler) =>
      handler({ ...request, toolCall: { ...request.toolCall, args: { path: '/rewritten' } } }),
  });
  const ran: unknown[] = [];
  const model = saying(calling({ name: 'ls', args: { path: '/' } }), said('Done.'));
  await agentOf(hooks, model, ran, { middleware: [rewriting, hooksMiddleware(hooks)] }).invoke(ask());
  expect({ seen, ran }).toEqual({ seen: ['/rewritten'], ran: [{ path: '/rewritten' }] });
});

test('the promise of createHooks is refused with what to do', async () => {
  const hooks = createHooks();
  // @ts-expect-error: not awaited
  expect(() => hooksMiddleware(hooks)).toThrow('hooksMiddleware takes what createHooks gives');
  await (await hooks).close();
});
