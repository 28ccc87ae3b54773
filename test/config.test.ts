import { describe, expect, test } from 'vitest';
import {
  Config,
  fireBeforeToolHook,
  type HookDefinition,
  HookSystem,
  MessageBus,
  MessageBusType,
  requestHooks,
} from '../src/index.ts';
import { hook, listening } from './triggers/support.ts';

const deny = (reason: string, extra?: Parameters<typeof hook>[1]) => hook({ decision: 'deny', reason }, extra);
const reasonsOf = async (config: Config): Promise<string | undefined> =>
  (await fireBeforeToolHook(config, 'shell', {}))?.reason;

describe('what was not said', () => {
  const config = new Config();

  test.each<[string, unknown, unknown]>([
    ['hooks are off', config.getEnableHooks(), false],
    ['so there is no hook system', config.getHookSystem(), undefined],
    ['the session has no id', config.getSessionId(), ''],
    ['the working directory is the one of the process', config.getWorkingDir(), process.cwd()],
    ['there is no transcript', config.getTranscriptPath(), undefined],
    ['there are no hooks of the project', config.getHooks(), undefined],
    ['under either name', config.getProjectHooks(), undefined],
    ['nor of the user', config.getUserHooks(), undefined],
    ['nor of the system', config.getSystemHooks(), undefined],
    ['nor of the program', config.getRuntimeHooks(), undefined],
    ['there are no extensions', config.getExtensions(), []],
    ['nothing is disabled', config.getDisabledHooks(), []],
    ['the folder is trusted', config.isTrustedFolder(), true],
    ['there is no bus', config.getMessageBus(), undefined],
    ['there are no deps', config.getDeps(), {}],
  ])('%s', (_what, value, expected) => {
    expect(value).toEqual(expected);
  });
});

test('what was said is there under its name', () => {
  const bus = new MessageBus();
  const hooks = { BeforeTool: [] };
  const config = new Config({
    enableHooks: true,
    sessionId: 's',
    workingDir: '/work',
    transcriptPath: '/t.jsonl',
    trustedFolder: false,
    hooks,
    userHooks: hooks,
    systemHooks: hooks,
    runtimeHooks: hooks,
    extensions: [{ name: 'lint' }],
    disabledHooks: ['slow'],
    bus,
    deps: { variables: { A: 'a' } },
  });
  expect([config.getEnableHooks(), config.isTrustedFolder()]).toEqual([true, false]);
  expect([config.getSessionId(), config.getWorkingDir(), config.getTranscriptPath()]).toEqual(['s', '/work', '/t.jsonl']);
  const kinds = [config.getHooks(), config.getProjectHooks(), config.getUserHooks(), config.getSystemHooks(), config.getRuntimeHooks()];
  for (const kind of kinds) expect(kind).toBe(hooks);
  expect(config.getExtensions()).toEqual([{ name: 'lint' }]);
  expect(config.getDisabledHooks()).toEqual(['slow']);
  expect(config.getMessageBus()).toBe(bus);
  expect(config.getDeps()).toEqual({ variables: { A: 'a' } });
});

describe('the hook system of a configuration', () => {
  test('is one and the same', () => {
    const config = new Config({ enableHooks: true });
    expect(config.getHookSystem()).toBeInstanceOf(HookSystem);
    expect(config.getHookSystem()).toBe(config.getHookSystem());
  });

  test('is not initialized by being asked for, but by the first event', async () => {
    const config = new Config({ enableHooks: true, hooks: { BeforeTool: [deny('no')] } });
    expect(config.getHookSystem()?.getStatus()).toEqual({ initialized: false, totalHooks: 0 });
    await fireBeforeToolHook(config, 'shell', {});
    expect(config.getHookSystem()?.getStatus()).toEqual({ initialized: true, totalHooks: 1 });
  });

  test('listens on the bus from the start, and loads for the first request', async () => {
    const bus = new MessageBus();
    const config = new Config({ enableHooks: true, bus, hooks: { BeforeTool: [deny('no')] } });
    expect(bus.listenerCount(MessageBusType.HOOK_EXECUTION_REQUEST)).toBe(1);
    expect(config.getHookSystem()?.isInitialized()).toBe(false);
    const { finalOutput } = await requestHooks(bus, 'BeforeTool', { tool_name: 'shell', tool_input: {} });
    expect(finalOutput?.reason).toBe('no');
  });

  test('is not on the bus when hooks are off', () => {
    const bus = new MessageBus();
    new Config({ bus });
    expect(bus.listenerCount(MessageBusType.HOOK_EXECUTION_REQUEST)).toBe(0);
  });

  test('takes a bus that is offered when it is made, if the configuration has none', () => {
    const offered = new MessageBus();
    const config = new Config({ enableHooks: true });
    config.getHookSystem(offered);
    expect(config.getMessageBus()).toBe(offered);
    config.getHookSystem(new MessageBus());
    expect(config.getMessageBus()).toBe(offered);
    const own = new MessageBus();
    const withBus = new Config({ enableHooks: true, bus: own });
    withBus.getHookSystem(offered);
    expect(withBus.getMessageBus()).toBe(own);
    expect(offered.listenerCount(MessageBusType.HOOK_EXECUTION_REQUEST)).toBe(1);
  });
});

describe('hooks from all sources', () => {
  const extension = (name: string, isActive?: boolean, definitions: HookDefinition[] = [deny(name)]) => ({
    name,
    ...(isActive === undefined ? {} : { isActive }),
    hooks: { BeforeTool: definitions },
  });

  test('run in the order of precedence', async () => {
    const config = new Config({
      enableHooks: true,
      extensions: [extension('extension', true)],
      systemHooks: { BeforeTool: [deny('system')] },
      userHooks: { BeforeTool: [deny('user')] },
      hooks: { BeforeTool: [deny('project')] },
      runtimeHooks: { BeforeTool: [deny('runtime')] },
    });
    expect(await reasonsOf(config)).toBe('runtime\nproject\nuser\nsystem\nextension');
  });

  test('of an extension run while it is active; without a word it is', async () => {
    const extensions = [extension('on', true), extension('off', false), extension('silent'), { name: 'empty' }];
    expect(await reasonsOf(new Config({ enableHooks: true, extensions }))).toBe('on\nsilent');
  });

  test('of a folder that is not trusted do not run; those of the user, the system and the program do', async () => {
    const config = new Config({
      enableHooks: true,
      trustedFolder: false,
      extensions: [extension('extension')],
      systemHooks: { BeforeTool: [deny('system')] },
      userHooks: { BeforeTool: [deny('user')] },
      hooks: { BeforeTool: [deny('project')] },
      runtimeHooks: { BeforeTool: [deny('runtime')] },
    });
    expect(await reasonsOf(config)).toBe('runtime\nuser\nsystem');
    const rows = await config.getHookSystem()?.explain('BeforeTool');
    expect(rows?.filter(({ planned }) => planned === 'skip').map(({ reason, source }) => [source.kind, reason])).toEqual([
      ['project', 'untrusted'],
      ['extensions', 'untrusted'],
    ]);
  });

  test('that are disabled by name do not run until they are enabled', async () => {
    const config = new Config({
      enableHooks: true,
      disabledHooks: ['slow'],
      hooks: { BeforeTool: [deny('slow one', { name: 'slow' }), deny('quick one', { name: 'quick' })] },
    });
    expect(await reasonsOf(config)).toBe('quick one');
    config.getHookSystem()?.setHookEnabled('slow', true);
    expect(await reasonsOf(config)).toBe('slow one\nquick one');
  });

  test('that cannot be read are named, and do not take their neighbours along', async () => {
    const { warnings, logger } = listening();
    const config = new Config({
      enableHooks: true,
      deps: { logger },
      hooks: { BeforeTool: [{ hooks: [{ type: 'command' }] }, deny('no')], BeforeTol: [deny('never')] },
    });
    expect(await reasonsOf(config)).toBe('no');
    expect(warnings).toEqual([
      expect.stringContaining('hooks.BeforeTool[0].hooks[0].command'),
      expect.stringContaining('did you mean "BeforeTool"?'),
    ]);
  });
});
