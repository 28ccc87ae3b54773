import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createHooks, defineHook, type HookRow } from '../../src/index.ts';

const edit = { name: 'edit', input: z.object({ path: z.string(), line: z.coerce.number().default(1) }) };

describe('a hook that names its tool', () => {
  test.each(['edit', 'a.b+c', 'mcp__files__(edit)'])(
    'is asked about %s and about no tool whose name is like it',
    async (tool) => {
      const asked: string[] = [];
      const hooks = await createHooks();
      hooks.on('BeforeTool', ({ tool_name }) => void asked.push(tool_name), { tool });
      for (const each of [tool, `${tool}or`, `my_${tool}`, 'axbbc']) await hooks.beforeTool({ tool: each, input: {} });
      expect(asked).toEqual([tool]);
      await hooks.close();
    },
  );

  test('reads the arguments as they are, whatever its schema would make of them', async () => {
    const read: unknown[] = [];
    const hook = defineHook({
      event: 'BeforeTool',
      name: 'a',
      tool: edit,
      run: ({ tool_input }) => {
        read.push(tool_input);
        return { hookSpecificOutput: { tool_input: { path: 'b' } } };
      },
    });
    const hooks = await createHooks({ hooks: [hook] });
    const { input } = await hooks.beforeTool({ tool: 'edit', input: { path: 'a', line: '7' } });
    expect(read).toEqual([{ path: 'a', line: '7' }]);
    expect(input).toEqual({ path: 'b', line: '7' });
    await hooks.close();
  });

  test.each([
    ['deny', 'deny'],
    ['allow', 'none'],
  ] as const)('is at fault where the arguments do not fit: onFault %s gives %s', async (onFault, verdict) => {
    const runs: unknown[] = [];
    const hooks = await createHooks();
    hooks.on('BeforeTool', (call) => void runs.push(call), { name: 'guard', tool: edit, onFault });
    const said = await hooks.beforeTool({ tool: 'edit', input: { path: 5 } });
    expect(said).toMatchObject({ verdict, faults: [{ hook: 'guard' }] });
    expect(said.faults[0]?.message).toContain('input.path');
    expect(runs).toEqual([]);
    await hooks.close();
  });

  test('is left out where it says so, with a warning in its row', async () => {
    const runs: unknown[] = [];
    const hooks = await createHooks();
    const rows: HookRow[] = [];
    hooks.bus.subscribe('hook-execution-trace', (trace) => {
      rows.push(...trace.rows);
    });
    const options = { tool: { ...edit, misfit: 'skip' }, onFault: 'deny' } as const;
    hooks.on('BeforeTool', (call) => void runs.push(call), options);
    expect(await hooks.beforeTool({ tool: 'edit', input: { path: 5 } })).toMatchObject({ verdict: 'none', faults: [] });
    expect(runs).toEqual([]);
    const message = expect.stringContaining('left out: the arguments of edit do not fit');
    expect(rows).toMatchObject([{ outcome: 'silent', warnings: [{ code: 'condition-mismatch', message }] }]);
    await hooks.beforeTool({ tool: 'edit', input: { path: 'a' } });
    expect(runs).toHaveLength(1);
    await hooks.close();
  });

  test.each([
    ['BeforeAgent', { tool: 'edit' }, 'which is about none'],
    ['BeforeTool', { tool: 'edit', matcher: 'x' }, 'either tool or matcher'],
    ['BeforeTool', { tool: '' }, 'the exact name of a tool'],
    ['BeforeTool', { tool: { name: 'edit', input: {} } }, 'Standard Schema'],
    ['BeforeTool', { tool: { ...edit, misfit: 'deny' } }, 'tool.misfit'],
  ])('is refused where it cannot be understood: %s %j', (event, options, message) => {
    const definition: object = { event, name: 'a', run: () => undefined, ...options };
    expect(() => Reflect.apply(defineHook, undefined, [definition])).toThrow(message);
  });
});
