import { describe, expect, test } from 'vitest';
import { createHooks, executeToolWithHooks, type HooksByEvent } from '../../src/index.ts';
import { configWith, hook, tool } from './support.ts';

type Input = Record<string, unknown>;

interface Case {
  readonly hooks: HooksByEvent;
  readonly input: Input;
}

const ways: readonly [string, (given: Case) => Promise<{ calls: Input[]; result: unknown }>][] = [
  [
    'callTool',
    async ({ hooks, input }) => {
      const { calls, run } = tool('done');
      return { result: await (await createHooks({ hooks })).callTool('shell', input, run), calls };
    },
  ],
  [
    'executeToolWithHooks',
    async ({ hooks, input }) => {
      const { calls, run } = tool({ llmContent: 'done' });
      return { result: await executeToolWithHooks(configWith(hooks), 'shell', input, run), calls };
    },
  ],
];

/** A hook that denies `rm` and changes what the agent holds while it decides, as code of the agent might. */
const guardDuring = (seen: unknown[], change: () => void) =>
  hook(({ tool_input }: { tool_input: { command: unknown } }) => {
    seen.push(tool_input.command);
    change();
    return tool_input.command === 'rm' ? { decision: 'deny', reason: 'no rm' } : { decision: 'allow' };
  });

class Command {
  get line(): string {
    return 'rm';
  }
}

class LoggedCommand extends Command {
  log = true;
}

describe.each(ways)('R1040 %s runs the arguments that hooks judged', (_name, callWith) => {
  test('when the agent changes them while hooks are asked, deep inside too', async () => {
    const input = { command: 'ls', options: { paths: ['a'] } };
    const seen: unknown[] = [];
    const change = () => {
      input.command = 'rm';
      input.options.paths.push('/');
    };
    const hooks = { BeforeTool: [guardDuring(seen, change), guardDuring(seen, change)] };
    const { calls } = await callWith({ hooks, input });
    expect([calls, seen]).toEqual([[{ command: 'ls', options: { paths: ['a'] } }], ['ls', 'ls']]);
  });

  test('and asks again when arguments that cannot be copied have changed meanwhile', async () => {
    const input = { command: 'ls', since: new Date(0) };
    const seen: unknown[] = [];
    const hooks = { BeforeTool: [guardDuring(seen, () => Object.assign(input, { command: 'rm' }))] };
    const { calls, result } = await callWith({ hooks, input });
    expect([calls, seen]).toEqual([[], ['ls', 'rm']]);
    expect(JSON.stringify(result)).toContain('no rm');
  });

  test('and refuses arguments that change each time they are judged', async () => {
    const input = { command: 0, since: new Date(0) };
    const change = () => {
      input.command += 1;
    };
    const hooks = { BeforeTool: [guardDuring([], change)] };
    const { calls, result } = await callWith({ hooks, input });
    expect(calls).toEqual([]);
    expect(JSON.stringify(result)).toContain('arguments of this tool call change while its hooks judge them');
  });

  test('and hands over those that cannot be copied as they are when they did not change', async () => {
    const input = { command: 'ls', since: new Date(0) };
    const { calls } = await callWith({ hooks: { BeforeTool: [guardDuring([], () => {})] }, input });
    expect(calls).toEqual([input]);
    expect(calls[0]).toBe(input);
  });

  test.each([
    ['a date', { since: new Date(0) }],
    ['a function', { each: () => 1 }],
    ['a cycle', Object.assign({}, { self: {} })],
  ])('R1972 and does not say that a hook changed arguments with %s', async (_what, input) => {
    if ('self' in input) input.self = input;
    const { calls, result } = await callWith({ hooks: { BeforeTool: [hook({ decision: 'allow' })] }, input });
    expect(calls[0]).toBe(input);
    expect(JSON.stringify(result, (key, value) => (key === 'input' ? undefined : value))).not.toContain('changed');
  });

  test.each<[what: string, input: Input, shown: Input]>([
    ['a getter of a class', { run: new Command() }, { run: { line: 'rm' } }],
    ['a getter that a class inherits', { run: new LoggedCommand() }, { run: { log: true, line: 'rm' } }],
    ['an object that they inherit from', Object.create({ line: 'rm' }), { line: 'rm' }],
    ['a Map', { run: new Map([['line', new Set(['rm'])]]) }, { run: { line: ['rm'] } }],
    [
      'a Map with keys of one text',
      {
        run: new Map([
          [{}, 'ls'],
          [{}, 'rm'],
        ]),
      },
      {
        run: [
          [{}, 'ls'],
          [{}, 'rm'],
        ],
      },
    ],
  ])('R1982 and shows hooks what tools read from %s', async (_what, input, shown) => {
    const seen: unknown[] = [];
    const guard = hook(({ tool_input }: { tool_input: Input }) => {
      seen.push(tool_input);
      return JSON.stringify(tool_input).includes('rm') ? { decision: 'deny', reason: 'no rm' } : undefined;
    });
    const { calls } = await callWith({ hooks: { BeforeTool: [guard] }, input });
    expect([calls, seen]).toEqual([[], [shown]]);
  });

  test.each([
    ['plain JSON', {}],
    ['other values', { since: new Date(0) }],
  ])('R1984 and refuses a graph of %s with more values than hooks can be shown, at once', async (_what, leaf) => {
    let input: Input = leaf;
    for (let level = 0; level < 50; level += 1) input = { left: input, right: input };
    const guard = hook({ decision: 'allow' }, { onFault: 'deny' });
    const { calls, result } = await callWith({ hooks: { BeforeTool: [guard] }, input });
    expect(calls).toEqual([]);
    expect(JSON.stringify(result, (key, value) => (key === 'input' ? undefined : value))).toContain('was not started');
  });

  test('with what a hook put in place of a part of them', async () => {
    const changes = { hookSpecificOutput: { tool_input: { command: 'ls -l' } } };
    const input = { command: 'ls', since: new Date(0) };
    const { calls } = await callWith({ hooks: { BeforeTool: [hook(changes)] }, input });
    expect(calls).toEqual([{ command: 'ls -l', since: input.since }]);
  });
});

test('R1972 arguments that no hook changed are handed over as they are, whatever inputSchema says of them', async () => {
  const hooks = await createHooks({ hooks: { BeforeTool: [hook({ decision: 'allow' })] } });
  const input = { since: new Date(0) };
  const { calls, run } = tool('done');
  const inputSchema = (args: unknown) => (args === input ? 'a text was expected' : undefined);
  const { faults } = await hooks.callTool('shell', input, run, { inputSchema });
  expect([calls[0], faults]).toEqual([input, []]);
});
