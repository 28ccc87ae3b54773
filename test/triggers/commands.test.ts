import { describe, expect, test } from 'vitest';
import { createHooks, executeToolWithHooks, fireBeforeModelHook, type HookConfig } from '../../src/index.ts';
import { fixture } from '../support/commands.ts';
import { until } from '../support/processes.ts';
import { configWith, tool } from './support.ts';

/** A definition with one command hook. */
const command = (script: string, args: string[] = [], extra: HookConfig = {}) => ({
  hooks: [{ command: fixture(script), args, ...extra }],
});

describe.skipIf(process.platform === 'win32')('with hooks that are scripts', () => {
  test('a tool call is blocked by an exit code, or runs and has its result annotated', async () => {
    const config = configWith({ BeforeTool: [command('no-rm.sh')], AfterTool: [command('says-tool.sh')] });
    const { calls, run } = tool({ llmContent: 'done' });
    const call = (line: string) => executeToolWithHooks(config, 'run_shell', { command: line }, run);

    expect(await call('rm -rf build')).toMatchObject({
      llmContent: 'Tool call blocked by hook: deleting recursively is for people',
      error: { type: 'hook_blocked' },
    });
    expect(await call('ls')).toEqual({
      llmContent: 'done\n\n[System] run_shell has run',
      metadata: { hookMessages: ['run_shell has run'] },
    });
    expect(calls).toEqual([{ command: 'ls' }]);
    await config.getHookSystem()?.dispose();
  });

  test('each of a sequence sees the arguments the one before it changed', async () => {
    const config = configWith({
      BeforeTool: [{ ...command('adds-flag.sh', ['--quiet']), sequential: true }, command('adds-flag.sh', ['--safe'])],
    });
    const { calls, run } = tool({});
    await executeToolWithHooks(config, 'git', { command: 'commit', flags: '-a' }, run);
    expect(calls).toEqual([{ command: 'commit', flags: '-a --quiet --safe' }]);
    await config.getHookSystem()?.dispose();
  });

  test('a request is changed, and a warning of a script that failed reaches the model', async () => {
    const cooler = JSON.stringify({ hookSpecificOutput: { llm_request: { config: { temperature: 0 } } } });
    const config = configWith({
      BeforeModel: [command('exits.sh', ['0', cooler]), command('exits.sh', ['1', '', 'no budget file'])],
    });
    const { blocked, modifiedRequest } = await fireBeforeModelHook(config, { model: 'm', contents: 'hi', config: {} });
    expect(blocked).toBe(false);
    expect(modifiedRequest?.config).toEqual({ temperature: 0 });
    expect(JSON.stringify(modifiedRequest?.contents)).toContain('Warning: no budget file');
    await config.getHookSystem()?.dispose();
  });

  test('the facade tells verdict, reason and fault apart', async () => {
    const hooks = await createHooks({
      hooks: {
        BeforeTool: [
          { matcher: 'write', ...command('exits.sh', ['3', '', 'broken'], { name: 'broken' }) },
          { matcher: 'shell', ...command('no-rm.sh') },
        ],
      },
    });
    expect(await hooks.beforeTool({ tool: 'run_shell', input: { command: 'rm -rf /' } })).toMatchObject({
      verdict: 'deny',
      reason: 'deleting recursively is for people',
      faults: [],
    });
    expect(await hooks.beforeTool({ tool: 'write_file', input: {} })).toMatchObject({
      verdict: 'none',
      messages: ['Warning: broken'],
      faults: [{ hook: 'broken', code: 'exit-code' }],
    });
    await hooks.close();
  });

  test('close answers a call whose script still runs, and leaves no process behind', async () => {
    const hooks = await createHooks({
      hooks: { BeforeTool: [command('ignores-term.sh')] },
      deps: { limits: { killGraceMs: 100 } },
    });
    const started = new Promise<void>((resolve) => hooks.bus.subscribe('hook-started', () => resolve()));
    const answer = hooks.beforeTool({ tool: 'run_shell', input: {} });
    await started;
    await until('a script that runs', 2_000, () => process.getActiveResourcesInfo().includes('ProcessWrap'));
    await hooks.close();
    expect((await answer).faults.map(({ code }) => code)).toContain('disposed');
    await until('no script that runs', 2_000, () => !process.getActiveResourcesInfo().includes('ProcessWrap'));
  });
});
