import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  Config,
  createHooks,
  executeToolWithHooks,
  type HookConfig,
  type HookExecutionTrace,
  type HooksByEvent,
  MessageBus,
  requestHooks,
} from '../../src/index.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { untyped } from '../support/untyped.ts';

const answering = (name: string, answer: object, more: Partial<HookConfig> = {}): HookConfig => ({
  type: 'runtime',
  name,
  action: () => answer,
  ...more,
});

const broken: HookConfig = {
  type: 'runtime',
  name: 'broken',
  onFault: 'deny',
  action: () => {
    throw new Error('not today');
  },
};

/** Each of these words would do something. */
const loud: HooksByEvent = {
  BeforeTool: [
    {
      hooks: [
        answering('denier', { decision: 'deny', reason: 'no', systemMessage: 'M' }),
        answering('asker', { decision: 'ask', reason: 'sure?' }),
        answering('stopper', { continue: false, stopReason: 'over' }),
        answering('rewriter', { hookSpecificOutput: { tool_input: { command: 'rm' }, additionalContext: 'C' } }),
        broken,
      ],
    },
  ],
  AfterTool: [{ hooks: [answering('withholder', { decision: 'deny', reason: 'secret', suppressOutput: true })] }],
};

const call = { tool_name: 'shell', tool_input: { command: 'ls' } };

describe('R591 hooks that are only observed run, and nothing is blocked, asked, changed or said', () => {
  const questions: unknown[] = [];
  const confirm = (question: unknown): false => {
    questions.push(question);
    return false;
  };

  test('by callTool', async () => {
    const hooks = await createHooks({ hooks: loud, mode: 'observe', deps: { confirm } });
    const calls: unknown[] = [];
    const { faults, ...called } = await hooks.callTool('shell', { command: 'ls' }, (input) => {
      calls.push(input);
      return 'done';
    });
    expect(called).toEqual({ output: 'done', messages: [], input: { command: 'ls' } });
    expect(faults.map(({ hook, code }) => [hook, code])).toEqual([['broken', 'threw']]);
    expect([calls, questions]).toEqual([[{ command: 'ls' }], []]);
  });

  test('by a call of the facade', async () => {
    const hooks = await createHooks({ hooks: loud, mode: 'observe' });
    const { faults, ...heard } = await hooks.beforeTool({ tool: 'shell', input: { command: 'ls' } });
    expect(heard).toEqual({ verdict: 'none', messages: [], input: { command: 'ls' } });
    expect(faults).toHaveLength(1);
  });

  test('by a trigger', async () => {
    const config = new Config({ enableHooks: true, hooks: loud, mode: 'observe', deps: { confirm } });
    const calls: unknown[] = [];
    const tool = async (input: unknown) => {
      calls.push(input);
      return { llmContent: 'done' };
    };
    expect(await executeToolWithHooks(config, 'shell', { command: 'ls' }, tool)).toEqual({ llmContent: 'done' });
    expect([calls, questions]).toEqual([[{ command: 'ls' }], []]);
  });

  test('by a request over the bus', async () => {
    const bus = new MessageBus();
    const config = new Config({ enableHooks: true, hooks: loud, mode: 'observe', bus });
    const { finalOutput, allOutputs } = await requestHooks(bus, 'BeforeTool', call);
    expect([finalOutput, allOutputs]).toEqual([undefined, []]);
    await config.getHookSystem()?.dispose();
  });

  test('also where a deadline passes before a guard is heard', async () => {
    const never = { ...broken, action: () => new Promise<never>(() => undefined) };
    const hooks = await createHooks({ hooks: { BeforeTool: [{ hooks: [never] }] }, mode: 'observe' });
    const { verdict, faults } = await hooks.beforeTool({ tool: 'shell', input: {}, timeoutMs: 20 });
    expect(verdict).toBe('none');
    expect(faults.map(({ code }) => code)).toEqual(['deadline_exceeded', 'deadline']);
  });

  test('and no guard is asked twice', async () => {
    const seen: unknown[] = [];
    const guard = answering('guard', {}, { onFault: 'deny', action: (input) => void seen.push(input) });
    const rewriter = answering('rewriter', { hookSpecificOutput: { tool_input: { command: 'rm' } } });
    const hooks = await createHooks({ hooks: { BeforeTool: [{ hooks: [guard, rewriter] }] }, mode: 'observe' });
    await hooks.beforeTool({ tool: 'shell', input: { command: 'ls' } });
    expect(seen).toHaveLength(1);
  });
});

describe('R592 rows of observed hooks say so, and what would have been', () => {
  test('in a trace', async () => {
    const traces: HookExecutionTrace[] = [];
    const deps = { onTrace: (trace: HookExecutionTrace) => traces.push(trace) };
    const hooks = await createHooks({ hooks: loud, mode: 'observe', deps });
    await hooks.beforeTool({ tool: 'shell', input: { command: 'ls' } });
    const [denier, asker, , rewriter] = traces[0]?.rows ?? [];
    expect(traces[0]?.rows.map(({ observed }) => observed)).toEqual([true, true, true, true, true]);
    expect(denier).toMatchObject({ output: { decision: 'deny' }, fields: { decision: { fate: 'applied' } } });
    expect(asker).toMatchObject({ fields: { decision: { fate: 'overridden', by: denier?.hookId } } });
    expect(rewriter).toMatchObject({ fields: { 'hookSpecificOutput.tool_input.command': { fate: 'applied' } } });
  });

  test('beforehand, of those that run', async () => {
    const off = { disabled: ['asker'] };
    const hooks = await createHooks({
      config: new Config({ enableHooks: true, hooks: loud, mode: 'observe', disabledHooks: off.disabled }),
    });
    const rows = await hooks.explain('BeforeTool');
    expect(rows.map(({ name, observed }) => [name, observed]).slice(0, 2)).toEqual([
      ['denier', true],
      ['asker', undefined],
    ]);
  });

  test('of enforced hooks they do not', async () => {
    const hooks = await createHooks({ hooks: loud, mode: 'enforce' });
    expect((await hooks.beforeTool({ tool: 'shell', input: {} })).verdict).toBe('deny');
    expect((await hooks.explain()).filter((row) => 'observed' in row)).toEqual([]);
  });
});

describe('R593 a mode is one of two words, wherever it is given', () => {
  test('hooks of settings files are observed too', async () => {
    const home = temporaryFolder('observe');
    const cwd = join(home, 'project');
    mkdirSync(cwd);
    mkdirSync(join(home, '.hookwright'));
    const hooks = { BeforeTool: [{ hooks: [{ name: 'no', command: 'echo no >&2; exit 2' }] }] };
    writeFileSync(join(home, '.hookwright/settings.json'), JSON.stringify({ hooks }));
    const verdictIn = async (mode: 'observe' | 'enforce') => {
      const engine = await createHooks({ load: true, home, cwd, mode });
      const { verdict } = await engine.beforeTool({ tool: 'shell', input: {} });
      await engine.close();
      return verdict;
    };
    expect([await verdictIn('observe'), await verdictIn('enforce')]).toEqual(['none', 'deny']);
  });

  test('another word is a mistake that is told with the nearest', async () => {
    const message = 'needs mode as "enforce" or "observe"; got "obseve"; did you mean "observe"?';
    const mode = untyped<'observe'>('obseve');
    expect(() => new Config({ mode })).toThrow(`Config ${message}`);
    await expect(createHooks({ mode })).rejects.toThrow(`createHooks ${message}`);
  });

  test('beside a config it is refused, since the config has one of its own', async () => {
    const config = new Config({ enableHooks: true });
    await expect(createHooks({ config, mode: 'observe' })).rejects.toThrow('takes mode from the config');
  });
});
