import { describe, expect, test, vi } from 'vitest';
import { Config, fireBeforeToolHook, HookSystem, MessageBus, MessageBusType, requestHooks } from '../../src/index.ts';
import {
  answers,
  engineOnBus,
  fn,
  groupOf,
  HOOK_EXECUTION_REQUEST,
  HOOK_EXECUTION_RESPONSE,
  hangs,
  heard,
  requestFor,
  sleep,
  systemOn,
} from '../support/engine.ts';
import { deferred, hostWith, keepLines } from '../support/host.ts';
import { untyped } from '../support/untyped.ts';
import { empty } from './fire-support.ts';

describe('R313 R314 loading', () => {
  test('happens with the first request, once for all of them', async () => {
    let loads = 0;
    const getHooks = () => {
      loads += 1;
      return { BeforeTool: groupOf(answers('a', { decision: 'allow' })) };
    };
    const { bus, system, responses } = engineOnBus({ host: { getHooks } });
    expect([loads, system.isInitialized()]).toEqual([0, false]);
    for (const id of ['a', 'b', 'c']) bus.publish(requestFor(id));
    await vi.waitUntil(() => responses.length === 3);
    expect(responses.map((response) => response.result.finalOutput)).toMatchObject([
      { decision: 'allow' },
      { decision: 'allow' },
      { decision: 'allow' },
    ]);
    expect([loads, system.isInitialized()]).toEqual([1, true]);
  });

  test.each<[title: string, fails: () => never | Promise<never>]>([
    [
      'throws',
      () => {
        throw new Error('disk on fire');
      },
    ],
    ['rejects', () => Promise.reject(new Error('disk on fire'))],
  ])('that %s answers internal_error, never "no hooks", and the next request tries again', async (_title, fails) => {
    let broken = true;
    const { logger, warn } = keepLines();
    const getHooks = () => (broken ? fails() : { BeforeTool: groupOf(answers('a', { decision: 'allow' })) });
    const { bus, answerTo } = engineOnBus({ host: { getHooks }, deps: { logger } });
    bus.publish(requestFor('a'));
    expect(await answerTo('a')).toMatchObject({
      success: false,
      result: { ...empty, success: false },
      error: { code: 'internal_error', message: expect.stringContaining('disk on fire') },
    });
    expect(warn).toEqual([expect.stringContaining('BeforeTool could not be fired')]);
    broken = false;
    bus.publish(requestFor('b'));
    expect(await answerTo('b')).toMatchObject({ success: true, output: { decision: 'allow' } });
  });

  test('counts against the deadline of the request', async () => {
    const { bus, answerTo } = engineOnBus({ host: { getHooks: () => new Promise(() => {}) } });
    bus.publish({ ...requestFor('a'), timeoutMs: 20 });
    expect(await answerTo('a')).toMatchObject({ error: { code: 'deadline_exceeded' } });
  });

  test('F73 again leaves requests under way with the plan they started with', async () => {
    const gate = deferred();
    let name = 'old';
    const getHooks = () => {
      const mine = name;
      return { BeforeTool: groupOf(fn(mine, () => gate.promise.then(() => ({ systemMessage: mine })))) };
    };
    const { bus, system, answerTo } = engineOnBus({ host: { getHooks } });
    bus.publish(requestFor('a'));
    await sleep(5);
    name = 'new';
    await system.reload();
    bus.publish(requestFor('b'));
    gate.resolve();
    expect((await answerTo('a')).output).toMatchObject({ systemMessage: 'old' });
    expect((await answerTo('b')).output).toMatchObject({ systemMessage: 'new' });
  });
});

describe('F72 dispose', () => {
  test.each([
    ['in the turn it was published', 0],
    ['while its hooks run', 5],
  ])('answers a request %s as disposed, with what had finished', async (_title, wait) => {
    const hooks = { BeforeTool: groupOf(answers('a', { decision: 'block', reason: 'no' }), hangs('b')) };
    const { bus, system, responses, answerTo } = engineOnBus({ hooks });
    await system.initialize();
    bus.publish(requestFor('a'));
    if (wait > 0) await sleep(wait);
    await system.dispose();
    const response = await answerTo('a');
    expect(response).toMatchObject({ success: false, error: { code: 'disposed' } });
    expect(response.output?.decision).toBe(wait > 0 ? 'block' : undefined);
    await sleep(40);
    expect(responses).toHaveLength(1);
  });

  test('during loading answers what waits for it', async () => {
    const { bus, system, answerTo } = engineOnBus({ host: { getHooks: () => new Promise(() => {}) } });
    bus.publish(requestFor('a'));
    await sleep(2);
    await system.dispose();
    expect(await answerTo('a')).toMatchObject({ error: { code: 'disposed' } });
  });

  test('refuses later requests, idle or twice disposed', async () => {
    const { bus, system, responses } = engineOnBus({ hooks: { BeforeTool: groupOf(answers('a', {})) } });
    await system.dispose();
    await system.dispose();
    bus.publish(requestFor('a'));
    expect(responses).toMatchObject([{ correlationId: 'a', success: false, error: { code: 'disposed' } }]);
  });

  test('leaves requests to another system on the same bus', async () => {
    const bus = new MessageBus();
    const old = engineOnBus({ hooks: { BeforeTool: groupOf(answers('a', { systemMessage: 'old' })) } }, bus);
    await old.system.dispose();
    engineOnBus({ hooks: { BeforeTool: groupOf(answers('a', { systemMessage: 'new' })) } }, bus);
    const result = await requestHooks(bus, 'BeforeTool', { tool_name: 'ls', tool_input: {} });
    expect(result).toMatchObject({ success: true, finalOutput: { systemMessage: 'new' } });
    expect(old.errors).toEqual([]);
  });

  test('of many systems one after another leaves the listeners of the last one', async () => {
    const bus = new MessageBus();
    const listeners = (): number =>
      bus.listenerCount(MessageBusType.HOOK_EXECUTION_REQUEST) +
      bus.listenerCount(MessageBusType.HOOK_EXECUTION_CANCEL);
    for (let made = 0; made < 50; made += 1) await engineOnBus({}, bus).system.dispose();
    expect(listeners()).toBe(1);
    const result = await requestHooks(bus, 'BeforeTool', { tool_name: 'ls', tool_input: {} });
    expect(result.errors).toMatchObject([{ code: 'disposed' }]);
  });

  test('of every system on a bus leaves one refusal per request', async () => {
    const bus = new MessageBus();
    const first = engineOnBus({}, bus);
    await first.system.dispose();
    await engineOnBus({}, bus).system.dispose();
    const result = await requestHooks(bus, 'BeforeTool', { tool_name: 'ls', tool_input: {} });
    expect(result.errors).toMatchObject([{ code: 'disposed' }]);
    expect(first.responses).toHaveLength(1);
    expect(first.errors).toEqual([]);
  });
});

describe('F35 two systems on one bus', () => {
  const denying = { BeforeTool: groupOf(answers('guard', { decision: 'deny', reason: 'no' })) };
  const handlerExists = expect.objectContaining({
    code: 'handler_exists',
    message:
      'Another engine answers hook-execution-request on this bus already; give this one a bus of its own, or dispose of the other first',
  });

  test('cannot be: the second constructor throws, and the first goes on as if there had been none', async () => {
    const bus = new MessageBus();
    const { responses, errors } = engineOnBus({ hooks: denying }, bus);
    expect(() => new HookSystem(hostWith(), bus)).toThrow(handlerExists);
    expect(() => new Config({ enableHooks: true, bus })).toThrow(handlerExists);
    const result = await requestHooks(bus, 'BeforeTool', { tool_name: 'ls', tool_input: {} });
    expect(result.finalOutput).toMatchObject({ decision: 'deny' });
    await sleep(5);
    expect([responses.length, errors]).toEqual([1, []]);
  });

  test('may follow one another: whoever was disposed of is in nobody’s way', async () => {
    const bus = new MessageBus();
    await engineOnBus({}, bus).system.dispose();
    engineOnBus({ hooks: denying }, bus);
    const result = await requestHooks(bus, 'BeforeTool', { tool_name: 'ls', tool_input: {} });
    expect(result.finalOutput).toMatchObject({ decision: 'deny' });
  });

  test('are told by a trigger too, whose hooks would all be left out without a word', async () => {
    const bus = new MessageBus();
    engineOnBus({}, bus);
    const second = { ...hostWith({ hooks: denying }), getMessageBus: () => bus };
    await expect(fireBeforeToolHook(second, 'ls', {})).rejects.toEqual(handlerExists);
  });
});

describe('direct calls on a system that has a bus', () => {
  const hooks = { BeforeTool: groupOf(answers('a', { decision: 'deny', reason: 'no' })) };
  const quiet = (bus: MessageBus) => {
    const published: string[] = [];
    const publish = bus.publish.bind(bus);
    bus.publish = (message) => {
      published.push(message.type);
      publish(message);
    };
    return published;
  };

  test.each([
    ['requests', HOOK_EXECUTION_REQUEST],
    ['responses', HOOK_EXECUTION_RESPONSE],
    ['everything', '*'],
  ] as const)('are told to whoever listens to %s, as a pair that names its handler', async (_title, channel) => {
    const bus = new MessageBus();
    const system = systemOn(bus, { hooks });
    await system.initialize();
    const published: unknown[] = [];
    const keep = (message: { type: string }): void => {
      if (message.type === HOOK_EXECUTION_REQUEST || message.type === HOOK_EXECUTION_RESPONSE) published.push(message);
    };
    if (channel === '*') bus.stream().subscribe(keep);
    else bus.subscribe(channel, keep);
    const handler = system.getEventHandler();
    const result = await handler.fire('BeforeTool', { tool_name: 'ls', tool_input: {} }, { timeoutMs: 1_000 });
    const request = {
      type: HOOK_EXECUTION_REQUEST,
      correlationId: expect.any(String),
      eventName: 'BeforeTool',
      payload: { tool_name: 'ls', tool_input: {} },
      handledBy: handler.id,
      timeoutMs: 1_000,
    };
    const response = {
      type: HOOK_EXECUTION_RESPONSE,
      correlationId: expect.any(String),
      eventName: 'BeforeTool',
      success: true,
      result,
      output: result.finalOutput,
      handledBy: handler.id,
    };
    const pair = [request, response];
    expect(published).toEqual(channel === '*' ? pair : pair.filter((message) => message.type === channel));
    const ids = published.map((message) => untyped<{ correlationId: string }>(message).correlationId);
    expect(new Set(ids).size).toBe(1);
  });

  test('are silent when nobody does, and run their hooks once either way', async () => {
    let runs = 0;
    const counting = {
      BeforeTool: groupOf(
        fn('a', () => {
          runs += 1;
        }),
      ),
    };
    const bus = new MessageBus();
    const published = quiet(bus);
    const system = systemOn(bus, { hooks: counting });
    await system.initialize();
    await system.getEventHandler().fireBeforeToolEvent('ls', {});
    expect([runs, published]).toEqual([1, []]);
    heard(bus, HOOK_EXECUTION_RESPONSE);
    await system.getEventHandler().fireBeforeToolEvent('ls', {});
    expect([runs, published]).toEqual([2, [HOOK_EXECUTION_REQUEST, HOOK_EXECUTION_RESPONSE]]);
  });

  test('that fail are told as failures', async () => {
    const { system, responses } = engineOnBus({ hooks });
    await system.initialize();
    const handler = system.getEventHandler();
    const result = await handler.fire('BeforeTool', untyped({ tool_name: '', tool_input: {} }));
    expect(result).toMatchObject({ success: false, errors: [{ code: 'validation_failure' }] });
    expect(responses).toMatchObject([{ success: false, error: { code: 'validation_failure' }, handledBy: handler.id }]);
  });

  test('come out the same as without anybody listening', async () => {
    const systems = [systemOn(new MessageBus(), { hooks }), engineOnBus({ hooks }).system];
    const fire = async (system: HookSystem) => {
      await system.initialize();
      return system.getEventHandler().fireBeforeToolEvent('ls', {});
    };
    const [one, two] = await Promise.all(systems.map(fire));
    expect({ ...two, totalDuration: 0 }).toEqual({ ...one, totalDuration: 0 });
  });
});
