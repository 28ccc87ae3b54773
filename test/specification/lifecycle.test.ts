import { describe, expect, test } from 'vitest';
import {
  Config,
  fireAfterToolHook,
  fireBeforeToolHook,
  fireSessionStartHook,
  HookAggregator,
  HookRegistry,
  HookRegistryNotInitializedError,
  HookRunner,
  HookSystem,
  HookSystemNotInitializedError,
  type HooksByEvent,
  HookwrightError,
  type TriggerConfig,
} from '../../src/index.ts';
import { all, answering, engineOf } from './engine.ts';

/** A configuration that counts how often its hooks are asked for, and has only what an engine cannot do without. */
const counting = (hooks: () => HooksByEvent | Promise<HooksByEvent>) => {
  let asked = 0;
  const config: TriggerConfig = {
    getSessionId: () => 'session-1',
    getWorkingDir: () => process.cwd(),
    getHooks: () => {
      asked += 1;
      return hooks();
    },
  };
  return { config, asked: () => asked };
};

const one = { BeforeTool: all(answering('a', { decision: 'deny' })) };

describe('a hook system', () => {
  test('R031 R032 is made from a configuration alone, and making it reads nothing', async () => {
    const { config, asked } = counting(() => one);
    const system = new HookSystem(config);
    expect({ asked: asked(), initialized: system.isInitialized() }).toEqual({ asked: 0, initialized: false });
    await system.initialize();
    expect({ asked: asked(), initialized: system.isInitialized() }).toEqual({ asked: 1, initialized: true });
  });

  test('R033 R034 R035 R059 R075 C10 reads its configuration once, whatever is initialised and fired', async () => {
    const { config, asked } = counting(async () => one);
    const system = new HookSystem(config);
    await Promise.all([system.initialize(), system.initialize(), system.initialize()]);
    await system.initialize();
    for (const path of ['a', 'b']) await system.getEventHandler().fireBeforeToolEvent('read_file', { path });
    expect(asked()).toBe(1);
  });

  test('R030 R036 R037 has one handler and one registry, the same ones every time', async () => {
    const { system } = await engineOf(one);
    expect(system.getEventHandler()).toBe(system.getEventHandler());
    expect(system.getRegistry()).toBe(system.getRegistry());
    expect(system.getRegistry()).toBeInstanceOf(HookRegistry);
  });

  test('R038 says whether its hooks are loaded, and how many there are', async () => {
    const system = new HookSystem(counting(() => one).config);
    expect(system.getStatus()).toEqual({ initialized: false, totalHooks: 0 });
    await system.initialize();
    expect(system.getStatus()).toEqual({ initialized: true, totalHooks: 1 });
  });

  test('R039 R040 R041 C11 that is asked too early throws an error of its own, which names what was asked for', () => {
    const system = new HookSystem(counting(() => one).config);
    for (const accessor of ['getEventHandler', 'getRegistry'] as const) {
      expect(() => system[accessor]()).toThrow(HookSystemNotInitializedError);
      expect(() => system[accessor]()).toThrow(/^HookSystem not initialized: get.*\(\)/);
      expect(() => system[accessor]()).toThrow(`${accessor}()`);
    }
  });

  test('R042 C11 has a registry with another error for the same mistake', () => {
    const registry = new HookRegistry(counting(() => one).config);
    expect(() => registry.getAllHooks()).toThrow(HookRegistryNotInitializedError);
    expect(() => registry.getAllHooks()).not.toThrow(HookSystemNotInitializedError);
    expect(HookwrightError.is(new HookRegistryNotInitializedError('x()'))).toBe(true);
  });

  test('R043 C62 has a runner and an aggregator that work as they are made', async () => {
    const hook = answering('a', { decision: 'deny', reason: 'no' });
    const input = {
      session_id: '',
      transcript_path: '',
      cwd: '/',
      hook_event_name: 'BeforeAgent',
      timestamp: '',
      prompt: 'hi',
    };
    const runner = new HookRunner(counting(() => one).config);
    const results = [
      await runner.executeHook(hook, 'BeforeAgent', input),
      await runner.executeHook(hook, 'BeforeAgent', input),
    ];
    const aggregator = new HookAggregator();
    for (const _again of [1, 2]) {
      expect(aggregator.aggregateResults(results, 'BeforeAgent').finalOutput).toMatchObject({ reason: 'no\nno' });
    }
  });
});

describe('C10 a reload', () => {
  test('that fails leaves the hooks and their switches as they were', async () => {
    let hooks: HooksByEvent | undefined = one;
    const { config } = counting(() => {
      if (hooks === undefined) throw new Error('the disk is gone');
      return hooks;
    });
    const system = new HookSystem(config);
    await system.initialize();
    system.setHookEnabled('a', false);
    const before = system.getAllHooks();
    hooks = undefined;
    await expect(system.reload()).rejects.toThrow('the disk is gone');
    expect(system.getAllHooks()).toEqual(before);
    expect(before).toMatchObject([{ enabled: false }]);
    hooks = {};
    await system.reload();
    expect(system.getAllHooks()).toEqual([]);
  });

  test('that is asked for while one is running is a single later one', async () => {
    const { config, asked } = counting(async () => one);
    const system = new HookSystem(config);
    await system.initialize();
    await Promise.all([system.reload(), system.reload(), system.reload(), system.reload()]);
    expect(asked()).toBe(3);
  });
});

test('R044 R242 R313 triggers load the hooks and share the one system of their configuration', async () => {
  const { config, asked } = counting(() => one);
  expect(await fireBeforeToolHook(config, 'read_file', {})).toMatchObject({ decision: 'deny' });
  await fireAfterToolHook(config, 'read_file', {}, { llmContent: 'text' });
  await fireSessionStartHook(config, 'startup');
  expect(asked()).toBe(1);

  const own = new Config({ enableHooks: true, hooks: one });
  expect(own.getHookSystem()?.isInitialized()).toBe(false);
  await fireSessionStartHook(own, 'startup');
  expect(own.getHookSystem()?.isInitialized()).toBe(true);
});
