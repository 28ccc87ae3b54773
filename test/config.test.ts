import { describe, expect, test } from 'vitest';
import { Config, type ConfigOptions, HookSystem, MessageBus, MessageBusType, requestHooks } from '../src/index.ts';
import { answers, groupOf } from './support/engine.ts';
import { commands, keepLines } from './support/host.ts';

const hooks = { BeforeTool: commands('project') };

describe('what a config answers', () => {
  test.each<[title: string, options: ConfigOptions, answers: Record<string, unknown>]>([
    [
      'nothing given',
      {},
      {
        getSessionId: '',
        getWorkingDir: process.cwd(),
        getTranscriptPath: undefined,
        getHooks: undefined,
        getProjectHooks: undefined,
        getUserHooks: undefined,
        getSystemHooks: undefined,
        getRuntimeHooks: undefined,
        getExtensions: [],
        getDisabledHooks: [],
        isTrustedFolder: true,
        getEnableHooks: false,
        getMessageBus: undefined,
        getHookSystem: undefined,
      },
    ],
    [
      'everything given',
      {
        sessionId: 's',
        workingDir: '/w',
        transcriptPath: '/t',
        hooks,
        userHooks: { AfterTool: commands('user') },
        systemHooks: { AfterTool: commands('system') },
        extensions: [{ name: 'x' }],
        disabledHooks: ['a'],
        trustedFolder: false,
      },
      {
        getSessionId: 's',
        getWorkingDir: '/w',
        getTranscriptPath: '/t',
        getHooks: hooks,
        getProjectHooks: hooks,
        getUserHooks: { AfterTool: commands('user') },
        getSystemHooks: { AfterTool: commands('system') },
        getExtensions: [{ name: 'x' }],
        getDisabledHooks: ['a'],
        isTrustedFolder: false,
        getEnableHooks: false,
      },
    ],
  ])('R315 %s', (_title, options, expected) => {
    const config = new Config(options);
    const told = Object.fromEntries(
      Object.keys(expected).map((name) => [name, Reflect.get(config, name).call(config)]),
    );
    expect(told).toEqual(expected);
  });
});

describe('R310 R311 C40 hooks are off', () => {
  test.each<[title: string, options: ConfigOptions]>([
    ['by default', { hooks }],
    ['when switched off', { hooks, enableHooks: false }],
  ])('%s: there is no hook system', (_title, options) => {
    expect(new Config(options).getHookSystem()).toBeUndefined();
  });

  test('also with a bus: nobody listens there', async () => {
    const bus = new MessageBus();
    const config = new Config({ hooks, bus });
    expect(config.getMessageBus()).toBe(bus);
    expect(bus.listenerCount(MessageBusType.HOOK_EXECUTION_REQUEST)).toBe(0);
    const result = await requestHooks(bus, 'BeforeTool', { tool_name: 'ls', tool_input: {} });
    expect(result).toMatchObject({ success: false, errors: [{ code: 'no_handler' }] });
  });
});

describe('R312 R313 hooks are on', () => {
  test('the system is made when first asked for, is always the same, and is not initialised by that', () => {
    const config = new Config({ enableHooks: true, hooks });
    const system = config.getHookSystem();
    expect(system).toBeInstanceOf(HookSystem);
    expect(config.getHookSystem()).toBe(system);
    expect(system?.isInitialized()).toBe(false);
  });

  test('with a bus the system listens at once, and the first event loads the hooks', async () => {
    const bus = new MessageBus();
    const block = answers('guard', { decision: 'block', reason: 'no' });
    const config = new Config({ enableHooks: true, bus, hooks: { BeforeTool: groupOf(block) } });
    expect(bus.listenerCount(MessageBusType.HOOK_EXECUTION_REQUEST)).toBe(1);
    expect(config.getHookSystem()?.isInitialized()).toBe(false);
    const result = await requestHooks(bus, 'BeforeTool', { tool_name: 'ls', tool_input: {} });
    expect(result.finalOutput?.getBlockingError()).toEqual({ blocked: true, reason: 'no' });
    expect(config.getHookSystem()?.isInitialized()).toBe(true);
    expect(bus.listenerCount(MessageBusType.HOOK_EXECUTION_REQUEST)).toBe(1);
  });

  test('hooks count as their sources say, in their order', async () => {
    const config = new Config({
      enableHooks: true,
      runtimeHooks: { BeforeTool: commands('runtime') },
      hooks,
      userHooks: { BeforeTool: commands('user') },
      systemHooks: { BeforeTool: commands('system') },
      extensions: [{ name: 'x', isActive: true, hooks: { BeforeTool: commands('ext') } }],
    });
    const system = config.getHookSystem();
    await system?.initialize();
    expect(system?.getAllHooks().map((entry) => [entry.source, entry.config.name])).toEqual([
      ['runtime', 'runtime'],
      ['project', 'project'],
      ['user', 'user'],
      ['system', 'system'],
      ['extensions', 'ext'],
    ]);
  });

  test('an untrusted folder takes out project and extension hooks; a disabled name takes out its hook', async () => {
    const config = new Config({
      enableHooks: true,
      trustedFolder: false,
      disabledHooks: ['system'],
      runtimeHooks: { BeforeTool: commands('runtime') },
      hooks,
      userHooks: { BeforeTool: commands('user') },
      systemHooks: { BeforeTool: commands('system') },
      extensions: [{ name: 'x', isActive: true, hooks: { BeforeTool: commands('ext') } }],
    });
    const rows = await config.getHookSystem()?.explain('BeforeTool');
    expect(rows?.map((row) => [row.name, row.reason])).toEqual([
      ['runtime', undefined],
      ['project', 'untrusted'],
      ['user', undefined],
      ['system', 'disabled'],
      ['ext', 'untrusted'],
    ]);
  });

  test('deps reach the engine', async () => {
    const { logger, log } = keepLines();
    const deps = { logger };
    const config = new Config({ enableHooks: true, hooks, deps });
    expect(config.getDeps()).toBe(deps);
    await config.getHookSystem()?.initialize();
    expect(log).toEqual(['[hookwright:registry] Hook registry initialized with 1 hook entries']);
  });
});
