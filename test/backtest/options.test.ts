import { describe, expect, test } from 'vitest';
import { HookwrightError, MessageBus } from '../../src/index.ts';
import { type BacktestOptions, type BacktestProgress, backtest } from '../../src/sessions/backtest/index.ts';
import { untyped } from '../support/untyped.ts';
import { answering, call, configOf, denying, group, record, recordCalls } from './support.ts';

const nothing = answering('audit', undefined);

describe('what a backtest takes', () => {
  test('events and tools pick requests', async () => {
    const { entries } = await record({ hooks: { BeforeTool: [group([denying('guard')])] } }, [
      call('run_shell'),
      call('read_file'),
      { eventName: 'BeforeAgent', payload: { prompt: 'hi' } },
    ]);
    const total = async (options: BacktestOptions) => (await backtest(entries, configOf([]), options)).total;
    expect(await total({})).toBe(3);
    expect(await total({ events: ['BeforeAgent'] })).toBe(1);
    expect(await total({ tools: ['read_file'] })).toBe(1);
    expect(await total({ events: ['BeforeAgent'], tools: ['read_file'] })).toBe(0);
  });

  test('progress ends with the total', async () => {
    const progress: BacktestProgress[] = [];
    const session = await recordCalls([], [call('a'), call('b')]);
    await backtest(session, configOf([]), { onProgress: (one) => progress.push(one) });
    expect(progress).toEqual([{ done: 2, total: 2 }]);
  });

  test.each<[string, BacktestOptions, string]>([
    ['only without dry: false', { only: ['guard'] }, 'dry: false'],
    ['a hook that does not exist', { dry: false, only: ['guardd'] }, 'did you mean "guard"?'],
    ['an event that does not exist', { events: ['BeforeTol'] }, 'did you mean "BeforeTool"?'],
    ['no requests at once', { concurrency: 0 }, 'concurrency must be a whole number over 0'],
    ['a list that is none', untyped({ tools: 'run_shell' }), 'tools must be a list of names'],
    ['a mode that is none', untyped({ dry: 'no' }), 'dry must be true or false'],
  ])('%s is refused', async (_what, options, message) => {
    const error: unknown = await backtest([], configOf([group([denying('guard')])]), options).catch((one) => one);
    if (!HookwrightError.is(error)) throw new Error('was not refused');
    expect(error.code).toBe('invalid_argument');
    expect(error.message).toContain(message);
  });

  test('something that is no session is refused', async () => {
    await expect(backtest(untyped('session.jsonl'), configOf([]))).rejects.toThrow('needs a session');
  });

  test('hooks that cannot be loaded reject', async () => {
    const broken = { getSessionId: () => 's', getHooks: () => Promise.reject(new Error('unreadable')) };
    await expect(backtest([], broken)).rejects.toThrow('unreadable');
  });

  test('a signal ends it', async () => {
    const controller = new AbortController();
    const session = await recordCalls([], [call('a'), call('b')]);
    controller.abort();
    const running = backtest(session, configOf([]), { signal: controller.signal });
    await expect(running).rejects.toMatchObject({ code: 'cancelled' });
  });

  test('a host of any kind will do, and its own bus hears nothing', async () => {
    const bus = new MessageBus();
    const heard: string[] = [];
    bus.stream().subscribe(({ type }) => heard.push(type));
    const hooks = { BeforeTool: [group([nothing])] };
    const host = { getSessionId: () => 's', getHooks: () => hooks, getMessageBus: () => bus };
    const session = await recordCalls([group([nothing])]);
    expect((await backtest(session, host)).counts.unchanged).toBe(1);
    expect((await backtest(session, host, { dry: false })).counts.unchanged).toBe(1);
    expect(heard).toEqual([]);
  });
});
