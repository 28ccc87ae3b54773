// What the engine makes of the answers of hooks holds in a backtest, too.
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Config, type ConfigOptions, type HookConfig, MessageBus } from '../../src/index.ts';
import { backtest } from '../../src/sessions/backtest/index.ts';
import { readSession, record as recordFile } from '../../src/sessions/index.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import {
  answering,
  call,
  configOf,
  denying,
  group,
  record,
  recordCalls,
  setting,
  speaking,
  throwing,
} from './support.ts';

type ToolCall = { tool_input: Record<string, unknown> };

const rewrite = setting('rewrite', { command: 'rm' });
const guardOf = (answer: unknown, more: HookConfig = {}): HookConfig =>
  answering('guard', ({ tool_input }: ToolCall) => (tool_input.command === 'rm' ? answer : undefined), more);
const denial = { decision: 'deny', reason: 'no rm' };

describe('R2041 a dry run decides as the engine does', () => {
  const asksAgain: readonly [string, HookConfig][] = [
    ['denies', guardOf(denial, { onFault: 'deny' })],
    ['asks', guardOf({ decision: 'ask', reason: 'really?' }, { recheck: true })],
    ['says nothing', guardOf(undefined, { onFault: 'ask' })],
    [
      'fails',
      answering(
        'guard',
        ({ tool_input }: ToolCall) => {
          if (tool_input.command === 'rm') throw new Error('out of order');
        },
        { onFault: 'deny' },
      ),
    ],
    ['fails twice', throwing('guard', { onFault: 'ask' })],
  ];

  test.each(asksAgain)('a guard that %s about the changed call does so again', async (_what, guard) => {
    for (const sequential of [false, true]) {
      const hooks = [group([guard, rewrite], { sequential })];
      const session = await recordCalls(hooks);
      expect((await backtest(session, configOf(hooks))).decisions).toEqual([]);
      expect((await backtest(session, configOf(hooks), { dry: false })).decisions).toEqual([]);
    }
  });

  test('a guard that never judged the changed call is unknown, not unchanged', async () => {
    const lax = guardOf(denial, { recheck: false });
    const session = await recordCalls([group([rewrite, lax])]);
    const strict = configOf([group([rewrite, { ...lax, recheck: true, onFault: 'deny' }])]);
    const why = 'its recorded answer was to the call before other hooks changed it';
    const { decisions } = await backtest(session, strict);
    expect(decisions).toMatchObject([{ kinds: ['unknown'], after: { unknown: [{ hook: 'guard', why }] } }]);
    expect((await backtest(session, strict, { dry: false })).counts['newly-blocked']).toBe(1);
  });

  test('a guard that judged another change of the call is unknown', async () => {
    const guard = guardOf(undefined, { onFault: 'deny' });
    const session = await recordCalls([group([rewrite, setting('more', { force: true }), guard])]);
    const { decisions } = await backtest(session, configOf([group([rewrite, guard])]));
    expect(decisions[0]?.after.unknown).toContainEqual({
      hook: 'guard',
      why: 'its recorded answer was to another input',
    });
  });

  test('two hooks that change one field deny where the configuration says so', async () => {
    // Function hooks would judge the call again that another changed.
    const once = (hook: HookConfig): HookConfig => ({ ...hook, recheck: false });
    const hooks = { BeforeTool: [group([once(rewrite), once(setting('other', { command: 'cp' }))])] };
    const strict: ConfigOptions = { enableHooks: true, onConflict: 'deny', hooks };
    const { entries } = await record(strict, [call('run_shell')]);
    expect((await backtest(entries, new Config(strict))).decisions).toEqual([]);
    const lax = new Config({ ...strict, onConflict: 'last' });
    expect((await backtest(entries, lax)).counts['newly-allowed']).toBe(1);
  });

  test('nothing is blocked where hooks are only observed', async () => {
    const observed: ConfigOptions = {
      enableHooks: true,
      mode: 'observe',
      hooks: { BeforeTool: [group([denying('no')])] },
    };
    const { entries } = await record(observed, [call('run_shell')]);
    expect((await backtest(entries, new Config(observed))).decisions).toEqual([]);
    const enforced = await backtest(entries, new Config({ ...observed, mode: 'enforce' }));
    expect(enforced.counts['newly-blocked']).toBe(1);
  });

  test('a hook in the background has no part in the decision that does not wait for it', async () => {
    const hooks = [group([{ ...denying('late'), background: true }, speaking('now', 'careful')])];
    const session = await recordCalls(hooks);
    expect((await backtest(session, configOf(hooks))).decisions).toEqual([]);
    const awaited = await backtest(session, configOf([group([denying('late'), speaking('now', 'careful')])]));
    expect(awaited.decisions[0]?.after.unknown).toMatchObject([{ hook: 'late' }]);
  });
});

describe('R2044 the context of an event is compared as it was merged', () => {
  const prompt = { eventName: 'BeforeAgent', payload: { prompt: 'hello' } };

  test.each([
    ['beside another hook', [speaking('now', 'careful')]],
    ['alone', []],
  ])('with what a hook in the background of an earlier event said: %s', async (_what, hooks) => {
    const late = answering(
      'late',
      () =>
        new Promise((resolve) => setTimeout(resolve, 50, { hookSpecificOutput: { additionalContext: 'by the way' } })),
      { background: true },
    );
    const wait = answering('wait', () => new Promise((resolve) => setTimeout(resolve, 200)));
    const options: ConfigOptions = {
      enableHooks: true,
      hooks: { BeforeTool: [group([late])], SessionStart: [group([wait])], BeforeAgent: [group(hooks)] },
    };
    const pause = { eventName: 'SessionStart', payload: { source: 'startup' } };
    const { entries } = await record(options, [call('run_shell'), pause, prompt]);
    const heard = JSON.stringify(entries.filter(({ message }) => message.type === 'hook-execution-response'));
    expect(heard).toContain('by the way');
    for (const dry of [true, false]) {
      expect((await backtest(entries, new Config(options), { dry })).decisions).toEqual([]);
    }
  });

  test('cut once where it is too long for the model', async () => {
    const hooks = { BeforeAgent: [group([speaking('a', 'a'.repeat(50_000)), speaking('b', 'b'.repeat(50_000))])] };
    const { entries } = await record({ hooks }, [prompt]);
    for (const dry of [true, false]) {
      const report = await backtest(entries, new Config({ enableHooks: true, hooks }), { dry });
      expect(report.decisions).toEqual([]);
    }
  });

  test('cut as the host wishes', async () => {
    const deps = { limits: { modelTextBytes: 1_024 } };
    const options: ConfigOptions = {
      enableHooks: true,
      deps,
      hooks: { BeforeAgent: [group([speaking('a', 'a'.repeat(5_000))])] },
    };
    const { entries } = await record(options, [prompt]);
    for (const dry of [true, false]) {
      expect((await backtest(entries, new Config(options), { dry })).decisions).toEqual([]);
    }
  });
});

test('R2042 only the hooks that may run are run for a changed call, and each under its own name', async () => {
  const ran: string[] = [];
  const counting = (hook: HookConfig): HookConfig => ({
    ...hook,
    action: (input, context) => {
      ran.push(hook.name ?? '');
      return hook.action?.(input, context);
    },
  });
  const hooks = [group([counting(rewrite), counting(guardOf(denial, { onFault: 'deny' }))])];
  const session = await recordCalls(hooks);
  ran.length = 0;
  const one = await backtest(session, configOf(hooks), { dry: false, only: ['rewrite'] });
  expect({ ran, decisions: one.decisions }).toEqual({ ran: ['rewrite'], decisions: [] });
  ran.length = 0;
  const other = await backtest(session, configOf(hooks), { dry: false, only: ['guard'] });
  expect({ ran, decisions: other.decisions }).toEqual({ ran: ['guard', 'guard'], decisions: [] });
  expect(other.notice).toContain('guard 2 times');
});

describe('R2043 an `if` about a text that is redacted or cut in the recording', () => {
  const recordTo = async (hooks: readonly HookConfig[], command: string) => {
    const bus = new MessageBus();
    const config = new Config({ enableHooks: true, hooks: { BeforeTool: [group(hooks)] }, bus });
    const recording = recordFile(bus, { file: join(temporaryFolder('backtest'), 'session.jsonl') });
    const request = { type: 'hook-execution-request', correlationId: 'a', ...call('Bash', { command }) } as const;
    await bus.request(request, 'hook-execution-response');
    await recording.close();
    await config.getHookSystem()?.dispose();
    return readSession(recording.file);
  };
  const onTheWire = 'curl example.org?token=abcdefgh123';
  const tooLong = `echo ${'x'.repeat(9 * 2 ** 20)}; rm -rf /`;
  const guard = (condition: string): HookConfig => ({ ...denying('guard'), if: condition });
  const why = 'its `if` is about a text that is redacted or cut in the recording';

  test.each([
    ['redacted', onTheWire, 'Bash(*token=abcd*)'],
    ['cut', tooLong, 'Bash(rm -rf *)'],
  ])('makes a new hook unknown, never unchanged: %s', async (_what, command, condition) => {
    const session = await recordTo([answering('other', undefined)], command);
    for (const dry of [true, false]) {
      const config = configOf([group([answering('other', undefined), guard(condition)])]);
      const { decisions } = await backtest(session, config, { dry });
      expect(decisions[0]?.after.unknown).toEqual([{ hook: 'guard', why }]);
    }
  });

  test('makes the hook unknown that answered, which is not newly allowed', async () => {
    const session = await recordTo([guard('Bash(*token=abcd*)')], onTheWire);
    const { counts } = await backtest(session, configOf([group([guard('Bash(*token=abcd*)')])]));
    expect(counts).toMatchObject({ unknown: 1, 'newly-allowed': 0 });
  });

  test.each(['Bash(git *)', 'Read(*.env)'])('is sure of what the recording excluded as well: %s', async (condition) => {
    const hooks = [guard(condition), answering('other', undefined)];
    const session = await recordTo(hooks, onTheWire);
    expect((await backtest(session, configOf([group(hooks)]))).decisions).toEqual([]);
  });
});
