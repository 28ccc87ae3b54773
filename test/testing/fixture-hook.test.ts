import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { afterEach, describe, expect, test } from 'vitest';
import { createHooks, type HookConfig, type Hooks } from '../../src/index.ts';
import {
  type CommandFixtureOptions,
  captureTraffic,
  fixtureHook,
  type ScriptLanguage,
} from '../../src/testing/index.ts';

const engines: Hooks[] = [];

const engineWith = async (...hooks: HookConfig[]) => {
  const engine = await createHooks({ hooks: { BeforeTool: [{ hooks }] } });
  engines.push(engine);
  return { engine, traffic: captureTraffic(engine.bus) };
};

const ask = (engine: Hooks, input: Record<string, unknown> = {}) => engine.beforeTool({ tool: 'shell', input });

afterEach(async () => {
  fixtureHook.dispose();
  for (const engine of engines.splice(0)) await engine.close();
});

const languages: ScriptLanguage[] = process.platform === 'win32' ? ['node'] : ['sh', 'node'];

describe.each(languages)('a command fixture in %s', (language) => {
  const command = (options: CommandFixtureOptions = {}) => fixtureHook.command({ language, ...options });

  test('answers what it was told to and keeps what it was given', async () => {
    const answer = { decision: 'deny' as const, reason: 'it’s "quoted"\n\tand $PATH `odd`' };
    const guard = command({ name: 'guard', answers: answer });
    const { engine, traffic } = await engineWith(guard);
    const { verdict, reason } = await ask(engine, { path: '.env' });
    expect({ verdict, reason }).toEqual({ verdict: 'deny', reason: answer.reason });
    expect(traffic).toHaveBlocked('BeforeTool', { tool: 'shell', by: 'guard' });
    expect(guard.received).toMatchObject([
      { hook_event_name: 'BeforeTool', tool_name: 'shell', tool_input: { path: '.env' } },
    ]);
  });

  test('is a hook like any other: nothing of its own is a setting nobody knows', async () => {
    const guard = command({ name: 'guard', timeout: 5_000, onFault: 'deny', env: { MODE: 'test' } });
    const { engine } = await engineWith(guard);
    expect(engine.problems).toEqual([]);
    expect(guard).toMatchObject({ type: 'command', name: 'guard', timeout: 5_000, onFault: 'deny' });
    expect(engine.system.getAllHooks()).toMatchObject([{ config: { onFault: 'deny', env: { MODE: 'test' } } }]);
  });

  test('without any options runs and says nothing', async () => {
    const { engine, traffic } = await engineWith(command());
    expect((await ask(engine)).verdict).toBe('none');
    expect(traffic).toHaveRun('fixture', { outcome: 'silent', times: 1 });
  });

  test('exits as it was told to, with its words on stderr', async () => {
    const { engine, traffic } = await engineWith(
      command({ name: 'blocks', exit: 2, stderr: 'not on a Friday' }),
      command({ name: 'fails', exit: 7 }),
    );
    expect(await ask(engine)).toMatchObject({ verdict: 'deny', reason: 'not on a Friday' });
    expect(traffic.rows()).toMatchObject([
      { name: 'blocks', exitCode: 2, stderrHead: 'not on a Friday' },
      { name: 'fails', outcome: 'faulted', code: 'exit-code', exitCode: 7 },
    ]);
  });

  test('prints anything, noise and broken JSON too', async () => {
    const { engine, traffic } = await engineWith(
      command({ name: 'noisy', prints: 'loading…\n{"decision": "allow"}\n' }),
      command({ name: 'broken', prints: '{"decision": "den' }),
    );
    await ask(engine);
    expect(traffic).toHaveRun('noisy', { outcome: 'answered' });
    expect(traffic.rows()[1]).toMatchObject({ name: 'broken', code: 'malformed-output' });
  });

  test('sleeps when it has read its input, and is ended at its timeout', async () => {
    const slow = command({ name: 'slow', sleepMs: 30_000, timeout: 300 });
    const { engine, traffic } = await engineWith(slow, command({ name: 'naps', sleepMs: 50, answers: {} }));
    await ask(engine);
    expect(traffic.rows()).toMatchObject([
      { name: 'slow', code: 'timeout' },
      { name: 'naps', outcome: 'silent' },
    ]);
    expect(traffic.rows()[1]?.durationMs).toBeGreaterThan(45);
    expect(slow.received).toHaveLength(1);
  });

  test('ends itself with a signal', async () => {
    const { engine, traffic } = await engineWith(command({ name: 'crashes', signal: 'SIGKILL' }));
    await ask(engine);
    expect(traffic.rows()).toMatchObject([{ code: 'killed-by-signal', signal: 'SIGKILL' }]);
  });

  test('may leave its input unread', async () => {
    const deaf = command({ name: 'deaf', readsInput: false, answers: { decision: 'allow' } });
    const { engine, traffic } = await engineWith(deaf);
    await ask(engine, { text: 'x'.repeat(200_000) });
    expect(traffic).toHaveRun('deaf', { outcome: 'answered' });
    expect(deaf.received).toEqual([]);
  });

  test('keeps the inputs of many runs apart, large ones too, in the order in which they began', async () => {
    const hook = command();
    const { engine } = await engineWith(hook);
    const text = 'x'.repeat(100_000);
    await Promise.all(Array.from({ length: 12 }, (_, number) => ask(engine, { number, text })));
    const numbers = hook.received.map(({ tool_input }) => tool_input).map((input) => Object(input).number);
    expect(numbers.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 12 }, (_, number) => number));
    await ask(engine, { number: 'last' });
    expect(hook.received.at(-1)).toMatchObject({ tool_input: { number: 'last' } });
  });

  test('can be run by hand', () => {
    const hook = command({ answers: { decision: 'allow' } });
    const run = (input: string) => execFileSync(hook.command ?? '', hook.args ?? [], { input, encoding: 'utf8' });
    expect(JSON.parse(run('{"tool_name":"shell"}'))).toEqual({ decision: 'allow' });
    run('hello');
    expect(hook.received).toEqual([{ tool_name: 'shell' }, { text: 'hello' }]);
  });

  test('is gone after dispose, but what it received is not', async () => {
    const [first, second] = [command(), command()];
    const { engine } = await engineWith(first, second);
    await ask(engine, { path: 'a' });
    const scripts = [first, second].map(({ args }) => args?.[0] ?? '');
    expect(scripts.map(existsSync)).toEqual([true, true]);
    first.dispose();
    first.dispose();
    expect(scripts.map(existsSync)).toEqual([false, true]);
    fixtureHook.dispose();
    expect(scripts.map(existsSync)).toEqual([false, false]);
    expect([first, second].map(({ received }) => received.length)).toEqual([1, 1]);
  });
});

test('a script whose fixture is disposed of while it runs comes to its end', async () => {
  const hook = fixtureHook.command({ sleepMs: 200 });
  const { engine, traffic } = await engineWith(hook);
  const asked = ask(engine);
  await expect.poll(() => hook.received.length).toBe(1);
  hook.dispose();
  await asked;
  expect(existsSync(hook.args?.[1] ?? '')).toBe(false);
  expect(traffic).toHaveRun('fixture', { outcome: 'silent' });
});

test.each<[string, CommandFixtureOptions, string]>([
  ['two things to print', { answers: {}, prints: '' }, 'answers or prints, not both'],
  ['an exit code there is not', { exit: 256 }, 'exit needs a code from 0 to 255, got 256'],
  ['a sleep without end', { sleepMs: Number.POSITIVE_INFINITY }, 'sleepMs needs milliseconds from 0, got Infinity'],
])('a command fixture refuses %s', (_what, options, message) => {
  expect(() => fixtureHook.command(options)).toThrow(message);
});

describe('a function fixture', () => {
  test('answers what it was told to, or what it makes of its input', async () => {
    const fixed = fixtureHook.answers({ decision: 'allow' });
    const clever = fixtureHook.answers(
      ({ tool_input }) => ({ hookSpecificOutput: { tool_input: { copy: tool_input } } }),
      { name: 'clever' },
    );
    const { engine, traffic } = await engineWith(fixed, clever);
    const { verdict, input } = await ask(engine, { path: 'a' });
    expect({ verdict, input }).toEqual({ verdict: 'allow', input: { path: 'a', copy: { path: 'a' } } });
    // It is shown the final arguments, too, since another hook changed them.
    expect(fixed.received).toMatchObject([
      { tool_input: { path: 'a' } },
      { tool_input: { path: 'a', copy: { path: 'a' } }, recheck: true },
    ]);
    expect(traffic).toHaveRun('answers');
    expect(traffic).toHaveRun('clever');
  });

  test('throws what it was told to', async () => {
    const { engine } = await engineWith(
      fixtureHook.throws(),
      fixtureHook.throws('a text', { name: 'odd', onFault: 'deny' }),
    );
    const { verdict, faults } = await ask(engine);
    expect(verdict).toBe('deny');
    expect(faults).toMatchObject([
      { hook: 'throws', code: 'threw', message: expect.stringContaining('this fixture throws') },
      { hook: 'odd', code: 'threw', message: expect.stringContaining('a text') },
    ]);
  });

  test('hangs until its timeout ends it', async () => {
    const { engine, traffic } = await engineWith(fixtureHook.hangs({ timeout: 20 }));
    expect((await ask(engine)).verdict).toBe('none');
    expect(traffic.rows()).toMatchObject([{ name: 'hangs', code: 'timeout' }]);
  });

  test('is a hook like any other: nothing of its own is a setting nobody knows', async () => {
    const { engine } = await engineWith(fixtureHook.answers(), fixtureHook.throws(), fixtureHook.hangs());
    expect(engine.problems).toEqual([]);
  });
});
