import { anthropic } from '@ai-sdk/anthropic';
import { createMCPClient } from '@ai-sdk/mcp';
import { Experimental_StdioMCPTransport as StdioTransport } from '@ai-sdk/mcp/mcp-stdio';
import { openai } from '@ai-sdk/openai';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { hookedTools } from '../../src/adapters/ai-sdk/index.ts';
import { createHooks, type Hooks } from '../../src/index.ts';
import { agentOf, modelOf, result, stop, text, toldOf, toolCall } from './ai-sdk-support.ts';
import { describeVersions } from './ai-sdk-versions.ts';
import { withHooks } from './support.ts';

const inputSchema = z.object({ path: z.string() });

const denying = (): Promise<Hooks> =>
  withHooks((all) => all.on('BeforeTool', () => ({ decision: 'deny', reason: 'not here' })));

const partsOf = async (stream: AsyncIterable<{ type: string }>) => {
  const parts: { type: string; [key: string]: unknown }[] = [];
  for await (const part of stream) parts.push(part);
  return parts;
};

describeVersions('tools of a provider', (sdkOf) => {
  const ran: string[] = [];
  const running = (name: string, output: unknown) => async () => {
    ran.push(name);
    return output;
  };
  // biome-ignore lint/suspicious/noExplicitAny: a call of any of them
  const local: readonly (readonly [name: string, tool: any, input: object])[] = [
    ['bash', anthropic.tools.bash_20250124({ execute: running('bash', 'gone') }), { command: 'rm -rf ~' }],
    [
      'str_replace_editor',
      anthropic.tools.textEditor_20250124({ execute: running('editor', 'x') }),
      { command: 'view', path: '/etc/passwd' },
    ],
    [
      'computer',
      anthropic.tools.computer_20250124({
        displayWidthPx: 1,
        displayHeightPx: 1,
        execute: async () => {
          ran.push('computer');
          return 'clicked';
        },
      }),
      { action: 'left_click', coordinate: [1, 1] },
    ],
    [
      'local_shell',
      openai.tools.localShell({ execute: async () => ({ output: String(ran.push('shell')) }) }),
      { action: { type: 'exec', command: ['rm', '-rf', '/'] } },
    ],
    [
      'apply_patch',
      openai.tools.applyPatch({ execute: async () => ({ status: ran.push('patch') > 0 ? 'completed' : 'failed' }) }),
      { callId: 'call_1', operation: { type: 'delete_file', path: 'a' } },
    ],
  ];

  test.each(local)('that run here are hooked like others: a denied %s does not run', async (name, tool, input) => {
    ran.length = 0;
    const hooks = await denying();
    const { asked, run } = agentOf(
      sdkOf(),
      hooks,
      { [name]: tool },
      result(toolCall(input, 'call_1', name)),
      result(text('Sorry.')),
    );
    expect((await run()).text).toBe('Sorry.');
    expect(ran).toEqual([]);
    expect(toldOf(asked)).toEqual([{ type: 'execution-denied', reason: 'not here' }]);
    expect(hooks.problems).toEqual([]);
  });

  test.each(local)('that run here run when hooks let them: %s', async (name, tool, input) => {
    ran.length = 0;
    const hooks = await withHooks((all) => all.on('BeforeTool', () => undefined));
    const { run } = agentOf(
      sdkOf(),
      hooks,
      { [name]: tool },
      result(toolCall(input, 'call_1', name)),
      result(text('Done.')),
    );
    await run();
    expect(ran).toHaveLength(1);
  });

  test('that run at the provider are named in the problems when they are handed over, once', async () => {
    const hooks = await withHooks();
    const tools = { search: openai.tools.webSearch({}), fetch: anthropic.tools.webFetch_20250910({}) };
    hookedTools(hooks, tools);
    hookedTools(hooks, tools);
    expect(hooks.problems).toMatchObject([
      { code: 'unhooked-tool', path: 'tools.search', message: expect.stringContaining('"search" (openai.web_search)') },
      { code: 'unhooked-tool', path: 'tools.fetch' },
    ]);
  });
});

describeVersions('tools without execute', (sdkOf) => {
  const pick = () => sdkOf().ai.tool({ inputSchema: z.object({ path: z.string().optional() }) });
  const calling = result(toolCall({ path: '/etc' }, 'call_1', 'pick'));

  test('that are denied are told to the model as denied, and the turn goes on', async () => {
    const { asked, run } = agentOf(sdkOf(), await denying(), { pick: pick() }, calling, result(text('Sorry.')));
    expect((await run()).text).toBe('Sorry.');
    expect(toldOf(asked)).toEqual([{ type: 'execution-denied', reason: 'not here' }]);
    const { content } = asked[1]?.prompt.find(({ role }) => role === 'assistant') ?? {};
    expect(content).toMatchObject([{ type: 'tool-call', toolName: 'pick', input: { path: '/etc' } }]);
    expect(JSON.stringify(content)).not.toContain('hookwright');
  });

  test('that are denied never reach the page as a call to make, streamed', async () => {
    const { asked, stream } = agentOf(sdkOf(), await denying(), { pick: pick() }, calling, result(text('Sorry.')));
    const answer = stream();
    const parts = await partsOf(answer.toUIMessageStream({ onError: String }));
    expect(parts.map(({ type }) => type)).not.toContain('tool-input-available');
    expect(parts).toContainEqual(
      expect.objectContaining({
        type: 'tool-input-error',
        errorText: expect.stringContaining('Tool call blocked by hook: not here'),
        providerMetadata: { hookwright: expect.objectContaining({ denied: 'not here' }) },
      }),
    );
    expect(await answer.text).toBe('Sorry.');
    expect(toldOf(asked)).toEqual([{ type: 'execution-denied', reason: 'not here' }]);
  });

  test('that are denied stay denied to the model when the conversation comes back from the page', async () => {
    const sdk = sdkOf();
    const hooks = await denying();
    const { hooked, stream } = agentOf(sdk, hooks, { pick: pick() }, calling, result(text('Sorry.')));
    let messages: unknown;
    await partsOf(
      stream().toUIMessageStream({
        originalMessages: [],
        onFinish: (end: { messages: unknown }) => {
          messages = end.messages;
        },
      }),
    );
    const kept = JSON.parse(JSON.stringify(messages));
    const later = await denying();
    const next = agentOf(sdk, later, { pick: pick() }, result(text('Yes?')));
    const back = await sdk.ai.convertToModelMessages([...kept, { role: 'user', parts: [text('And now?')] }], {
      tools: hooked.tools,
    });
    await next.run({ messages: back });
    expect(toldOf(next.asked)).toEqual([{ type: 'execution-denied', reason: 'not here' }]);
    expect(JSON.stringify(next.asked[0]?.prompt)).toContain('"input":{"path":"/etc"}');
  });

  test('that hooks let pass go out as the model made them, with the arguments of the hooks, asked once', async () => {
    let times = 0;
    const hooks = await withHooks((all) =>
      all.on('BeforeTool', () => {
        times += 1;
        return { hookSpecificOutput: { tool_input: { path: '/safe' } } };
      }),
    );
    const { run } = agentOf(sdkOf(), hooks, { pick: pick() }, calling);
    expect((await run()).toolCalls).toMatchObject([{ toolName: 'pick', input: { path: '/safe' } }]);
    expect(times).toBe(1);
  });

  test('are asked about although `toolApproval` says that they need no approval', async () => {
    const { asked, run } = agentOf(sdkOf(), await denying(), { pick: pick() }, calling, result(text('Sorry.')));
    await run({ prompt: 'Go.', toolApproval: { pick: 'approved' } });
    expect(toldOf(asked)).toEqual([{ type: 'execution-denied', reason: 'not here' }]);
  });

  test('that a hook asks about wait for deps.confirm, and are refused where there is none', async () => {
    const confirming = async (confirm?: () => boolean) => {
      const hooks = await createHooks({ deps: confirm === undefined ? {} : { confirm } });
      hooks.on('BeforeTool', () => ({ decision: 'ask', reason: 'really?' }));
      return agentOf(sdkOf(), hooks, { pick: pick() }, calling, result(text('Sorry.')));
    };
    expect((await (await confirming(() => true)).run()).toolCalls).toHaveLength(1);
    const refused = await confirming(() => false);
    await refused.run();
    expect(toldOf(refused.asked)).toMatchObject([{ type: 'execution-denied', reason: 'not approved (really?)' }]);
    const alone = await confirming();
    await alone.run();
    expect(toldOf(alone.asked)).toMatchObject([
      { type: 'execution-denied', reason: expect.stringMatching(/^really\?.*deps\.confirm$/) },
    ]);
  });

  test('are refused with an error where the model is not hooked, for nothing else would keep them from running', async () => {
    const sdk = sdkOf();
    const { model } = modelOf(sdk, calling);
    const tools = hookedTools(await denying(), { pick: pick() });
    const call = sdk.ai.generateText({ model, tools, prompt: 'Go.', stopWhen: stop(sdk, 2) });
    await expect(call).rejects.toMatchObject({ code: 'blocked' });
  });
});

describeVersions('a tool call of the AI SDK', (sdkOf) => {
  const ls = (execute: (input: { path: string }) => unknown, more: object = {}) =>
    sdkOf().ai.tool({ inputSchema, execute, ...more });
  const call = result(toolCall({ path: '/' }));

  test('that is refused is an error with the reason, and no output', async () => {
    const { run } = agentOf(sdkOf(), await denying(), { ls: ls(() => 1) }, call, result(text('Sorry.')));
    const { steps } = await run();
    expect(steps[0].toolResults).toEqual([]);
    expect(steps[0].content).toContainEqual(
      expect.objectContaining({
        type: 'tool-error',
        error: expect.objectContaining({ code: 'blocked', message: 'Tool call blocked by hook: not here' }),
      }),
    );
  });

  test.each([
    [{ path: 7 }, [{ path: '/' }]],
    [{ path: '/b' }, [{ path: '/b' }]],
  ])('with arguments that a hook changed to %j runs %j', async (tool_input, expected) => {
    const hooks = await withHooks((all) => all.on('BeforeTool', () => ({ hookSpecificOutput: { tool_input } })));
    const ran: unknown[] = [];
    const { run } = agentOf(sdkOf(), hooks, { ls: ls((input) => ran.push(input)) }, call, result(text('Done.')));
    await run();
    expect(ran).toEqual(expected);
  });

  test('is judged with the arguments that the schema makes of those of the model', async () => {
    const seen: unknown[] = [];
    const hooks = await withHooks((all) => all.on('BeforeTool', ({ tool_input }) => void seen.push(tool_input)));
    const ran: unknown[] = [];
    const schema = z.object({ path: z.string().trim(), depth: z.number().default(1) });
    const tool = sdkOf().ai.tool({ inputSchema: schema, execute: (input: unknown) => ran.push(input) });
    const { run } = agentOf(sdkOf(), hooks, { ls: tool }, result(toolCall({ path: ' /a ' })), result(text('Done.')));
    await run();
    expect([seen, ran]).toEqual([[{ path: '/a', depth: 1 }], [{ path: '/a', depth: 1 }]]);
  });

  describe('of a generator', () => {
    async function* counting() {
      yield 1;
      yield 2;
      yield 3;
    }
    const outputsOf = async (add?: (hooks: Hooks) => void, options: object = {}) => {
      const sdk = sdkOf();
      const hooks = await withHooks(add);
      const { hooked } = agentOf(sdk, hooks, {});
      const { model } = modelOf(sdk, call, result(text('Done.')));
      const tools = hookedTools(hooks, { ls: ls(counting) }, options);
      const stream = sdk.ai.streamText({ ...hooked, model, tools, prompt: 'Go.' });
      const parts = await partsOf(stream.fullStream);
      return parts.flatMap((part) => (part.type === 'tool-result' ? [[part.output, part.preliminary === true]] : []));
    };

    test('gives its preliminary outputs as they come', async () => {
      const native = [
        [1, true],
        [2, true],
        [3, true],
        [3, false],
      ];
      expect(await outputsOf()).toEqual(native);
      expect(await outputsOf((all) => all.on('BeforeTool', () => undefined))).toEqual(native);
      const after = (all: Hooks) => all.on('AfterTool', () => undefined);
      expect(await outputsOf(after, { stream: 'live' })).toEqual(native);
    });

    test('holds them back while AfterTool hooks have not seen the last', async () => {
      const outputs = await outputsOf((all) => all.on('AfterTool', () => undefined));
      expect(outputs.map(([output]) => output)).toEqual([3, 3]);
    });
  });

  const waiting = () =>
    new Promise<undefined>((resolve) => {
      setTimeout(() => resolve(undefined), 5_000).unref();
    });

  test.each(['generateText', 'streamText'])(
    'that is aborted while hooks are asked ends them, and rejects at once (%s)',
    async (way) => {
      let ended = 0;
      const leaving = new AbortController();
      const hooks = await withHooks((all) =>
        all.on('BeforeTool', (_input, { signal }) => {
          signal.addEventListener('abort', () => {
            ended = performance.now();
          });
          setTimeout(() => leaving.abort(new Error('gone')), 50);
          return waiting();
        }),
      );
      const ran: unknown[] = [];
      const { run, stream } = agentOf(
        sdkOf(),
        hooks,
        { ls: ls((input) => ran.push(input)) },
        call,
        result(text('Done.')),
      );
      const started = performance.now();
      const given = { prompt: 'Go.', abortSignal: leaving.signal, onError: () => undefined };
      const work = way === 'generateText' ? run(given) : stream(given).text;
      await expect(work).rejects.toThrow();
      expect(performance.now() - started).toBeLessThan(1_000);
      expect(ended).toBeGreaterThan(0);
      expect(ran).toEqual([]);
    },
  );

  test('is confirmed by deps.confirm where the host has one, and no approval is requested', async () => {
    const questions: unknown[] = [];
    const hooks = await createHooks({
      deps: {
        confirm: ({ reason, toolName }) => {
          questions.push([toolName, reason]);
          return questions.length === 1;
        },
      },
    });
    hooks.on('BeforeTool', () => ({ decision: 'ask', reason: 'really?' }));
    const ran: unknown[] = [];
    const { asked, run } = agentOf(
      sdkOf(),
      hooks,
      { ls: ls((input) => ran.push(input)) },
      call,
      call,
      result(text('Done.')),
    );
    expect((await run()).text).toBe('Done.');
    expect([questions, ran]).toEqual([
      [
        ['ls', 'really?'],
        ['ls', 'really?'],
      ],
      [{ path: '/' }],
    ]);
    expect(toldOf(asked)).toEqual([{ type: 'execution-denied', reason: 'not approved (really?)' }]);
  });

  test('that a hook asks about tells the page the reason', async () => {
    const hooks = await withHooks((all) => all.on('BeforeTool', () => ({ decision: 'ask', reason: 'really?' })));
    const { stream } = agentOf(sdkOf(), hooks, { ls: ls(() => 1) }, call);
    const parts = await partsOf(stream().toUIMessageStream());
    expect(parts.map(({ type }) => type)).toContain('tool-approval-request');
    expect(parts.find(({ type }) => type === 'tool-input-available')).toMatchObject({
      providerMetadata: { hookwright: { ask: 'really?' } },
    });
  });

  test.each(['generateText', 'streamText'])(
    'asks its hooks at the same time as the other calls of its step (%s)',
    async (way) => {
      const hooks = await withHooks((all) =>
        all.on('BeforeTool', async () => {
          await new Promise((resolve) => setTimeout(resolve, 300));
          return undefined;
        }),
      );
      const calls = result(...['a', 'b', 'c', 'd'].map((path, index) => toolCall({ path }, `call_${index}`)));
      const ran: unknown[] = [];
      const { run, stream } = agentOf(
        sdkOf(),
        hooks,
        { ls: ls((input) => ran.push(input)) },
        calls,
        result(text('Done.')),
      );
      const started = performance.now();
      expect(way === 'generateText' ? (await run()).text : await stream().text).toBe('Done.');
      expect(performance.now() - started).toBeLessThan(900);
      expect(ran).toHaveLength(4);
    },
  );
});

describeVersions('tools of an MCP client of the AI SDK', (sdkOf) => {
  test('pass their hooks as others do', async () => {
    const transport = new StdioTransport({ command: process.execPath, args: ['test/fixtures/mcp/server.mjs'] });
    const client = await createMCPClient({ transport });
    onTestFinished(() => client.close());
    const hooks = await withHooks((all) =>
      all.on('BeforeTool', ({ tool_input }) =>
        tool_input.path === '/no'
          ? { decision: 'deny', reason: 'not here' }
          : { hookSpecificOutput: { tool_input: { path: '/safe' } } },
      ),
    );
    const calls = result(toolCall({ path: '/etc' }, 'call_1', 'read'), toolCall({ path: '/no' }, 'call_2', 'read'));
    const { asked, run } = agentOf(sdkOf(), hooks, await client.tools(), calls, result(text('Done.')));
    await run();
    expect(JSON.stringify(toldOf(asked))).toContain('content of /safe');
    expect(toldOf(asked)).toContainEqual({ type: 'execution-denied', reason: 'not here' });
  });
});
