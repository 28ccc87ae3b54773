import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type HookConfig, MessageBus } from '../../src/index.ts';
import { type BacktestProgress, backtest } from '../../src/sessions/backtest/index.ts';
import { readSession, record as recordTo } from '../../src/sessions/index.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { answering, call, configOf, denying, group, record, recordCalls, setting, speaking } from './support.ts';

const newDirectory = (): string => temporaryFolder('backtest');

const script = (directory: string, name: string, body: string): HookConfig => {
  const command = join(directory, `${name}.sh`);
  writeFileSync(command, `#!/bin/sh\n${body}\n`);
  chmodSync(command, 0o755);
  return { type: 'command', name, command };
};

/** A hook that counts how often it was run. */
const counting = (name: string, answer?: unknown): { hook: HookConfig; runs: () => number } => {
  let count = 0;
  const hook = answering(name, () => {
    count += 1;
    return answer;
  });
  return { hook, runs: () => count };
};

describe('a real run', () => {
  test('runs hooks that were never recorded, and its notice says so', async () => {
    const session = await recordCalls([], [call('run_shell'), call('read_file')]);
    const guard = counting('guard', { decision: 'deny' });
    const report = await backtest(session, configOf([group([guard.hook], { matcher: 'run' })]), { dry: false });
    expect(guard.runs()).toBe(1);
    expect(report).toMatchObject({ mode: 'real', counts: { 'newly-blocked': 1, unchanged: 1 } });
    expect(report.notice).toBe('Real run: hooks were run and had their real side effects: guard once.');
  });

  test('is only made when it is asked for', async () => {
    const session = await recordCalls([]);
    const guard = counting('guard', { decision: 'deny' });
    const report = await backtest(session, configOf([group([guard.hook])]));
    expect(guard.runs()).toBe(0);
    expect(report.mode).toBe('dry');
    expect(report.notice).toContain('no hook was run');
  });

  test('can be limited to some hooks; the others answer as recorded, or are unknown', async () => {
    const audit = counting('audit', { systemMessage: 'now' });
    const recorded = [group([denying('guard'), answering('audit', { systemMessage: 'then' })])];
    const session = await recordCalls(recorded);
    const guard = counting('guard', undefined);
    const fresh = counting('fresh', { decision: 'deny' });
    const config = configOf([group([guard.hook, audit.hook, fresh.hook])]);
    const report = await backtest(session, config, { dry: false, only: ['audit'] });
    expect([guard.runs(), audit.runs(), fresh.runs()]).toEqual([0, 1, 0]);
    expect(report.decisions[0]).toMatchObject({
      kinds: ['unknown', 'changed-order'],
      after: { verdict: 'deny', other: { systemMessage: 'now' }, unknown: [{ hook: 'fresh' }] },
    });
    expect(report.notice).toContain('audit once');
    const byId = await backtest(session, config, { dry: false, only: ['project/BeforeTool/guard'] });
    expect([guard.runs(), byId.decisions[0]?.after.verdict]).toEqual([1, 'none']);
  });

  test('passes on in a sequence what recorded and real hooks changed', async () => {
    const inputs: unknown[] = [];
    const look = answering('look', ({ tool_input }: { tool_input: Record<string, unknown> }) => {
      inputs.push(tool_input);
      return { hookSpecificOutput: { tool_input: { looked: true } } };
    });
    const session = await recordCalls([
      group([setting('first', { a: 1 }), setting('last', { b: 2 })], { sequential: true }),
    ]);
    const hooks = [setting('first', { a: 'not run' }), look, setting('last', { b: 'not run' })];
    const report = await backtest(session, configOf([group(hooks, { sequential: true })]), {
      dry: false,
      only: ['look'],
    });
    expect(inputs).toEqual([{ command: 'ls', a: 1 }]);
    // `last` had answered before `look` changed the call, and `first` would be asked once more with what became of it.
    const why = 'its recorded answer was to another input';
    expect(report.decisions[0]?.after.unknown).toEqual([
      { hook: 'last', why },
      { hook: 'first', why },
    ]);
    expect(report.decisions[0]?.after.input).toEqual({ tool_input: { a: 1, looked: true } });
  });

  test('has as many requests under way as it may, and with one keeps their order', async () => {
    let running = 0;
    let most = 0;
    const order: unknown[] = [];
    const slow = answering('slow', async ({ tool_input }: { tool_input: Record<string, unknown> }) => {
      running += 1;
      most = Math.max(most, running);
      order.push(tool_input.at);
      await new Promise((resolve) => setTimeout(resolve, 5));
      running -= 1;
    });
    const session = await recordCalls(
      [],
      Array.from({ length: 12 }, (_, at) => call('run_shell', { at })),
    );
    const run = async (concurrency?: number): Promise<number> => {
      most = 0;
      order.length = 0;
      await backtest(session, configOf([group([slow])]), { dry: false, concurrency });
      return most;
    };
    expect(await run()).toBe(4);
    expect(await run(7)).toBe(7);
    expect(await run(1)).toBe(1);
    expect(order).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
  });

  test('says how far it is, of how many', async () => {
    const progress: BacktestProgress[] = [];
    const session = await recordCalls([], [call('a'), call('b'), call('c')]);
    const onProgress = (one: BacktestProgress): void => void progress.push(one);
    await backtest(session, configOf([]), { dry: false, concurrency: 1, onProgress, tools: ['a', 'b'] });
    expect(progress.slice(0, 2)).toEqual([
      { done: 1, total: 2 },
      { done: 2, total: 2 },
    ]);
    async function* once() {
      yield* session;
    }
    progress.length = 0;
    await backtest(once(), configOf([]), { dry: false, onProgress });
    expect(progress[0]).toEqual({ done: 1 });
    expect(progress.at(-1)).toEqual({ done: 3, total: 3 });
  });

  test('gives a request the time it had when it was recorded', async () => {
    const never = answering('never', () => new Promise(() => undefined));
    const { entries } = await record({}, [{ ...call('run_shell'), timeoutMs: 60 }]);
    const { decisions } = await backtest(entries, configOf([group([never])]), { dry: false });
    expect(decisions[0]?.after).toMatchObject({
      error: 'deadline_exceeded',
      faults: [{ hook: 'never', code: 'deadline' }],
    });
    expect(decisions[0]?.details).toContain('request: answered → deadline_exceeded');
  });

  test('ends its hooks when it is cancelled', async () => {
    const controller = new AbortController();
    let ended = false;
    const hook: HookConfig = {
      type: 'runtime',
      name: 'waits',
      action: (_input: never, { signal }: { signal: AbortSignal }) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => {
            ended = true;
            resolve(undefined);
          });
          controller.abort(new Error('enough'));
        }),
    };
    const session = await recordCalls([]);
    const running = backtest(session, configOf([group([hook])]), { dry: false, signal: controller.signal });
    await expect(running).rejects.toMatchObject({ code: 'cancelled', cause: { message: 'enough' } });
    expect(ended).toBe(true);
  });

  test('is not shown to the host: neither its bus nor its callbacks hear of it', async () => {
    const heard: string[] = [];
    const bus = new MessageBus();
    bus.stream().subscribe(({ type }) => heard.push(type));
    const deps = {
      onTrace: () => heard.push('trace'),
      telemetry: () => heard.push('telemetry'),
      events: { onHookStart: () => heard.push('start') },
    };
    const session = await recordCalls([]);
    const config = configOf([group([speaking('wiki', 'Node 20')])], { bus, deps });
    const { counts } = await backtest(session, config, { dry: false });
    expect(counts['changed-context']).toBe(1);
    expect(heard).toEqual([]);
  });

  test.skipIf(process.platform === 'win32')('runs scripts over a session of the recorder', async () => {
    const directory = newDirectory();
    const log = join(directory, 'log');
    const guard = (pattern: string): HookConfig =>
      script(directory, 'guard', `echo run >> ${log}\nif grep -q '${pattern}'; then echo 'not that' >&2; exit 2; fi`);
    const file = join(directory, 'session.jsonl');
    const bus = new MessageBus();
    const recording = recordTo(bus, { file });
    const config = configOf([group([guard('rm -rf')])], { bus });
    for (const command of ['ls', 'rm -rf build', 'git push']) {
      await bus.request(
        { type: 'hook-execution-request', correlationId: command, ...call('run_shell', { command }) },
        'hook-execution-response',
      );
    }
    await recording.close();

    const session = readSession(file);
    const dry = await backtest(session, config);
    await config.getHookSystem()?.dispose();
    expect(dry.counts.unchanged).toBe(3);
    expect(readFileSync(log, 'utf8')).toBe('run\n'.repeat(3));
    const real = await backtest(session, configOf([group([guard('git push')])]), { dry: false });
    expect(readFileSync(log, 'utf8')).toBe('run\n'.repeat(6));
    expect(real.counts).toMatchObject({ unchanged: 1, 'newly-allowed': 1, 'newly-blocked': 1 });
    expect(real.decisions.map(({ correlationId, kinds }) => [correlationId, ...kinds])).toEqual([
      ['rm -rf build', 'newly-allowed'],
      ['git push', 'newly-blocked'],
    ]);
  });

  test('takes a mark in a recording for whatever was redacted there', async () => {
    const directory = newDirectory();
    const file = join(directory, 'session.jsonl');
    const bus = new MessageBus();
    const recording = recordTo(bus, { file });
    const secret = setting('login', { api_key: 'sk-live-0123456789abcdef0123456789abcdef' });
    const config = configOf([group([secret])], { bus });
    const request = { type: 'hook-execution-request', correlationId: 'login', ...call('login') } as const;
    await bus.request(request, 'hook-execution-response');
    await recording.close();
    expect(readFileSync(file, 'utf8')).not.toContain('sk-live');
    for (const dry of [true, false]) {
      expect((await backtest(readSession(file), config, { dry })).counts.unchanged).toBe(1);
    }
  });
});
