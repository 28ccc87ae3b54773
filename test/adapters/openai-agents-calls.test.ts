import {
  Agent,
  type ApplyPatchOperation,
  applyPatchTool,
  type Computer,
  computerTool,
  MCPServerStdio,
  type ShellAction,
  shellTool,
  type Tool,
  tool,
  webSearchTool,
} from '@openai/agents';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { hookedAgent } from '../../src/adapters/openai-agents/index.ts';
import { createHooks, type Hooks } from '../../src/index.ts';
import { call, type Item, message, runner, StubModel } from './openai-agents-support.ts';
import { withHooks, withQuestions } from './support.ts';

const denying = (): Promise<Hooks> =>
  withHooks((all) => all.on('BeforeTool', () => ({ decision: 'deny', reason: 'not here' })));

const refusal = 'Tool execution was not approved. not here';

const outputsTold = (model: StubModel): unknown[] => {
  const input = model.asked.at(-1)?.input ?? [];
  return (typeof input === 'string' ? [] : input).flatMap((item) => ('output' in item ? [item.output] : []));
};

/** A tool of each kind that is no function, what it did, and the call of it. */
const machines = () => {
  const did: unknown[] = [];
  const act =
    (name: string) =>
    async (...args: unknown[]) => {
      did.push([name, ...args.slice(0, -1)]);
    };
  const computer: Computer = {
    environment: 'ubuntu',
    dimensions: [1, 1],
    screenshot: async () => 'AAAA',
    click: act('click'),
    doubleClick: act('doubleClick'),
    scroll: act('scroll'),
    type: act('type'),
    wait: act('wait'),
    move: act('move'),
    keypress: act('keypress'),
    drag: act('drag'),
  };
  const shell = {
    run: async (action: ShellAction) => {
      did.push(action.commands);
      return { output: [{ stdout: 'gone', stderr: '', outcome: { type: 'exit' as const, exitCode: 0 } }] };
    },
  };
  const edit = async (operation: ApplyPatchOperation) => {
    did.push(operation.path);
    return { status: 'completed' as const, output: 'patched' };
  };
  const editor = { createFile: edit, updateFile: edit, deleteFile: edit };
  const kinds: Readonly<Record<string, { readonly tool: Tool; readonly item: Item }>> = {
    shell: {
      tool: shellTool({ shell }),
      item: { type: 'shell_call', callId: 'call_1', status: 'completed', action: { commands: ['rm -rf ~'] } },
    },
    apply_patch: {
      tool: applyPatchTool({ editor }),
      item: {
        type: 'apply_patch_call',
        callId: 'call_1',
        status: 'completed',
        operation: { type: 'delete_file', path: '/etc/passwd' },
      },
    },
    computer_use_preview: {
      tool: computerTool({ computer }),
      item: {
        type: 'computer_call',
        callId: 'call_1',
        status: 'completed',
        action: { type: 'click', x: 1, y: 2, button: 'left' },
      },
    },
  };
  return { did, kinds };
};

const names = ['shell', 'apply_patch', 'computer_use_preview'];

const machineOf = (name: string) => {
  const { did, kinds } = machines();
  const kind = kinds[name];
  if (kind === undefined) throw new Error('unreachable: it is one of them');
  const model = new StubModel([kind.item], [message('Done.')], [message('Done.')]);
  return { did, model, agent: new Agent({ name: 'operator', model, tools: [kind.tool] }) };
};

describe.each(names)('the tool %s', (name) => {
  test('does nothing where a hook denies, and the model reads the reason', async () => {
    const { did, model, agent } = machineOf(name);
    expect((await runner.run(hookedAgent(await denying(), agent), 'Go.')).finalOutput).toBe('Done.');
    expect(did).toEqual([]);
    expect(JSON.stringify(model.asked.at(-1)?.input)).toContain(refusal);
  });

  test('is asked about once, by its name and with its action, runs what hooks let it, and AfterTool sees what came of it', async () => {
    const seen: unknown[] = [];
    const hooks = await withHooks((all) => {
      all.on('BeforeTool', ({ tool_name, tool_use_id }) => void seen.push(tool_name, tool_use_id));
      all.on('AfterTool', ({ tool_name }) => void seen.push(`after ${tool_name}`));
    });
    const { did, agent } = machineOf(name);
    await runner.run(hookedAgent(hooks, agent), 'Go.');
    expect(did).toHaveLength(1);
    expect(seen).toEqual([name, 'call_1', `after ${name}`]);
    expect(hooks.problems).toEqual([]);
  });

  test('that a hook asks about waits for the SDK’s own approval, and runs then', async () => {
    const { hooks, asked } = await withQuestions();
    const { did, agent } = machineOf(name);
    const hooked = hookedAgent(hooks, agent);
    const first = await runner.run(hooked, 'Go.');
    expect([first.interruptions.length, did, asked.times]).toEqual([1, [], 1]);
    for (const interruption of first.interruptions) first.state.approve(interruption);
    expect((await runner.run(hooked, first.state)).finalOutput).toBe('Done.');
    expect(did).toHaveLength(1);
  });

  test('that a hook asks about is confirmed by deps.confirm where the host has one', async () => {
    const hooks = await createHooks({ deps: { confirm: ({ reason }) => reason === 'really?' } });
    onTestFinished(() => hooks.close());
    hooks.on('BeforeTool', () => ({ decision: 'ask', reason: 'really?' }));
    const { did, agent } = machineOf(name);
    const { interruptions } = await runner.run(hookedAgent(hooks, agent), 'Go.');
    expect([interruptions.length, did.length]).toEqual([0, 1]);
  });
});

test('a shell, an editor and a computer get what hooks made of their arguments', async () => {
  const changes: Readonly<Record<string, object>> = {
    shell: { commands: ['ls'] },
    apply_patch: { path: 'notes.txt' },
    computer_use_preview: { x: 7 },
  };
  const hooks = await withHooks((all) =>
    all.on('BeforeTool', ({ tool_name }) => ({ hookSpecificOutput: { tool_input: { ...changes[tool_name] } } })),
  );
  const did: unknown[] = [];
  for (const name of names) {
    const machine = machineOf(name);
    await runner.run(hookedAgent(hooks, machine.agent), 'Go.');
    did.push(...machine.did);
  }
  expect(did).toEqual([['ls'], 'notes.txt', ['click', 7, 2, 'left']]);
});

test('a tool that a provider runs is named in the problems when the agent is handed over', async () => {
  const hooks = await withHooks();
  hookedAgent(hooks, new Agent({ name: 'searcher', tools: [webSearchTool()] }));
  expect(hooks.problems).toMatchObject([{ code: 'unhooked-tool', message: expect.stringContaining('"web_search"') }]);
});

describe('MCP servers of an agent', () => {
  const agentWith = async (hooks: Hooks, ...answers: Item[][]) => {
    const server = new MCPServerStdio({
      name: 'my files',
      command: process.execPath,
      args: ['test/fixtures/mcp/server.mjs'],
    });
    await server.connect();
    onTestFinished(() => server.close());
    const model = new StubModel(...answers, [message('Done.')]);
    return { model, agent: hookedAgent(hooks, new Agent({ name: 'reader', model, mcpServers: [server] })) };
  };

  test('have hooks around their tools, which know them by the server and the tool', async () => {
    const seen: unknown[] = [];
    const hooks = await withHooks((all) => {
      all.on('BeforeTool', ({ tool_name }) => {
        seen.push(tool_name);
        return { hookSpecificOutput: { tool_input: { path: '/safe' } } };
      });
    });
    const { model, agent } = await agentWith(hooks, [call('read', { path: '/etc' })]);
    await runner.run(agent, 'Go.');
    expect(seen).toEqual(['mcp__my_files__read']);
    expect(JSON.stringify(outputsTold(model))).toContain('content of /safe');
  });

  test('are not called where a hook denies', async () => {
    const { model, agent } = await agentWith(await denying(), [call('read', { path: '/etc' })]);
    await runner.run(agent, 'Go.');
    expect(JSON.stringify(outputsTold(model))).toMatch(/not here/);
    expect(JSON.stringify(outputsTold(model))).not.toContain('content of');
  });

  test('that fail are told to AfterToolFailure hooks', async () => {
    const failed: unknown[] = [];
    const hooks = await withHooks((all) =>
      all.on('AfterToolFailure', ({ tool_name, error }) => void failed.push(tool_name, error)),
    );
    const { agent } = await agentWith(hooks, [call('fail', {})]);
    await runner.run(agent, 'Go.');
    expect(failed).toEqual(['mcp__my_files__fail', 'no such file']);
  });
});

describe('a function tool', () => {
  const agentWith = (
    hooks: Hooks,
    run: (input: { path: string }) => unknown,
    more: object = {},
    ...answers: Item[][]
  ) => {
    const ls = tool({
      name: 'ls',
      description: 'Lists.',
      parameters: z.object({ path: z.string() }),
      execute: run,
      ...more,
    });
    const model = new StubModel(...(answers.length > 0 ? answers : [[call('ls', { path: '/' })]]), [message('Done.')]);
    return { model, agent: hookedAgent(hooks, new Agent({ name: 'lister', model, tools: [ls] })) };
  };

  test.each<[string, object, string]>([
    ['with the words of the SDK', {}, 'An error occurred while running the tool'],
    ['in its own words', { errorFunction: () => 'Oh.' }, 'Oh.'],
  ])('that fails is told to AfterToolFailure hooks, and to the model %s', async (_how, more, words) => {
    const seen: unknown[] = [];
    const hooks = await withHooks((all) => {
      all.on('AfterToolFailure', ({ error }) => void seen.push(error));
      all.on('AfterTool', () => void seen.push('after'));
    });
    const { model, agent } = agentWith(hooks, () => Promise.reject(new Error('disk on fire')), more);
    await runner.run(agent, 'Go.');
    expect(seen).toEqual([expect.stringContaining('disk on fire')]);
    expect(JSON.stringify(outputsTold(model))).toContain(words);
  });

  test('keeps its own arguments where a hook changed them to what it does not take', async () => {
    const { hooks, ran } = {
      hooks: await withHooks((all) =>
        all.on('BeforeTool', () => ({ hookSpecificOutput: { tool_input: { path: 7 } } })),
      ),
      ran: [] as unknown[],
    };
    const { agent } = agentWith(hooks, (input) => ran.push(input));
    await runner.run(agent, 'Go.');
    expect(ran).toEqual([{ path: '/' }]);
  });

  test.each(['{"path": ', '["/"]', ''])(
    'R1993 with arguments that are no JSON object (%j) is refused as without hooks: no approval is asked for',
    async (given) => {
      const seen: unknown[] = [];
      const hooks = await withHooks((all) => all.on('BeforeTool', ({ tool_input }) => void seen.push(tool_input)));
      const item = { ...call('ls', {}), arguments: given };
      const { model, agent } = agentWith(hooks, (input) => seen.push(input), {}, [item]);
      const { finalOutput, interruptions } = await runner.run(agent, 'Go.');
      expect([finalOutput, interruptions, seen]).toEqual(['Done.', [], []]);
      expect(JSON.stringify(outputsTold(model))).toContain('Please try again with valid JSON');
      expect(model.asked.at(-1)?.input).toMatchObject([{}, { name: 'ls', arguments: given }, { name: 'ls' }]);
    },
  );

  test('R1994 that is added to a hooked agent later is refused, since its hooks cannot be asked', async () => {
    const hooks = await withHooks((all) => all.on('BeforeTool', () => undefined, { matcher: 'late' }));
    const { model, agent } = agentWith(hooks, () => 'a b', {}, [call('late', {})]);
    const ran: unknown[] = [];
    const parameters = z.object({});
    agent.tools.push(tool({ name: 'late', description: 'x', parameters, execute: () => ran.push('late') }));
    await runner.run(agent, 'Go.');
    expect(ran).toEqual([]);
    expect(JSON.stringify(outputsTold(model))).toContain('late was added to the agent after hookedAgent');
  });

  test('that a hook asks about carries the reason to the person, streamed or not, and not to the model', async () => {
    const { hooks } = await withQuestions();
    for (const stream of [false, true]) {
      const { model, agent } = agentWith(hooks, () => 'a b');
      const run = stream ? await runner.run(agent, 'Go.', { stream: true }) : await runner.run(agent, 'Go.');
      if ('completed' in run) await run.completed;
      const [interruption] = run.interruptions;
      expect(interruption?.rawItem).toMatchObject({ providerData: { hookwright: { ask: 'really?' } } });
      if (interruption !== undefined) run.state.approve(interruption);
      await runner.run(agent, run.state);
      expect(JSON.stringify(model.asked.at(-1)?.input)).not.toContain('hookwright');
    }
  });

  test.each(['ls', 'shell'])(
    'or another (%s) that is aborted while hooks are asked ends them, and the run rejects at once',
    async (name) => {
      let ended = false;
      const leaving = new AbortController();
      const hooks = await withHooks((all) =>
        all.on('BeforeTool', (_input, { signal }) => {
          signal.addEventListener('abort', () => {
            ended = true;
          });
          setTimeout(() => leaving.abort(new Error('gone')), 50);
          return new Promise<undefined>((resolve) => {
            setTimeout(() => resolve(undefined), 5_000).unref();
          });
        }),
      );
      const { agent } =
        name === 'ls' ? agentWith(hooks, () => 'a b') : { agent: hookedAgent(hooks, machineOf(name).agent) };
      const started = performance.now();
      await runner.run(agent, 'Go.', { signal: leaving.signal }).catch(() => undefined);
      expect(performance.now() - started).toBeLessThan(1_000);
      expect(ended).toBe(true);
    },
  );
});

describe('sub-agents', () => {
  const watching = (verdict?: { readonly decision: 'deny'; readonly reason: string }) => {
    const seen: string[] = [];
    const hooks = withHooks((all) => {
      all.on('SubagentStart', ({ agent_type }) => {
        seen.push(`start ${agent_type}`);
        return verdict;
      });
      all.on('SubagentStop', ({ agent_type }) => void seen.push(`stop ${agent_type}`));
    });
    return { seen, hooks };
  };

  test('that hooks refuse are not handed over to: their agent reads why, and works on', async () => {
    const { seen, hooks } = watching({ decision: 'deny', reason: 'not that one' });
    const other = new Agent({ name: 'other', model: new StubModel() });
    const model = new StubModel([call('transfer_to_other', { why: 'help' })], [message('Alone then.')]);
    const agent = new Agent({ name: 'first', model, handoffs: [other] });
    expect((await runner.run(hookedAgent(await hooks, agent), 'Go.')).finalOutput).toBe('Alone then.');
    expect(seen).toEqual(['start other']);
    expect(JSON.stringify(model.asked.at(-1)?.input)).toContain('Tool execution was not approved. not that one');
    expect(model.asked.at(-1)?.input).toContainEqual(
      expect.objectContaining({ type: 'function_call', name: 'transfer_to_other', arguments: '{"why":"help"}' }),
    );
    expect(JSON.stringify(model.asked)).not.toContain('hookwright');
  });

  test('stop as often as they start, when they hand over in a circle as well', async () => {
    const { seen, hooks } = watching();
    const second = new Agent({ name: 'second', model: new StubModel([call('transfer_to_first', {}, 'call_2')]) });
    const agent = new Agent({
      name: 'first',
      model: new StubModel([call('transfer_to_second', {})], [message('Back again.')]),
      handoffs: [second],
    });
    second.handoffs.push(agent);
    expect((await runner.run(hookedAgent(await hooks, agent), 'Go.')).finalOutput).toBe('Back again.');
    await expect.poll(() => seen).toEqual(['start second', 'start first', 'stop second', 'stop first']);
  });

  test.each([true, false])(
    'used as tools start and stop too, where hooks let them (refused: %s)',
    async (isRefused) => {
      const { seen, hooks } = watching(isRefused ? { decision: 'deny', reason: 'not that one' } : undefined);
      const nested = new StubModel([message('Nested.')]);
      const helper = new Agent({ name: 'helper', model: nested }).asTool({
        toolName: 'helper',
        toolDescription: 'Helps.',
      });
      const model = new StubModel([call('helper', { input: 'help' })], [message('Done.')]);
      await runner.run(hookedAgent(await hooks, new Agent({ name: 'first', model, tools: [helper] })), 'Go.');
      expect(seen).toEqual(isRefused ? ['start helper'] : ['start helper', 'stop helper']);
      expect(nested.asked).toHaveLength(isRefused ? 0 : 1);
      expect(JSON.stringify(outputsTold(model))).toContain(isRefused ? 'not that one' : 'Nested.');
    },
  );
});
