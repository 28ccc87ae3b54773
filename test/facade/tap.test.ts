import { of, Subject, throwError } from 'rxjs';
import { describe, expect, test } from 'vitest';
import { createIterator } from '../../src/facade/hooks-engine.ts';
import { createHooks, type HookMessage, MessageBusType } from '../../src/index.ts';
import { hook } from '../triggers/support.ts';

const call = { tool: 'shell', input: {} };
const denying = () => createHooks({ hooks: { BeforeTool: [hook({ decision: 'deny' })] } });

/** The types of the next messages. */
const take = async (messages: AsyncIterableIterator<HookMessage>, count: number): Promise<string[]> => {
  const types: string[] = [];
  for await (const { type } of messages) if (types.push(type) === count) break;
  return types;
};

describe('tap', () => {
  test('gives the traffic in its order: request, progress, trace, response', async () => {
    const hooks = await denying();
    const messages = hooks.tap();
    await hooks.beforeTool(call);
    expect(await take(messages, 5)).toEqual([
      MessageBusType.HOOK_EXECUTION_REQUEST,
      MessageBusType.HOOK_STARTED,
      MessageBusType.HOOK_FINISHED,
      MessageBusType.HOOK_EXECUTION_TRACE,
      MessageBusType.HOOK_EXECUTION_RESPONSE,
    ]);
  });

  test('begins when it is called, not when it is read', async () => {
    const hooks = await denying();
    await hooks.beforeTool(call);
    const messages = hooks.tap();
    await hooks.beforeTool({ ...call, tool: 'second' });
    const { value } = await messages.next();
    expect(value).toMatchObject({ payload: { tool_name: 'second' } });
    await messages.return?.();
  });

  test('leaves nothing behind when its loop is left', async () => {
    const hooks = await denying();
    const messages = hooks.tap();
    expect(hooks.bus.listenerCount('*')).toBe(1);
    await hooks.beforeTool(call);
    await take(messages, 1);
    expect(hooks.bus.listenerCount('*')).toBe(0);
    expect(await messages.next()).toEqual({ done: true, value: undefined });
  });

  test('ends with return, also for whoever waits already', async () => {
    const hooks = await denying();
    const messages = hooks.tap();
    const waiting = [messages.next(), messages.next()];
    await messages.return?.();
    expect(await Promise.all(waiting)).toEqual([
      { done: true, value: undefined },
      { done: true, value: undefined },
    ]);
  });

  test('ends with close, after what was left to read', async () => {
    const hooks = await denying();
    const messages = hooks.tap();
    await hooks.beforeTool(call);
    await hooks.close();
    let count = 0;
    for await (const _message of messages) count += 1;
    expect(count).toBe(5);
  });

  test('serves several readers, each from its own beginning', async () => {
    const hooks = await denying();
    const [one, other] = [hooks.tap(), hooks.tap()];
    await hooks.beforeTool(call);
    expect(await take(one, 2)).toEqual(await take(other, 2));
  });

  test('answers readers that ask before there is anything, in their order', async () => {
    const hooks = await denying();
    const messages = hooks.tap();
    const [first, second] = [messages.next(), messages.next()];
    await hooks.beforeTool(call);
    expect((await first).value?.type).toBe(MessageBusType.HOOK_EXECUTION_REQUEST);
    expect((await second).value?.type).toBe(MessageBusType.HOOK_STARTED);
    await messages.return?.();
  });
});

describe('a stream that is iterated', () => {
  test('gives a reader that falls too far behind an error, after what it can still read', async () => {
    const stream = new Subject<number>();
    const numbers = createIterator(stream);
    for (let count = 0; count < 10_005; count += 1) stream.next(count);
    expect(stream.observed).toBe(false);
    let read = 0;
    const reading = async (): Promise<void> => {
      for await (const value of numbers) expect(value).toBe(read++);
    };
    await expect(reading()).rejects.toMatchObject({ code: 'overloaded', message: expect.stringContaining('10000') });
    expect(read).toBe(10_000);
  });

  test('may be over before it is read', async () => {
    const numbers = createIterator(of(1, 2));
    expect([await numbers.next(), await numbers.next(), await numbers.next()]).toEqual([
      { done: false, value: 1 },
      { done: false, value: 2 },
      { done: true, value: undefined },
    ]);
  });

  test('hands an error to its reader, again and again', async () => {
    const failed = createIterator(throwError(() => new Error('gone')));
    await expect(failed.next()).rejects.toThrow('gone');
    await expect(failed.next()).rejects.toThrow('gone');
  });

  test('hands an error to a reader that waits', async () => {
    const stream = new Subject<number>();
    const next = createIterator(stream).next();
    stream.error(new Error('gone'));
    await expect(next).rejects.toThrow('gone');
  });
});
