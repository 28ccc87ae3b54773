import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type CreateHooksOptions, createHooks, type HookConfig, HookSystem, requestHooks } from '../../src/index.ts';
import { processWarningsOf } from '../support/process-warnings.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { untyped } from '../support/untyped.ts';

const folder = (): string => temporaryFolder('guards');

const callsWith = async (
  hook: HookConfig,
  options: CreateHooksOptions = {},
  event: 'BeforeTool' | 'AfterAgent' = 'BeforeTool',
) => {
  const engine = await createHooks({ cwd: folder(), hooks: { [event]: [{ hooks: [hook] }] }, ...options });
  for (let times = 0; times < 3; times += 1) {
    if (event === 'BeforeTool') await engine.beforeTool({ tool: 'sh', input: {} });
    else await engine.afterAgent({ prompt: 'p', response: 'r' });
  }
  await engine.close();
  return engine.problems;
};

const breaks: HookConfig = { type: 'runtime', name: 'breaks', action: () => Promise.reject(new Error('broken')) };

describe('R1167 what keeps a configured hook from starting is a problem at once', () => {
  const missing = join('hooks', 'guard.sh');

  test.each<[string, (cwd: string) => void, string]>([
    ['not executable', (cwd) => writeFileSync(join(cwd, 'guard.sh'), '#!/bin/sh\nexit 2\n'), 'not-executable'],
    ['not found', () => undefined, 'executable-not-found'],
    [
      'a bad first line',
      (cwd) => writeFileSync(join(cwd, 'guard.sh'), '#!/no/such/shell\nexit 2\n', { mode: 0o755 }),
      'bad-script',
    ],
  ])('%s', async (_what, prepare, code) => {
    const cwd = folder();
    prepare(cwd);
    const guard = { name: 'guard', command: './guard.sh', onFault: 'deny' } as const;
    const engine = await createHooks({ cwd, warnings: false, hooks: { BeforeTool: [{ hooks: [guard] }] } });
    expect(engine.problems).toMatchObject([{ code, severity: 'error', message: expect.stringContaining('"guard"') }]);
    await engine.close();
  });

  test.each([
    ['localhost:3000/guard', 'http-error', 'the url must begin with https:// or http://'],
    ['http://localhost:99999/guard', 'http-error', 'the url must have a valid host and a port of at most 65535'],
    ['http://169.254.169.254/latest', 'blocked-address', '169.254.169.254'],
  ])('R2018 an address that is never requested: %s', async (url, code, message) => {
    const guard: HookConfig = { type: 'http', name: 'guard', url, onFault: 'deny' };
    const engine = await createHooks({ cwd: folder(), warnings: false, hooks: { BeforeTool: [{ hooks: [guard] }] } });
    expect(engine.problems).toMatchObject([{ code, severity: 'error', message: expect.stringContaining(message) }]);
    await engine.close();
  });

  test('and none where it starts, or where it is switched off', async () => {
    const fine = { name: 'fine', command: 'true' };
    expect(await callsWith(fine, { warnings: false })).toEqual([]);
    const off = { name: 'off', command: missing };
    const engine = await createHooks({ cwd: folder(), warnings: false, hooks: { BeforeTool: [{ hooks: [off] }] } });
    expect(engine.problems).toHaveLength(1);
    await engine.close();
  });
});

describe('R1168 a host without a logger is warned of guards that do not do their work', () => {
  test('once for each hook, with a code', async () => {
    const warnings = await processWarningsOf(() => callsWith({ ...breaks, onFault: 'deny' }));
    expect(warnings).toMatchObject([
      { code: 'HOOKWRIGHT_GUARD_FAULT', message: expect.stringMatching(/BeforeTool hook "breaks" failed .*broken/) },
    ]);
  });

  test('and of a hook in the place of a guard that cannot start, whatever its onFault', async () => {
    const warnings = await processWarningsOf(() => callsWith({ name: 'guard', command: './no-such-guard.sh' }));
    expect(warnings).toMatchObject([{ code: 'HOOKWRIGHT_CANNOT_START', message: expect.stringContaining('"guard"') }]);
  });

  test('R1785 and of a function in the place of a guard that returned no answer, with what to return', async () => {
    const warnings = await processWarningsOf(() => callsWith({ ...breaks, action: untyped(() => false) }));
    expect(warnings).toMatchObject([
      { code: 'HOOKWRIGHT_GUARD_FAULT', message: expect.stringContaining("To deny, return { decision: 'deny'") },
    ]);
    const elsewhere = { ...breaks, action: untyped<HookConfig['action']>(() => false) };
    expect(await processWarningsOf(() => callsWith(elsewhere, {}, 'AfterAgent'))).toEqual([]);
  });

  test.each<[string, object]>([
    ['a rule without a verdict', { type: 'rule', name: 'guard', onFault: 'deny' }],
    ['an unknown type', { type: 'polcy', name: 'guard' }],
    ['a timeout in words', { command: 'true', name: 'guard', timeout: '5 seconds' }],
  ])('R1825 and of a hook in its own code that has a mistake and does not run: %s', async (_what, hook) => {
    const warnings = await processWarningsOf(() => callsWith(untyped<HookConfig>(hook)));
    expect(warnings).toMatchObject([
      { code: 'HOOKWRIGHT_UNREAD_HOOK', message: expect.stringContaining('hooks.BeforeTool[0].hooks[0]') },
    ]);
  });

  test.each<[string, HookConfig, CreateHooksOptions]>([
    ['of a hook that is no guard and broke', breaks, {}],
    ['with warnings: false', { ...breaks, onFault: 'deny' }, { warnings: false }],
    ['with a logger', { ...breaks, onFault: 'deny' }, { deps: { logger: {} } }],
    ['of a guard that denies', { ...breaks, onFault: 'deny', action: () => ({ decision: 'deny' }) }, {}],
  ])('not %s', async (_what, hook, options) => {
    expect(await processWarningsOf(() => callsWith(hook, options))).toEqual([]);
  });

  test('over the bus and of a bare hook system too, and once more in the next session', async () => {
    const guard: HookConfig = { ...breaks, onFault: 'deny' };
    const call = { tool_name: 'sh', tool_input: {} };
    const overBus = await processWarningsOf(async () => {
      const engine = await createHooks({ hooks: { BeforeTool: [{ hooks: [guard] }] } });
      for (const _time of [1, 2]) await requestHooks(engine.bus, 'BeforeTool', call);
      await engine.beforeTool({ tool: 'sh', input: {} });
      await engine.close();
    });
    expect(overBus).toMatchObject([{ code: 'HOOKWRIGHT_GUARD_FAULT' }]);
    const bare = await processWarningsOf(async () => {
      let session = 'one';
      const config = {
        getSessionId: () => session,
        getWorkingDir: folder,
        getHooks: () => ({ BeforeTool: [{ hooks: [guard] }] }),
      };
      const system = new HookSystem(config);
      await system.initialize();
      for (const next of ['one', 'one', 'two', 'two']) {
        session = next;
        await system.getEventHandler().fire('BeforeTool', call);
      }
      await system.dispose();
    });
    expect(bare.map(({ code }) => code)).toEqual(['HOOKWRIGHT_GUARD_FAULT', 'HOOKWRIGHT_GUARD_FAULT']);
  });

  test('not of another moment’s hook that cannot start', async () => {
    expect(
      await processWarningsOf(() => callsWith({ name: 'log', command: './no-such-log.sh' }, {}, 'AfterAgent')),
    ).toEqual([]);
  });
});
