import { describe, expect, test, vi } from 'vitest';
import {
  HookEventHandler,
  HookRegistry,
  HookSystem,
  HookSystemNotInitializedError,
  type HooksByEvent,
  HookwrightError,
  MessageBus,
  MessageBusType,
  requestHooks,
} from '../src/index.ts';
import { answers, engineOf, fn, groupOf, heard, sleep, systemOn } from './support/engine.ts';
import { commands, deferred, group, hostWith, keepLines } from './support/host.ts';
import { wordsOf } from './support/notices.ts';
import { untyped } from './support/untyped.ts';

const hooks = { BeforeTool: commands('a', 'b'), AfterTool: commands('c') };

describe('R031 R032 building one', () => {
  test('takes a config alone, asks it nothing and loads nothing', () => {
    const asked: string[] = [];
    const config = new Proxy(hostWith({ hooks }), {
      get: (target, member, receiver) => {
        if (member === 'getSessionId' || member === 'getHooks') asked.push(member);
        return Reflect.get(target, member, receiver);
      },
    });
    const system = new HookSystem(config);
    expect(system.isInitialized()).toBe(false);
    expect(asked).toEqual([]);
  });

  test('R009 R010 subscribes its handler to the bus, once', () => {
    const bus = new MessageBus();
    systemOn(bus);
    expect(bus.listenerCount(MessageBusType.HOOK_EXECUTION_REQUEST)).toBe(1);
    expect(bus.listenerCount(MessageBusType.HOOK_EXECUTION_CANCEL)).toBe(1);
  });

  test('a config of three methods is enough', async () => {
    const system = new HookSystem({ getSessionId: () => 's', getTargetDir: () => '/', getHooks: () => undefined });
    await system.initialize();
    const result = await system.getEventHandler().fireBeforeAgentEvent('hi');
    expect(result).toStrictEqual({
      success: true,
      finalOutput: undefined,
      allOutputs: [],
      errors: [],
      totalDuration: 0,
    });
  });
});

describe('R033 R034 R035 initialize', () => {
  test('loads the registry once, however often it is called', async () => {
    let loads = 0;
    const system = new HookSystem(
      hostWith({
        getHooks: async () => {
          loads += 1;
          return hooks;
        },
      }),
    );
    await Promise.all([system.initialize(), system.initialize(), system.initialize()]);
    await system.initialize();
    expect([loads, system.isInitialized()]).toEqual([1, true]);
  });

  test('that fails rejects with the reason and can be tried again', async () => {
    let broken = true;
    const system = new HookSystem(
      hostWith({
        getHooks: () => {
          if (broken) throw new Error('no disk');
          return hooks;
        },
      }),
    );
    await expect(system.initialize()).rejects.toThrow('no disk');
    expect(system.getStatus()).toEqual({ initialized: false, totalHooks: 0 });
    broken = false;
    await system.initialize();
    expect(system.getStatus()).toEqual({ initialized: true, totalHooks: 3 });
  });

  test('can be cancelled', async () => {
    const system = new HookSystem(hostWith({ hooks }));
    await expect(system.initialize(AbortSignal.abort())).rejects.toMatchObject({ code: 'cancelled' });
    expect(system.isInitialized()).toBe(false);
  });
});

test('what is made ready for the first command asks nobody and tells nobody', async () => {
  const told: string[] = [];
  const tell =
    (what: string) =>
    (..._said: unknown[]): void => {
      told.push(what);
    };
  const { logger, debug, warn, error } = keepLines();
  // It is done once in a process.
  vi.resetModules();
  const { HookSystem, MessageBus } = await import('../src/index.ts');
  const bus = new MessageBus();
  bus.stream().subscribe(tell('bus'));
  const system = new HookSystem(hostWith({ hooks }), bus, {
    logger,
    onTrace: tell('trace'),
    telemetry: tell('telemetry'),
    events: { onHookStart: tell('start'), onHookEnd: tell('end') },
    matchRegex: () => untyped(told.push('matcher')),
    executor: () => untyped(told.push('executor')),
    idGenerator: () => `id-${told.push('id')}`,
  });
  told.splice(0);
  await system.initialize();
  await sleep(20);
  expect([...told, ...debug, ...warn, ...error]).toEqual([]);
  await system.dispose();
});

describe('R039 R040 R041 C11 before initialize', () => {
  const accessors = {
    'getEventHandler()': (system) => system.getEventHandler(),
    'getRegistry()': (system) => system.getRegistry(),
    'getAllHooks()': (system) => system.getAllHooks(),
    'getProblems()': (system) => system.getProblems(),
    'setHookEnabled()': (system) => system.setHookEnabled('a', false),
  } satisfies Record<string, (system: HookSystem) => unknown>;

  test.each(Object.entries(accessors))('%s throws an error that names it and the way out', (name, call) => {
    const system = new HookSystem(hostWith({ hooks }));
    expect(() => call(system)).toThrow(HookSystemNotInitializedError);
    expect(() => call(system)).toThrow(
      `HookSystem not initialized: ${name} was called before initialize(). Await hookSystem.initialize() first.`,
    );
    try {
      call(system);
    } catch (error) {
      expect(HookwrightError.is(error)).toBe(true);
      expect(error).toMatchObject({ name: 'HookSystemNotInitializedError', code: 'not_initialized' });
    }
  });

  test('the status is not initialised, with no hooks', () => {
    expect(new HookSystem(hostWith({ hooks })).getStatus()).toEqual({ initialized: false, totalHooks: 0 });
  });

  test('hooks may be registered already', async () => {
    const system = new HookSystem(hostWith());
    system.registerHook(answers('early', { systemMessage: 'm' }), 'BeforeAgent');
    await system.initialize();
    const result = await system.getEventHandler().fireBeforeAgentEvent('hi');
    expect(result.finalOutput?.systemMessage).toBe('m');
  });
});

describe('R030 R036 R037 R038 the parts', () => {
  test('are the same every time', async () => {
    const system = await engineOf({ hooks });
    expect(system.getEventHandler()).toBeInstanceOf(HookEventHandler);
    expect(system.getEventHandler()).toBe(system.getEventHandler());
    expect(system.getRegistry()).toBeInstanceOf(HookRegistry);
    expect(system.getRegistry()).toBe(system.getRegistry());
  });

  test('the status counts every hook, also those that are off', async () => {
    const system = await engineOf({ hooks });
    expect(system.getStatus()).toEqual({ initialized: true, totalHooks: 3 });
    system.setHookEnabled('a', false);
    const remove = system.registerHook({ command: 'd' }, 'BeforeTool');
    expect(system.getStatus()).toEqual({ initialized: true, totalHooks: 4 });
    remove();
    expect(system.getStatus()).toEqual({ initialized: true, totalHooks: 3 });
  });

  test('getAllHooks is a copy, in order of precedence', async () => {
    const system = await engineOf({ hooks, host: { getRuntimeHooks: () => ({ BeforeTool: commands('r') }) } });
    const all = system.getAllHooks();
    expect(all.map((entry) => entry.config.name)).toEqual(['r', 'a', 'b', 'c']);
    all.length = 0;
    expect(system.getAllHooks()).toHaveLength(4);
  });

  test('what is wrong with the configuration is told', async () => {
    const system = await engineOf({ hooks: untyped({ BeforeTol: commands('a') }) });
    expect(system.getProblems()).toMatchObject([{ path: 'hooks.BeforeTol', hint: 'did you mean "BeforeTool"?' }]);
  });
});

describe('switches and registrations', () => {
  test('act on the next event', async () => {
    const said: string[] = [];
    const says = (name: string) =>
      fn(name, () => {
        said.push(name);
      });
    const system = await engineOf({ hooks: { BeforeAgent: groupOf(says('one'), says('two')) } });
    const handler = system.getEventHandler();
    expect(system.setHookEnabled('one', false)).toBe(true);
    expect(system.setHookEnabled('nobody', false)).toBe(false);
    const remove = system.registerHook(says('three'), 'BeforeAgent');
    await handler.fireBeforeAgentEvent('hi');
    remove();
    system.setHookEnabled('one', true);
    await handler.fireBeforeAgentEvent('hi');
    expect(said).toEqual(['three', 'two', 'one', 'two']);
  });

  test('survive a reload, and a removed hook does not come back', async () => {
    const system = await engineOf({ hooks });
    const remove = system.registerHook({ name: 'mine', command: 'm' }, 'BeforeTool');
    system.setHookEnabled('a', false);
    await system.reload();
    const enabled = (): string[] =>
      system
        .getRegistry()
        .getHooksForEvent('BeforeTool')
        .map((entry) => entry.config.name ?? '');
    expect(enabled()).toEqual(['mine', 'b']);
    remove();
    expect(enabled()).toEqual(['b']);
    await system.reload();
    expect(enabled()).toEqual(['b']);
  });
});

describe('reload', () => {
  test('C10 replaces the hooks; one that fails keeps them', async () => {
    let names = ['old'];
    const system = await engineOf({
      host: {
        getHooks: () => {
          if (names.length === 0) throw new Error('half-written file');
          return { BeforeTool: commands(...names) };
        },
      },
    });
    names = ['new'];
    await system.reload();
    expect(system.getAllHooks().map((entry) => entry.config.name)).toEqual(['new']);
    names = [];
    await expect(system.reload()).rejects.toThrow('half-written file');
    expect(system.getAllHooks().map((entry) => entry.config.name)).toEqual(['new']);
  });

  test('tells the bus which hooks are new, gone and changed; one that fails tells nothing', async () => {
    const bus = new MessageBus();
    const told = heard(bus, MessageBusType.HOOKS_RELOADED);
    let written: HooksByEvent | undefined = { BeforeTool: commands('stays', 'goes', 'changes') };
    const getHooks = (): HooksByEvent => {
      if (written === undefined) throw new Error('half-written file');
      return written;
    };
    const system = systemOn(bus, { host: { getHooks } });
    await system.initialize();
    expect(told).toEqual([]);
    written = { BeforeTool: [...commands('comes', 'stays'), group([{ name: 'changes', command: 'other' }])] };
    await system.reload();
    const ids = (...names: string[]): string[] => names.map((name) => `project/BeforeTool/${name}`);
    const message = { type: MessageBusType.HOOKS_RELOADED, correlationId: expect.stringMatching(/./) };
    expect(told).toEqual([{ ...message, added: ids('comes'), removed: ids('goes'), changed: ids('changes') }]);
    written = undefined;
    await expect(system.reload()).rejects.toThrow('half-written file');
    expect(told).toHaveLength(1);
  });

  test('may be the first load', async () => {
    const system = new HookSystem(hostWith({ hooks }));
    await system.reload();
    expect(system.getStatus()).toEqual({ initialized: true, totalHooks: 3 });
  });
});

describe('explain', () => {
  test('initialises if need be, and gives a row for every entry, misplaced ones included', async () => {
    const system = new HookSystem(hostWith({ hooks: untyped({ ...hooks, Sesion: commands('lost') }) }));
    const rows = await system.explain();
    expect(system.isInitialized()).toBe(true);
    expect(rows.map((row) => [row.eventName, row.name, row.planned])).toEqual([
      ['BeforeTool', 'a', 'run'],
      ['BeforeTool', 'b', 'run'],
      ['AfterTool', 'c', 'run'],
      ['Sesion', 'lost', 'skip'],
    ]);
  });

  test.each([
    ['http', { type: 'http', url: 'http://169.254.169.254/' }, 'blocked-address', '169.254.169.254'],
    ['worker', { type: 'worker', command: './none' }, 'executable-not-found', './none'],
    ['plugin', { type: 'plugin', name: 'without a function' }, 'not-supported', 'plugin'],
  ] as const)('warns that a hook of the type %s can only fail', async (_type, hook, code, words) => {
    const host = { getWorkingDir: () => process.cwd() };
    const system = await engineOf({ hooks: { BeforeTool: [group([hook])] }, host });
    const [row] = await system.explain('BeforeTool');
    expect(row).toMatchObject({ planned: 'run', warnings: [{ code }] });
    expect(wordsOf(row?.warnings)).toContain(words);
  });

  test('says what would become of one event', async () => {
    const system = await engineOf({
      hooks: { BeforeTool: [group([{ name: 'w', command: 'sh' }], { matcher: 'write' }), ...commands('a')] },
      host: { getDisabledHooks: () => ['a'] },
    });
    const rows = await system.explain('BeforeTool', { toolName: 'read' });
    expect(rows.map((row) => [row.name, row.reasons])).toEqual([
      ['w', ['matcher-mismatch']],
      ['a', ['disabled']],
    ]);
    expect(await system.explain('Nobody')).toEqual([]);
  });

  test('runs nothing, and its rows are the caller’s', async () => {
    let runs = 0;
    const counts = fn('counts', () => {
      runs += 1;
    });
    const system = await engineOf({ hooks: { BeforeTool: groupOf(counts) } });
    const rows = await system.explain('BeforeTool', { toolName: 'ls' });
    rows.length = 0;
    expect(await system.explain('BeforeTool', { toolName: 'ls' })).toMatchObject([{ name: 'counts', planned: 'run' }]);
    expect(runs).toBe(0);
  });

  test('rejects when the hooks cannot be loaded', async () => {
    const system = new HookSystem(hostWith({ getHooks: () => Promise.reject(new Error('no disk')) }));
    await expect(system.explain()).rejects.toThrow('no disk');
  });
});

describe('R016 R022 the bus', () => {
  test('is optional: the same hooks give the same result without it', async () => {
    const configured = { BeforeTool: groupOf(answers('a', { decision: 'deny', reason: 'no' })) };
    const bus = new MessageBus();
    systemOn(bus, { hooks: configured });
    const alone = await engineOf({ hooks: configured });
    const payload = { tool_name: 'rm', tool_input: {} };
    const asked = await requestHooks(bus, 'BeforeTool', payload);
    const fired = await alone.getEventHandler().fire('BeforeTool', payload);
    expect({ ...asked, totalDuration: 0 }).toEqual({ ...fired, totalDuration: 0 });
  });
});

describe('dispose', () => {
  test('of an idle system is possible twice, also before initialising', async () => {
    const system = new HookSystem(hostWith({ hooks }), new MessageBus());
    await Promise.all([system.dispose(), system.dispose()]);
    await system.dispose();
  });

  test('during initialize refuses what comes after, whichever of them ends first', async () => {
    const gate = deferred();
    const system = new HookSystem(hostWith({ getHooks: () => gate.promise.then(() => hooks) }));
    const loading = system.initialize();
    await system.dispose();
    gate.resolve();
    await loading;
    const result = await system.getEventHandler().fireBeforeAgentEvent('hi');
    expect(result).toMatchObject({ success: false, errors: [{ code: 'disposed' }] });
  });

  test('leaves no timer behind', async () => {
    const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    const before = timers();
    const system = await engineOf({ hooks: { BeforeAgent: groupOf(fn('hangs', () => new Promise(() => {}))) } });
    const firing = system.getEventHandler().fire('BeforeAgent', { prompt: 'hi' }, { timeoutMs: 5_000 });
    await sleep(2);
    await system.dispose();
    await firing;
    await sleep(30);
    expect(timers()).toBeLessThanOrEqual(before);
  });
});
