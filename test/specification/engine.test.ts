import { createHook } from 'node:async_hooks';
import { mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  type Bus,
  HookAggregator,
  HookEventHandler,
  HookPlanner,
  HookRegistry,
  HookRunner,
  HookSystem,
  type HostConfig,
  MessageBus,
  requestHooks,
} from '../../src/index.ts';
import { answers, engineOf, fn, groupOf, hangs, llmRequest, llmResponse, sleep, systemOn } from '../support/engine.ts';
import { commands, group, hostWith } from '../support/host.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** A bus that keeps which of its messages somebody wanted to hear. */
const countingBus = () => {
  const asked: string[] = [];
  const bus: Bus = new Proxy(new MessageBus(), {
    get: (target, member) => {
      const value: unknown = Reflect.get(target, member, target);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]): unknown => {
        if (['subscribe', 'serve', 'stream', 'on'].includes(String(member))) asked.push(`${String(member)} ${args[0]}`);
        return Reflect.apply(value, target, args);
      };
    },
  });
  return { bus, asked };
};

/** A host whose answers are all counted. */
const countingHost = (answered: Partial<HostConfig>) => {
  const asked: string[] = [];
  const whole: HostConfig = {
    ...hostWith(),
    getRuntimeHooks: () => undefined,
    getUserHooks: () => undefined,
    getSystemHooks: () => undefined,
    getExtensions: () => [],
    getDisabledHooks: () => [],
    ...answered,
  };
  const host = new Proxy(whole, {
    get: (target, member, receiver) => {
      asked.push(String(member));
      return Reflect.get(target, member, receiver);
    },
  });
  const configuration = /^get(\w*Hooks|Extensions|AllowedEnv|ConfigProblems)$/;
  return { host, asked, reads: () => asked.filter((name) => configuration.test(name)).toSorted() };
};

describe('building a hook system', () => {
  test('R010 adds nothing to what its event handler listens to', () => {
    const alone = countingBus();
    const host = hostWith();
    const planner = new HookPlanner(new HookRegistry(host));
    new HookEventHandler(host, planner, new HookRunner(host), new HookAggregator(), alone.bus);
    const whole = countingBus();
    new HookSystem(host, whole.bus);
    expect(alone.asked).not.toEqual([]);
    expect(whole.asked).toEqual(alone.asked);
  });

  test('R032 begins nothing that would go on after it, and asks for no hooks', async () => {
    const { host, asked } = countingHost({ getHooks: () => ({ BeforeTool: commands('a') }) });
    const bus = new MessageBus();
    // The first id of a process fills a pool with random bytes.
    new HookSystem(host, new MessageBus());
    asked.length = 0;
    const begun: string[] = [];
    const watch = createHook({ init: (_id, type) => begun.push(type) }).enable();
    const system = new HookSystem(host, bus);
    watch.disable();
    expect(begun).toEqual([]);
    await sleep(20);
    // Which events there are has to be known before the first request.
    expect(asked.filter((name) => !['getTrustCheck', 'getEvents', 'getCanaryRecord'].includes(name))).toEqual([]);
    expect(system.isInitialized()).toBe(false);
  });
});

describe('R030 a hook system has one of each part', () => {
  const payload = { tool_name: 'ls', tool_input: {} };

  test('one registry: what it is told holds for calls, for requests and for what is explained', async () => {
    const bus = new MessageBus();
    const system = systemOn(bus, { hooks: { BeforeTool: groupOf(answers('a', { reason: 'a' })) } });
    await system.initialize();
    system.getRegistry().registerHook(answers('b', { reason: 'b' }), 'BeforeTool');
    system.getRegistry().setHookEnabled('a', false);
    const fired = await system.getEventHandler().fire('BeforeTool', payload);
    const asked = await requestHooks(bus, 'BeforeTool', payload);
    const rows = await system.explain('BeforeTool', { toolName: 'ls' });
    expect([fired.allOutputs, asked.allOutputs]).toEqual([[{ reason: 'b' }], [{ reason: 'b' }]]);
    expect(rows.filter(({ planned }) => planned === 'run').map(({ name }) => name)).toEqual(['b']);
    expect(system.getAllHooks()).toEqual(system.getRegistry().getAllHooks());
  });

  test('one handler: what ends it ends calls and requests, and refuses both from then on', async () => {
    const bus = new MessageBus();
    const system = systemOn(bus, { hooks: { BeforeTool: groupOf(hangs('hangs')) } });
    await system.initialize();
    const handler = system.getEventHandler();
    const under = [handler.fire('BeforeTool', payload), requestHooks(bus, 'BeforeTool', payload)];
    await sleep(5);
    await handler.dispose();
    const ended = [...(await Promise.all(under)), await handler.fire('BeforeTool', payload)];
    expect(ended.map(({ errors: [first] }) => first)).toMatchObject(ended.map(() => ({ code: 'disposed' })));
  });

  test('one runner: calls and requests wait for the same places', async () => {
    const bus = new MessageBus();
    const hook = { name: 'slow', command: 'sleep 0.2' };
    const host = { getWorkingDir: tmpdir };
    const system = systemOn(bus, { hooks: { BeforeTool: groupOf(hook) }, host, deps: { limits: { concurrency: 1 } } });
    await system.initialize();
    const startedAt = performance.now();
    await Promise.all([system.getEventHandler().fire('BeforeTool', payload), requestHooks(bus, 'BeforeTool', payload)]);
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(400);
  });
});

describe('R035 R075 the configuration', () => {
  test('is read once, whatever happens, until a reload reads it once more', async () => {
    const { host, reads } = countingHost({ getHooks: () => ({ BeforeTool: groupOf(answers('a', {})) }) });
    const bus = new MessageBus();
    const system = new HookSystem(host, bus);
    onTestFinished(() => system.dispose());
    await Promise.all([system.initialize(), system.initialize(), requestHooks(bus, 'BeforeAgent', { prompt: 'hi' })]);
    const once = reads();
    expect(once).toContain('getHooks');
    expect(once).toEqual([...new Set(once)]);
    const handler = system.getEventHandler();
    await handler.fireBeforeToolEvent('ls', {});
    await handler.fireSessionStartEvent('startup');
    await requestHooks(bus, 'BeforeTool', { tool_name: 'ls', tool_input: {} });
    await system.explain();
    await system.initialize();
    system.getAllHooks();
    system.getProblems();
    expect(reads()).toEqual(once);
    await system.reload();
    expect(reads()).toEqual([...once, ...once].toSorted());
  });

  test('is not looked at again when events arrive: what a hook was when it was read, it stays', async () => {
    const looked: string[] = [];
    const definition = new Proxy(group([answers('a', { reason: 'a' })], { matcher: 'ls' }), {
      get: (target, member, receiver) => {
        looked.push(String(member));
        return Reflect.get(target, member, receiver);
      },
    });
    const system = await engineOf({ hooks: { BeforeTool: [definition] } });
    expect(looked).toContain('hooks');
    looked.length = 0;
    const { allOutputs } = await system.getEventHandler().fireBeforeToolEvent('ls', {});
    expect([allOutputs, looked]).toEqual([[{ reason: 'a' }], []]);
  });
});

test('R302 sessions and compression are told by nobody but the host', async () => {
  const told: string[] = [];
  const notes = (name: string) => groupOf(fn(name, () => void told.push(name)));
  const hooks = {
    SessionStart: notes('SessionStart'),
    SessionEnd: notes('SessionEnd'),
    PreCompress: notes('PreCompress'),
    BeforeTool: notes('BeforeTool'),
  };
  const bus = new MessageBus();
  const system = systemOn(bus, { hooks });
  await system.initialize();
  const handler = system.getEventHandler();
  await handler.fireBeforeAgentEvent('hi');
  await handler.fireBeforeModelEvent(llmRequest);
  await handler.fireBeforeToolEvent('ls', {});
  await handler.fireAfterToolEvent('ls', {}, 'done');
  await handler.fireAfterModelEvent(llmRequest, llmResponse);
  await handler.fireAfterAgentEvent('hi', 'hello');
  await system.reload();
  await system.dispose();
  await sleep(5);
  expect(told).toEqual(['BeforeTool']);
});

test('R318 the engine has the hooks it is given, and none of the files around it', async () => {
  const project = temporaryFolder('files');
  const settings = { tools: { enableHooks: true }, hooks: { BeforeTool: commands('from a file') } };
  for (const directory of ['.hookwright', '.gemini', '.claude']) {
    mkdirSync(join(project, directory));
    for (const file of ['settings.json', 'hooks.json']) {
      writeFileSync(join(project, directory, file), JSON.stringify(settings));
    }
  }
  const here = { getWorkingDir: () => project, getTargetDir: () => project, getProjectDir: () => project };
  const home = process.env.HOME;
  process.env.HOME = project;
  onTestFinished(() => {
    if (home === undefined) delete process.env.HOME;
    else process.env.HOME = home;
  });
  const system = await engineOf({ hooks: { BeforeTool: groupOf(answers('given', { reason: 'given' })) }, host: here });
  const { allOutputs } = await system.getEventHandler().fireBeforeToolEvent('ls', {});
  expect(allOutputs).toEqual([{ reason: 'given' }]);
  expect((await system.explain()).map(({ name }) => name)).toEqual(['given']);
  expect(system.getProblems()).toEqual([]);
});
