import { existsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createHooks, defineHook, type HookConfig, type HookExecutionTrace, loadConfig } from '../../src/index.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const refuses = (more: Partial<HookConfig>): HookConfig => ({
  type: 'runtime',
  name: 'guard',
  action: () => ({ decision: 'deny', reason: 'not this call' }),
  ...more,
});

/** The verdict on one call, and the rows of the hooks that were asked about it. */
const verdictOn = async (
  hooks: readonly HookConfig[],
  tool: string,
  input: Record<string, unknown>,
  cwd = '/project',
) => {
  const traces: HookExecutionTrace[] = [];
  const engine = await createHooks({
    cwd,
    hooks: { BeforeTool: [{ hooks }] },
    deps: { onTrace: (trace) => traces.push(trace) },
  });
  const { verdict } = await engine.beforeTool({ tool, input });
  await engine.close();
  return { verdict, rows: traces[0]?.rows ?? [], problems: engine.problems };
};

describe('R1160 a hook with `if` runs for the calls that a pattern fits', () => {
  test.each<[string | string[], string, Record<string, unknown>, boolean]>([
    ['run_shell(git push *)', 'run_shell', { command: 'git push origin main' }, true],
    ['run_shell(git push *)', 'run_shell', { command: 'git push' }, true],
    ['run_shell(git push *)', 'run_shell', { command: 'cd x && git push -f' }, true],
    ['run_shell(git push *)', 'run_shell', { command: 'echo $(git push -f)' }, true],
    ['run_shell(git push *)', 'run_shell', { command: 'git status' }, false],
    ['run_shell(git push *)', 'run_shell', { command: 'echo "git push -f"' }, false],
    ['run_shell(git push:*)', 'run_shell', { command: 'git pushy' }, false],
    ['run_shell(git push *)', 'run_shell', { script: 'whatever' }, true],
    ['run_shell(git push *)', 'run_shell', { command: ['git', 'push'] }, true],
    ['run_shell(git push *)', 'other_shell', { command: 'git push -f' }, false],
    [['run_shell(rm *)', 'run_shell(git push *)'], 'run_shell', { command: 'git push -f' }, true],
    ['run_*(git push *)', 'run_shell', { command: 'git push -f' }, true],
    ['run_shell', 'run_shell', { command: 'ls' }, true],
    ['write_file(.env)', 'write_file', { path: 'sub/.env' }, true],
    ['write_file(/src/**)', 'write_file', { path: 'lib/../src/a.ts' }, true],
    ['write_file(/src/**)', 'write_file', { path: '/project/lib/../src/a.ts' }, true],
    ['write_file(/src/**)', 'write_file', { path: 'lib/a.ts' }, false],
    ['fetch(domain:evil.test)', 'fetch', { url: 'https://a.evil.test/x' }, true],
    ['fetch(domain:evil.test)', 'fetch', { url: 'https://good.test/evil.test' }, false],
    ['fetch(http://*)', 'fetch', { url: 'http://good.test/' }, true],
    ['fetch(http://*)', 'fetch', { url: 'https://good.test/' }, false],
    ['mcp__github', 'mcp__github__push', {}, true],
  ])('%j, asked about %s with %j: %s', async (condition, tool, input, runs) => {
    const { verdict, rows } = await verdictOn([refuses({ if: condition })], tool, input);
    expect(verdict).toBe(runs ? 'deny' : 'none');
    expect(rows.map(({ planned, reason }) => [planned, reason])).toEqual([
      runs ? ['run', undefined] : ['skip', 'condition-mismatch'],
    ]);
  });

  test('given in code with defineHook and registerHook', async () => {
    const run = () => ({ decision: 'deny', reason: 'defined' }) as const;
    const defined = defineHook({ event: 'BeforeTool', name: 'defined', if: 'shell(rm *)', run });
    const engine = await createHooks({ hooks: [defined] });
    engine.system.registerHook(refuses({ if: ['shell(git push *)'] }), 'BeforeTool');
    const verdicts = ['rm -r x', 'git push', 'ls'].map(async (command) => {
      const { verdict, reason } = await engine.beforeTool({ tool: 'shell', input: { command } });
      return [verdict, reason];
    });
    expect(await Promise.all(verdicts)).toEqual([
      ['deny', 'defined'],
      ['deny', 'not this call'],
      ['none', undefined],
    ]);
    expect(() => defineHook({ event: 'BeforeTool', name: 'bad', if: 'git push)', run })).toThrow(/`if`/);
    await engine.close();
  });

  test('no process is started for the other calls', async () => {
    const folder = temporaryFolder('if');
    const started = join(folder, 'started');
    const hook = (name: string): HookConfig => ({
      command: `touch "${started}-${name}"; exit 0`,
      name,
      if: 'sh(git *)',
    });
    await verdictOn([hook('other')], 'sh', { command: 'ls' }, folder);
    await verdictOn([hook('fitting')], 'sh', { command: 'git status' }, folder);
    expect([existsSync(`${started}-other`), existsSync(`${started}-fitting`)]).toEqual([false, true]);
  });

  test('two hooks that differ in `if` alone are no duplicates of each other', async () => {
    const command = 'echo no >&2; exit 2';
    const hooks = [
      { name: 'same', command, if: 'sh(rm *)' },
      { name: 'same', command, if: 'sh(git push *)' },
    ];
    expect((await verdictOn(hooks, 'sh', { command: 'git push' }, tmpdir())).verdict).toBe('deny');
  });
});

describe('R1161 an `if` is compared with the input of each event', () => {
  test('a later hook of a sequence is compared with what the one before it made of the call', async () => {
    const rewriter: HookConfig = {
      type: 'runtime',
      name: 'rewriter',
      action: () => ({ hookSpecificOutput: { tool_input: { command: 'git push -f' } } }),
    };
    const engine = await createHooks({
      hooks: { BeforeTool: [{ sequential: true, hooks: [rewriter, refuses({ if: 'sh(git push *)' })] }] },
    });
    expect((await engine.beforeTool({ tool: 'sh', input: { command: 'ls' } })).verdict).toBe('deny');
    await engine.close();
  });

  test('a guard that its `if` kept from the event is compared again with the final call', async () => {
    const rewriter: HookConfig = {
      type: 'runtime',
      name: 'rewriter',
      action: () => ({ hookSpecificOutput: { tool_input: { command: 'git push -f' } } }),
    };
    const guard = refuses({ if: 'sh(git push *)', onFault: 'deny' });
    const { verdict, rows } = await verdictOn([guard, rewriter], 'sh', { command: 'ls' });
    expect(verdict).toBe('deny');
    expect(rows.map(({ name, planned, recheck }) => [name, planned, recheck])).toEqual([
      ['guard', 'skip', undefined],
      ['guard', 'run', true],
      ['rewriter', 'run', undefined],
    ]);
  });

  test('the next call of the same tool is compared anew', async () => {
    const engine = await createHooks({ hooks: { BeforeTool: [{ hooks: [refuses({ if: 'sh(rm *)' })] }] } });
    const verdicts: string[] = [];
    for (const command of ['ls', 'rm x', 'ls']) {
      verdicts.push((await engine.beforeTool({ tool: 'sh', input: { command } })).verdict);
    }
    expect(verdicts).toEqual(['none', 'deny', 'none']);
    await engine.close();
  });
});

describe('R1162 an `if` that cannot be read is a problem', () => {
  const unreadable: unknown[] = ['git push *)', '(', 5, [], ['sh(rm *)', 7], true, {}];

  test.each(unreadable.map((condition) => [condition]))('%j: a guard runs for every call', async (condition) => {
    const guard: HookConfig = Object.assign<HookConfig, object>(refuses({ onFault: 'deny' }), { if: condition });
    const engine = await createHooks({ hooks: { BeforeTool: [{ hooks: [guard] }] } });
    expect((await engine.beforeTool({ tool: 'sh', input: { command: 'ls' } })).verdict).toBe('deny');
    expect(engine.problems.map(({ code, message }) => [code, /guard runs for every call/.test(message)])).toEqual([
      ['invalid-condition', true],
    ]);
    await engine.close();
  });

  test('another hook runs for no call', async () => {
    const { verdict, problems, rows } = await verdictOn([refuses({ if: 'git push *)' })], 'sh', { command: 'ls' });
    expect(verdict).toBe('none');
    expect(problems[0]?.message).toMatch(/the hook runs for no call/);
    expect(rows[0]).toMatchObject({ reason: 'condition-mismatch', warnings: [{ code: 'invalid-condition' }] });
  });

  test('on an event without a tool it is ignored, and the row says so', async () => {
    const hook: HookConfig = {
      type: 'runtime',
      name: 'greeter',
      if: 'sh(rm *)',
      action: () => ({ systemMessage: 'hi' }),
    };
    const engine = await createHooks({ hooks: { SessionStart: [{ hooks: [hook] }] } });
    expect((await engine.sessionStart({ source: 'startup' })).messages).toHaveLength(1);
    const [row] = await engine.explain('SessionStart');
    expect(row?.warnings).toMatchObject([{ code: 'no-effect' }]);
    await engine.close();
  });
});

describe('R1163 explain compares an `if` with the call it is given', () => {
  test('and plans the hook where it is given none', async () => {
    const engine = await createHooks({ hooks: { BeforeTool: [{ hooks: [refuses({ if: 'sh(rm *)' })] }] } });
    const rowOn = async (payload?: Record<string, unknown>) =>
      (await engine.explain('BeforeTool', { toolName: 'sh', payload }))[0];
    expect(await rowOn()).toMatchObject({ planned: 'run' });
    expect(await rowOn({ tool_name: 'sh', tool_input: { command: 'rm x' } })).toMatchObject({ planned: 'run' });
    expect(await rowOn({ tool_name: 'sh', tool_input: { command: 'ls' } })).toMatchObject({
      planned: 'skip',
      reason: 'condition-mismatch',
      hint: expect.stringContaining('sh(rm *)'),
    });
    await engine.close();
  });
});

describe('R1164 a rule denies or asks without starting anything', () => {
  const rule = { type: 'rule', name: 'no-force', if: 'sh(git push --force*)', verdict: 'deny', reason: 'no' } as const;

  test('it is merged, traced and explained like every hook', async () => {
    const { verdict, rows } = await verdictOn([rule], 'sh', { command: 'git push --force origin' });
    expect(verdict).toBe('deny');
    expect(rows).toMatchObject([{ name: 'no-force', outcome: 'answered', output: { decision: 'deny', reason: 'no' } }]);
    expect((await verdictOn([rule], 'sh', { command: 'git push' })).verdict).toBe('none');
    expect((await verdictOn([{ ...rule, verdict: 'ask' }], 'sh', { command: 'git push --force' })).verdict).toBe('ask');
  });

  test('it may stand where a group does, with a matcher alone', async () => {
    const folder = temporaryFolder('rule');
    const file = join(folder, 'settings.json');
    const flat = { matcher: '^sh$', verdict: 'deny', reason: 'no shell here' };
    writeFileSync(file, JSON.stringify({ hooks: { BeforeTool: [flat] } }));
    const { config, problems } = await loadConfig({
      cwd: folder,
      home: folder,
      files: [{ path: file, scope: 'user' }],
    });
    const engine = await createHooks({ config });
    expect(problems).toEqual([]);
    expect(await engine.beforeTool({ tool: 'sh', input: {} })).toMatchObject({
      verdict: 'deny',
      reason: 'no shell here',
    });
    expect((await engine.beforeTool({ tool: 'read', input: {} })).verdict).toBe('none');
    await engine.close();
  });

  test.each(['allow', 'approve', 'denny', true])(
    'it is refused with the verdict %j, as a lost guard',
    async (verdict) => {
      const misspelt: HookConfig = Object.assign<HookConfig, object>({ type: 'rule' }, { verdict });
      const engine = await createHooks({ hooks: { BeforeTool: [{ hooks: [misspelt] }] } });
      expect(engine.problems).toMatchObject([{ code: 'invalid-value', severity: 'error' }]);
      expect((await engine.beforeTool({ tool: 'sh', input: {} })).verdict).toBe('none');
      await engine.close();
    },
  );

  test('one whose `if` cannot be read denies every call', async () => {
    expect((await verdictOn([{ ...rule, if: 'git push)' }], 'sh', { command: 'ls' })).verdict).toBe('deny');
  });

  test('it is compared again with what other hooks made of the call', async () => {
    const rewriter: HookConfig = {
      type: 'runtime',
      name: 'rewriter',
      action: () => ({ hookSpecificOutput: { tool_input: { command: 'git push --force' } } }),
    };
    expect((await verdictOn([rule, rewriter], 'sh', { command: 'ls' })).verdict).toBe('deny');
  });
});
