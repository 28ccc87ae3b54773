import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type CreateHooksOptions, createHooks, type HookConfig, MessageBus } from '../../src/index.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const canary = { tool_name: 'Bash', tool_input: { command: 'rm -rf /' } };

/** Refuses the canary, and nothing else. */
const alive: HookConfig = {
  type: 'runtime',
  name: 'guard',
  onFault: 'deny',
  canary,
  action: (input) =>
    JSON.stringify(input).includes('rm -rf /') ? { decision: 'deny', reason: 'not that' } : undefined,
};

const engineWith = (hook: HookConfig, { matcher, ...options }: CreateHooksOptions & { matcher?: string } = {}) =>
  createHooks({
    cwd: temporaryFolder('canary'),
    warnings: false,
    hooks: { BeforeTool: [{ ...(matcher === undefined ? {} : { matcher }), hooks: [hook] }] },
    ...options,
  });

const stagesOf = async (hook: HookConfig, options = {}) => {
  const engine = await engineWith(hook, options);
  const failures = await engine.system.checkCanaries();
  await engine.close();
  return failures.map(({ stage }) => stage);
};

describe('R1169 a canary that is not denied names the stage at which it was lost', () => {
  test('and none that is denied or asked about, by a command, a function or a rule', async () => {
    expect(await stagesOf(alive)).toEqual([]);
    expect(await stagesOf({ ...alive, action: () => ({ decision: 'ask' }) })).toEqual([]);
    expect(await stagesOf({ name: 'command', onFault: 'deny', command: 'echo no >&2; exit 2', canary })).toEqual([]);
    const rule: HookConfig = { type: 'rule', if: 'Bash(rm -rf *)', verdict: 'deny', canary };
    expect(await stagesOf(rule)).toEqual([]);
    expect(await stagesOf({ ...rule, canary: [canary, { ...canary, tool_input: { command: 'rm -rf ~' } }] })).toEqual(
      [],
    );
  });

  const commandGuard: HookConfig = { name: 'guard', onFault: 'deny', canary };
  test.each<[string, HookConfig, object, string]>([
    ['a matcher for another tool', alive, { matcher: 'run_shell' }, 'matcher'],
    ['an `if` about other calls', { ...alive, if: 'Bash(git push *)' }, {}, 'condition'],
    ['a script that is not there', { ...commandGuard, command: './none.sh' }, {}, 'process'],
    ['a crash', { ...commandGuard, command: 'exit 1' }, {}, 'process'],
    ['a timeout', { ...commandGuard, command: 'sleep 20', timeout: 50 }, {}, 'process'],
    ['a misspelt verdict', { ...commandGuard, command: `echo '{"decision":"dney"}'` }, {}, 'answer'],
    ['an allow', { ...commandGuard, command: `echo '{"decision":"allow"}'` }, {}, 'answer'],
    ['no opinion', { ...commandGuard, command: 'true' }, {}, 'answer'],
    ['plain text', { ...commandGuard, command: 'echo denied' }, {}, 'answer'],
  ])('%s', async (_what, hook, options, stage) => {
    expect(await stagesOf(hook, options)).toEqual([stage]);
  });

  test('R1784 with exit code and stderr of a command that said something there alone', async () => {
    const engine = await engineWith({ ...commandGuard, command: 'true | (echo no >&2; exit 2) | cat' });
    const [failure] = await engine.system.checkCanaries();
    await engine.close();
    expect(failure?.message).toContain('guard gave no opinion (exit code 0, stderr: "no"; an exit in a pipe');
  });

  test.each([
    ['deny', '; its onFault "deny" counts only for calls that the matcher matches'],
    ['allow', ''],
  ] as const)(
    'R1811 names the matcher that misses the tool, and that its calls go on, with onFault %s',
    async (onFault, rest) => {
      const engine = await engineWith({ ...alive, onFault }, { matcher: '^bash$' });
      const [failure] = await engine.system.checkCanaries();
      const { verdict } = await engine.beforeTool(callOf(canary));
      await engine.close();
      expect(verdict).toBe('none');
      const why =
        'lost at the matcher: the matcher "^bash$" does not match "Bash", the tool that it calls; so calls of that tool';
      expect(failure?.message).toContain(`${why} go on unguarded${rest}`);
      expect(failure?.message.endsWith(rest)).toBe(true);
      expect(failure?.message).not.toContain('until it passes');
      expect(failure?.problem.hint).toBe(
        'correct the matcher, or the tool_name of the canary, then: hookwright doctor',
      );
    },
  );

  test('its hook reads that it is one, and only its verdict counts', async () => {
    const seen: unknown[] = [];
    const listener = { ...alive, action: (input: never) => void seen.push(input) };
    const engine = await engineWith(listener);
    await engine.system.checkCanaries();
    await engine.beforeTool({ tool: 'Bash', input: {} });
    expect(seen[0]).toMatchObject({ canary: true, ...canary, hook_event_name: 'BeforeTool' });
    expect(seen).toHaveLength(1);
    await engine.close();
  });

  test('that of a hook that is not approved or switched off is not run', async () => {
    const seen: unknown[] = [];
    const engine = await engineWith({ ...alive, action: () => void seen.push(1) });
    engine.system.setHookEnabled('guard', false);
    expect(await engine.system.checkCanaries()).toEqual([]);
    expect(seen).toEqual([]);
    await engine.close();
  });
});

describe('R1170 a guard that let its canary pass obeys its onFault until it passes', () => {
  test('is a problem and an error event, and denies what it matches', async () => {
    const bus = new MessageBus();
    const errors: string[] = [];
    bus.on('error', ({ message }) => errors.push(message));
    const folder = temporaryFolder('canary');
    const script = join(folder, 'guard.sh');
    writeFileSync(script, '#!/bin/sh\nexit 0\n', { mode: 0o755 });
    const guard = { name: 'guard', command: script, onFault: 'deny', canary } as const;
    const engine = await engineWith(guard, { cwd: folder, bus, matcher: 'Bash' });
    const verdictOn = async (tool: string) => (await engine.beforeTool({ tool, input: { command: 'ls' } })).verdict;
    expect([await verdictOn('Bash'), engine.problems]).toEqual(['none', []]);

    await engine.sessionStart({ source: 'startup' });
    await expect.poll(() => engine.problems.map(({ code }) => code)).toEqual(['canary-failed']);
    expect(engine.problems[0]).toMatchObject({ severity: 'error', message: expect.stringContaining('at the answer') });
    expect(errors).toEqual([expect.stringContaining('canary')]);
    expect([await verdictOn('Bash'), await verdictOn('Read')]).toEqual(['deny', 'none']);

    writeFileSync(script, '#!/bin/sh\ngrep -q rm && exit 2\nexit 0\n');
    chmodSync(script, 0o755);
    expect(await engine.system.checkCanaries()).toEqual([]);
    expect([await verdictOn('Bash'), engine.problems]).toEqual(['none', []]);
    await engine.close();
  });

  test('one whose fault means nothing goes on as it is', async () => {
    const engine = await engineWith({ ...alive, onFault: 'allow', if: 'Bash(git *)' });
    expect(await engine.system.checkCanaries()).toHaveLength(1);
    expect((await engine.beforeTool({ tool: 'Bash', input: { command: 'git rm -rf /' } })).verdict).toBe('deny');
    await engine.close();
  });

  test('R1980 an empty list of canaries is a problem, because none would run', async () => {
    const engine = await engineWith({ ...alive, canary: [] });
    expect(engine.problems).toMatchObject([{ code: 'invalid-value', message: expect.stringContaining('canary') }]);
    await engine.close();
  });

  test('a canary that cannot be read costs no guard', async () => {
    const broken: HookConfig = Object.assign<HookConfig, object>({ ...alive }, { canary: { tool: 'Bash' } });
    const engine = await engineWith(broken);
    expect(engine.problems).toMatchObject([{ code: 'invalid-value', skipped: false }]);
    expect((await engine.beforeTool(callOf(canary))).verdict).toBe('deny');
    await engine.close();
  });
});

const callOf = ({ tool_name: tool, tool_input: input }: typeof canary) => ({ tool, input });
