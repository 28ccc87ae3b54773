import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import {
  Config,
  createHooks,
  executeToolWithHooks,
  type HookDefinition,
  type HookDeps,
  type HooksByEvent,
} from '../../src/index.ts';
import { hook, listening } from '../triggers/support.ts';

const onFirst = { matcher: '^first$' };
const lint = { hookSpecificOutput: { tailToolCallRequest: { name: 'lint', args: { fix: true } } } };
const changing = (tool_input: object, onFault?: 'allow' | 'deny' | 'ask'): HookDefinition => ({
  hooks: [
    {
      type: 'runtime',
      name: 'rewriter',
      onFault,
      action: () => ({ hookSpecificOutput: { tool_input: { ...tool_input } } }),
    },
  ],
});

describe('a call of the facade and one of the trigger are one and the same', () => {
  const both = async (hooks: HooksByEvent) => {
    const runTool = (name: string, args: object) => ({ llmContent: `${name} ${JSON.stringify(args)}` });
    const first = () => ({ llmContent: 'first' });
    const engine = await createHooks({ hooks });
    const called = await engine.callTool('first', { a: 1 }, first, { runTool });
    await engine.close();
    const config = new Config({ enableHooks: true, runtimeHooks: hooks });
    const executed = await executeToolWithHooks(config, 'first', { a: 1 }, first, { runTool });
    return { called, executed };
  };

  test.each<[string, HooksByEvent]>([
    [
      'words before and after',
      {
        BeforeTool: [hook({ systemMessage: 'careful', hookSpecificOutput: { additionalContext: 'before' } })],
        AfterTool: [hook({ systemMessage: 'done', hookSpecificOutput: { additionalContext: 'after' } })],
      },
    ],
    ['a rewrite', { BeforeTool: [hook({ hookSpecificOutput: { tool_input: { a: 2 } } })] }],
    [
      'another tool in its place',
      {
        BeforeTool: [hook({ systemMessage: 'careful' }, onFirst)],
        AfterTool: [
          hook({ ...lint, systemMessage: 'linting' }, onFirst),
          hook({ systemMessage: 'linted' }, { matcher: 'lint' }),
        ],
      },
    ],
    [
      'another tool that a hook refuses',
      { BeforeTool: [hook({ decision: 'deny', reason: 'no' }, { matcher: 'lint' })], AfterTool: [hook(lint, onFirst)] },
    ],
  ])('with %s the model reads the same', async (_what, hooks) => {
    const { called, executed } = await both(hooks);
    expect(called.output).toEqual(executed);
  });
});

describe('a tool that a hook wants called next', () => {
  const chain = async (
    hooks: HooksByEvent,
    runTool: (name: string) => unknown = (name) => name,
    deps: HookDeps = {},
  ) => {
    const engine = await createHooks({ hooks, deps });
    return engine.callTool('first', {}, () => 'first', { runTool });
  };

  test('is called by `runTool`, with its own hooks, and its result takes the place of the first', async () => {
    const result = await chain({ AfterTool: [hook(lint, onFirst), hook({ systemMessage: 'M' }, { matcher: 'lint' })] });
    expect(result).toMatchObject({ output: 'lint\n\n[System] M', messages: ['M'] });
    expect(result).not.toHaveProperty('tailToolCall');
  });

  test('takes its result away where a hook withholds that', async () => {
    const secret = hook({ decision: 'deny', reason: 'secret' }, { matcher: 'lint' });
    const result = await chain({ AfterTool: [hook(lint, onFirst), secret] });
    expect(result).toMatchObject({ withheld: { reason: 'secret' } });
    expect(result).not.toHaveProperty('output');
  });

  test('that fails leaves the first result standing, and says so', async () => {
    const result = await chain({ AfterTool: [hook(lint, onFirst)] }, () => Promise.reject(new Error('no linter')));
    expect(result.output).toBe('first\n\n[System] A hook asked for the tool lint, which failed: no linter');
  });
});

describe('arguments that a hook changed to what the tool does not take', () => {
  const inputSchema = z.object({ command: z.string() });
  const call = async (definition: HookDefinition, more: object = {}) => {
    const { warnings, logger } = listening();
    const engine = await createHooks({ hooks: { BeforeTool: [definition] }, deps: { logger } });
    const ran: unknown[] = [];
    const run = (input: unknown) => {
      ran.push(input);
      return 'done';
    };
    const result = await engine.callTool('shell', { command: 'ls' }, run, { inputSchema, ...more });
    return { result, ran, warnings };
  };

  test('are a fault of that hook, and the tool runs with its own', async () => {
    const { result, ran, warnings } = await call(changing({ command: 7 }));
    expect(ran).toEqual([{ command: 'ls' }]);
    expect(result).toMatchObject({
      output: 'done',
      faults: [
        { hook: 'rewriter', code: 'malformed-output', message: expect.stringMatching(/input\.command: .*string/) },
      ],
    });
    expect(warnings).toHaveLength(1);
  });

  test.each(['deny', 'ask'] as const)('refuse the call where that hook says onFault: %s', async (onFault) => {
    const { result, ran } = await call(changing({ command: 7 }, onFault));
    expect(ran).toEqual([]);
    expect(result.blocked?.reason).toMatch(
      /Hook rewriter changed the arguments of shell to what the tool does not take/,
    );
  });

  test('that fit are those the tool runs with', async () => {
    const { result, ran } = await call(changing({ command: 'pwd' }));
    expect({ ran, faults: result.faults }).toEqual({ ran: [{ command: 'pwd' }], faults: [] });
  });

  test('are not judged by a schema that does not take the arguments of the call either', async () => {
    const transformed = z.object({ command: z.string().transform((words) => words.length) });
    const engine = await createHooks({ hooks: { BeforeTool: [changing({ command: 5 })] } });
    const { output, faults } = await engine.callTool('shell', { command: 2 }, ({ command }) => command, {
      inputSchema: transformed,
    });
    expect({ output, faults }).toEqual({ output: 5, faults: [] });
  });
});

describe('a result that a hook puts in place of the tool’s', () => {
  const updating = (updatedOutput: unknown, onFault?: 'deny'): HookDefinition => ({
    hooks: [{ type: 'runtime', name: 'redactor', onFault, action: () => ({ hookSpecificOutput: { updatedOutput } }) }],
  });
  const outputs = async (definition: HookDefinition, output: unknown, more: object = {}) => {
    const hooks = { AfterTool: [definition] };
    const engine = await createHooks({ hooks });
    const called = await engine.callTool('read', {}, () => output, more);
    const { output: after } = await engine.afterTool({ tool: 'read', input: {}, output });
    await engine.close();
    return { called, after };
  };

  test.each<[string, unknown, unknown, unknown]>([
    ['a text', 'key=sk-1', 'key=***', 'key=***'],
    ['a text, by what hooks were shown', 'key=sk-1', { llmContent: 'key=***' }, 'key=***'],
    ['a result', { llmContent: 'key=sk-1', x: 1 }, 'key=***', expect.objectContaining({ llmContent: 'key=***', x: 1 })],
    ['any object', { key: 'sk-1' }, { key: '***' }, { key: '***' }],
  ])('takes the place of %s', async (_what, output, updated, expected) => {
    const { called, after } = await outputs(updating(updated), output);
    expect([called.output, after]).toEqual([expected, expected]);
  });

  test('takes its place in executeToolWithHooks as well, before what hooks say', async () => {
    const config = new Config({
      enableHooks: true,
      runtimeHooks: { AfterTool: [hook({ systemMessage: 'M', hookSpecificOutput: { updatedOutput: 'key=***' } })] },
    });
    const result = await executeToolWithHooks(config, 'read', {}, () => ({ llmContent: 'key=sk-1' }));
    expect(result.llmContent).toBe('key=***\n\n[System] M');
  });

  const outputSchema = z.object({ rows: z.number() });

  test('that does not fit what the tool gives is a fault of that hook, and the tool’s own stands', async () => {
    const { called } = await outputs(updating({ rows: 'many' }), { rows: 3 }, { outputSchema });
    expect(called).toMatchObject({
      output: { rows: 3 },
      faults: [{ hook: 'redactor', code: 'malformed-output', message: expect.stringContaining('input.rows') }],
    });
  });

  test('that does not fit withholds the result where that hook says onFault: deny', async () => {
    const { called } = await outputs(updating({ rows: 'many' }, 'deny'), { rows: 3 }, { outputSchema });
    expect(called).not.toHaveProperty('output');
    expect(called.withheld?.reason).toMatch(/Hook redactor changed the result of read/);
  });
});
