import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  Config,
  type CreateHooksOptions,
  createHooks,
  type DefinedHook,
  defineHook,
  fireBeforeToolHook,
  type Hooks,
  type HooksByEvent,
  HookwrightError,
  MessageBus,
  requestHooks,
  type TriggerConfig,
} from '../../src/index.ts';
import { answers, groupOf } from '../support/engine.ts';
import { ownNow } from '../support/own-clock.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { untyped } from '../support/untyped.ts';
import { hook, listening, recording } from '../triggers/support.ts';

const call = { tool: 'shell', input: {} };
const deny = (reason: string, extra?: Parameters<typeof hook>[1]) => hook({ decision: 'deny', reason }, extra);
const denying = (name: string, reason = name) =>
  defineHook({ event: 'BeforeTool', name, run: () => ({ decision: 'deny', reason }) });

test('without any options it has no hooks, no problems, and an opinion on nothing', async () => {
  const hooks = await createHooks();
  expect(hooks.problems).toEqual([]);
  expect(await hooks.explain()).toEqual([]);
  expect((await hooks.beforeTool(call)).verdict).toBe('none');
  expect(hooks.system.getStatus()).toEqual({ initialized: true, totalHooks: 0 });
});

test('a call that no hook waits for costs next to nothing', async () => {
  const hooks = await createHooks({ hooks: { BeforeTool: [deny('x', { matcher: 'other' })] } });
  const startedAt = ownNow();
  for (let count = 0; count < 5_000; count += 1) await hooks.beforeTool(call);
  // Some 5 ms on an idle machine; the budget itself is measured in bench/.
  expect(ownNow() - startedAt).toBeLessThan(1_000);
});

test('its methods may be taken off it', async () => {
  const { beforeTool, on, explain, tap, close } = await createHooks();
  on('BeforeTool', () => ({ decision: 'deny' }));
  expect((await beforeTool(call)).verdict).toBe('deny');
  expect(await explain('BeforeTool')).toHaveLength(1);
  await tap().return?.();
  await close();
});

test('hooks are told the session and the directory', async () => {
  const { seen, definition } = recording();
  const hooks = await createHooks({ hooks: { BeforeTool: [definition] }, sessionId: 's1', cwd: '/work' });
  await hooks.beforeTool(call);
  expect(seen).toMatchObject([{ session_id: 's1', cwd: '/work', transcript_path: '' }]);
});

describe('hooks by event', () => {
  test('run, and count as hooks of the program', async () => {
    const hooks = await createHooks({ hooks: { BeforeTool: [deny('no')] } });
    expect((await hooks.beforeTool(call)).reason).toBe('no');
    expect((await hooks.explain()).map(({ source }) => source.kind)).toEqual(['runtime']);
  });

  const bad: [string, HooksByEvent | unknown, string, string][] = [
    [
      'a command that is missing',
      { BeforeTool: [{ hooks: [{ type: 'command' }] }] },
      'hooks.BeforeTool[0].hooks[0].command',
      'invalid-config',
    ],
    ['a definition without a list', { BeforeTool: [{ command: './x.sh' }] }, 'wrap it', 'invalid-config'],
  ];

  test.each(bad)('with %s are named in problems and have their row', async (_what, given, problem, reason) => {
    const hooks = await createHooks({ hooks: untyped<HooksByEvent>(given) });
    expect(hooks.problems).toEqual([expect.objectContaining({ skipped: true, source: 'runtime' })]);
    expect(hooks.problems[0]?.message).toContain(problem);
    expect((await hooks.explain()).map((row) => row.reason)).toEqual([reason]);
    expect((await hooks.beforeTool(call)).verdict).toBe('none');
  });

  test.each<[string, string]>([
    ['BeforTool', 'createHooks: hooks.BeforTool is not an event; did you mean "BeforeTool"?'],
    ['constructor', 'createHooks: hooks.constructor is not an event; events are BeforeTool, AfterTool, '],
  ])('under the name %s, which is no event, are refused', async (name, message) => {
    const beside = createHooks({ config: new Config({ enableHooks: true }), hooks: untyped({ [name]: [deny('no')] }) });
    await expect(beside).rejects.toThrow(message);
    const alone = createHooks({ hooks: untyped({ BeforeTool: [deny('no')], [name]: [] }) });
    await expect(alone).rejects.toMatchObject({ code: 'unsupported_event', message: expect.stringContaining(message) });
  });

  test('that are no object at all are a problem', async () => {
    const hooks = await createHooks({ hooks: untyped<HooksByEvent>('./hooks.json') });
    expect(hooks.problems.map(({ message }) => message)).toEqual([expect.stringContaining('"./hooks.json"')]);
  });
});

describe('hooks in a list', () => {
  test('run in their order', async () => {
    const hooks = await createHooks({ hooks: [denying('one'), denying('two')] });
    expect((await hooks.beforeTool(call)).reason).toBe('one\ntwo');
  });

  test.each<[string, unknown, RegExp]>([
    ['null', null, /^hooks\[1\] cannot be used: make it with defineHook; found null$/],
    ['a hook without its event', { type: 'runtime', action: () => undefined }, /^hooks\[1\] .*make it with defineHook/],
    [
      'a command without its event',
      { type: 'command', command: 'true' },
      /^hooks\[1\] cannot be used: make it with defineHook, or write \{event, hook\}; found an object$/,
    ],
    ['a plain function', () => undefined, /^hooks\[1\] .*make it with defineHook; found a function/],
    ['an event nobody knows', { event: 'BeforeTol', hook: {} }, /^hooks\[1\] /],
    ['a hook of no use', { event: 'BeforeTool', hook: { type: 'command' } }, /^hooks\[1\] .*command/],
  ])('with %s among them: it is a problem, and the others run', async (_what, odd, message) => {
    const { warnings, logger } = listening();
    const hooks = await createHooks({
      hooks: [denying('one'), untyped<DefinedHook>(odd), denying('three')],
      deps: { logger },
    });
    expect(hooks.problems).toEqual([
      expect.objectContaining({
        severity: 'error',
        skipped: true,
        path: 'hooks[1]',
        message: expect.stringMatching(message),
      }),
    ]);
    expect(warnings).toHaveLength(1);
    expect((await hooks.beforeTool(call)).reason).toBe('one\nthree');
  });
});

describe('a config', () => {
  const configured = (options = {}) =>
    new Config({ enableHooks: true, hooks: { BeforeTool: [deny('configured')] }, ...options });

  test('brings its hooks, its session and its deps', async () => {
    const traces: string[] = [];
    const { seen, definition } = recording();
    const config = new Config({
      enableHooks: true,
      sessionId: 'theirs',
      hooks: { BeforeTool: [definition] },
      deps: { onTrace: ({ eventName }) => traces.push(eventName) },
    });
    const hooks = await createHooks({ config });
    await hooks.beforeTool(call);
    expect(seen).toMatchObject([{ session_id: 'theirs' }]);
    expect(traces).toEqual(['BeforeTool']);
  });

  test.each<[string, CreateHooksOptions['hooks']]>([
    ['by event', { BeforeTool: [deny('given')], AfterTool: [{ sequential: true, matcher: 'x', hooks: [] }] }],
    ['in a list', [denying('given')]],
  ])('is joined by the hooks given beside it %s, which come first', async (_form, hooks) => {
    const engine = await createHooks({ config: configured(), hooks });
    expect((await engine.beforeTool(call)).reason).toBe('given\nconfigured');
    expect(engine.problems).toEqual([]);
  });

  test('keeps matchers and order of the hooks given beside it', async () => {
    const given = { BeforeTool: [deny('a', { matcher: 'other' }), deny('b', { matcher: 'shell', sequential: true })] };
    const hooks = await createHooks({ config: configured(), hooks: given });
    expect((await hooks.beforeTool(call)).reason).toBe('b\nconfigured');
    expect((await hooks.beforeTool({ ...call, tool: 'other' })).reason).toBe('a\nconfigured');
  });

  test('has problems of its own, and those of the hooks beside it', async () => {
    const config = configured({ hooks: untyped<HooksByEvent>({ BeforeTol: [] }) });
    const hooks = await createHooks({
      config,
      hooks: { AfterTool: [{ hooks: [{ type: 'command' }] }] },
    });
    expect(hooks.problems.map(({ source, path }) => [source, path])).toEqual([
      ['project', 'hooks.BeforeTol'],
      ['runtime', 'hooks.AfterTool[0].hooks[0].command'],
    ]);
  });

  test('shares its hook system with the triggers that are given it', async () => {
    const config = configured();
    const hooks = await createHooks({ config });
    hooks.on('BeforeTool', () => ({ decision: 'deny', reason: 'added' }));
    expect((await fireBeforeToolHook(config, 'shell', {}))?.reason).toBe('added\nconfigured');
    expect(hooks.system).toBe(config.getHookSystem());
  });

  test('with a bus keeps it', async () => {
    const bus = new MessageBus();
    const hooks = await createHooks({ config: configured({ bus }) });
    expect(hooks.bus).toBe(bus);
    const { finalOutput } = await requestHooks(hooks.bus, 'BeforeTool', { tool_name: 'shell', tool_input: {} });
    expect(finalOutput?.reason).toBe('configured');
  });

  test.each<[string, MessageBus | undefined]>([
    ['given', new MessageBus()],
    ['made', undefined],
  ])('without a bus gets one, %s', async (_which, bus) => {
    const hooks = await createHooks({ config: configured(), bus });
    if (bus !== undefined) expect(hooks.bus).toBe(bus);
    const { finalOutput } = await requestHooks(hooks.bus, 'BeforeTool', { tool_name: 'shell', tool_input: {} });
    expect(finalOutput?.reason).toBe('configured');
  });

  test('may be any object of that shape', async () => {
    const config: TriggerConfig = { getSessionId: () => 'duck', getHooks: () => ({ BeforeTool: [deny('quack')] }) };
    const hooks = await createHooks({ config });
    expect((await hooks.beforeTool(call)).reason).toBe('quack');
    expect((await fireBeforeToolHook(config, 'shell', {}))?.reason).toBe('quack');
    const { finalOutput } = await requestHooks(hooks.bus, 'BeforeTool', { tool_name: 'shell', tool_input: {} });
    expect(finalOutput?.reason).toBe('quack');
  });

  test('of any shape keeps the bus it has', async () => {
    const bus = new MessageBus();
    const config: TriggerConfig = { getSessionId: () => '', getHooks: () => undefined, getMessageBus: () => bus };
    expect((await createHooks({ config })).bus).toBe(bus);
    expect(bus.listenerCount('hook-execution-request')).toBe(1);
  });

  test('has a confirm, unless one is given beside it', async () => {
    const config = new Config({
      enableHooks: true,
      hooks: { BeforeTool: [hook({ decision: 'ask' })] },
      deps: { confirm: () => false },
    });
    expect((await (await createHooks({ config })).beforeTool(call)).verdict).toBe('deny');
    const hooks = await createHooks({ config, deps: { confirm: () => true } });
    expect((await hooks.beforeTool(call)).verdict).toBe('allow');
  });

  const used = async (): Promise<Config> => {
    const config = configured();
    await fireBeforeToolHook(config, 'shell', {});
    return config;
  };

  test.each<[string, () => Promise<CreateHooksOptions> | CreateHooksOptions, RegExp]>([
    ['with hooks switched off', () => ({ config: new Config() }), /set enableHooks to true/],
    ['beside a session', () => ({ config: configured(), sessionId: 's' }), /takes sessionId from the config/],
    [
      'beside a directory and deps',
      () => ({ config: configured(), cwd: '/', deps: { variables: {}, confirm: () => true } }),
      /takes cwd, deps\.variables from/,
    ],
    [
      'beside another bus',
      () => ({ config: configured({ bus: new MessageBus() }), bus: new MessageBus() }),
      /another bus; leave out `bus`/,
    ],
    [
      'whose system is in use without a bus',
      async () => ({ config: await used() }),
      /listens on no bus; give the config a bus/,
    ],
  ])('%s is refused, and the message says what to do', async (_how, options, message) => {
    const problem = createHooks(await options());
    await expect(problem).rejects.toThrow(message);
    await expect(problem).rejects.toSatisfy((error) => HookwrightError.is(error) && error.code === 'invalid_argument');
  });

  test('that cannot be loaded is refused with what went wrong', async () => {
    const config: TriggerConfig = {
      getSessionId: () => '',
      getHooks: () => {
        throw new Error('settings.json is locked');
      },
    };
    await expect(createHooks({ config })).rejects.toThrow('settings.json is locked');
  });
});

test('load beside a config, or a load that is neither true nor false, is refused', async () => {
  const both = createHooks({ load: true, config: new Config({ enableHooks: true }) });
  await expect(both).rejects.toThrow(
    /either a config or load, not both; load one with loadConfig and give it as config/,
  );
  await expect(both).rejects.toMatchObject({ code: 'invalid_argument' });
  await expect(createHooks({ load: untyped<boolean>('yes') })).rejects.toThrow(
    /needs load as true or false; got "yes"/,
  );
  await expect(createHooks({ load: false })).resolves.toBeDefined();
});

test.each([null, 'hooks', 5])('options that are %o are refused', async (options) => {
  await expect(createHooks(untyped<CreateHooksOptions>(options))).rejects.toThrow(/createHooks takes an object/);
});

describe('on', () => {
  test('adds a hook, and the function it returns takes it away', async () => {
    const hooks = await createHooks();
    const off = hooks.on('BeforeTool', ({ tool_name }) => (tool_name === 'shell' ? { decision: 'deny' } : undefined));
    expect((await hooks.beforeTool(call)).verdict).toBe('deny');
    expect((await hooks.beforeTool({ ...call, tool: 'other' })).verdict).toBe('none');
    off();
    off();
    expect((await hooks.beforeTool(call)).verdict).toBe('none');
    expect(await hooks.explain()).toEqual([]);
  });

  test('takes a matcher, an order, a name, a timeout and what a fault means', async () => {
    const hooks = await createHooks();
    hooks.on('BeforeTool', () => new Promise<undefined>(() => {}), {
      name: 'guard',
      matcher: 'shell',
      sequential: true,
      timeout: 10,
      onFault: 'deny',
    });
    expect(await hooks.beforeTool(call)).toMatchObject({
      verdict: 'deny',
      faults: [{ hook: 'guard', code: 'timeout' }],
    });
    expect((await hooks.beforeTool({ ...call, tool: 'other' })).verdict).toBe('none');
  });

  test('names a hook after its function', async () => {
    const hooks = await createHooks();
    const noShell = (): undefined => undefined;
    hooks.on('BeforeTool', noShell);
    hooks.on('AfterTool', () => undefined);
    expect((await hooks.explain()).map(({ name }) => name)).toEqual(['noShell', 'on AfterTool']);
  });

  test('the same function twice is one hook until both are taken away', async () => {
    const hooks = await createHooks();
    const guard = () => ({ decision: 'deny' as const });
    const [first, second] = [hooks.on('BeforeTool', guard), hooks.on('BeforeTool', guard)];
    first();
    expect((await hooks.beforeTool(call)).verdict).toBe('deny');
    second();
    expect((await hooks.beforeTool(call)).verdict).toBe('none');
  });
});

describe('explain', () => {
  test('says of every hook whether it would run, and runs none', async () => {
    const { seen, definition } = recording();
    const hooks = await createHooks({ hooks: { BeforeTool: [definition, deny('x', { matcher: 'other' })] } });
    expect(
      (await hooks.explain('BeforeTool', { toolName: 'shell' })).map(({ planned, reason }) => [planned, reason]),
    ).toEqual([
      ['run', undefined],
      ['skip', 'matcher-mismatch'],
    ]);
    expect(seen).toEqual([]);
  });

  test('of an event that does not exist says which one was meant', async () => {
    const hooks = await createHooks();
    await expect(hooks.explain('BeforeTol')).rejects.toThrow('"BeforeTol" is not an event; did you mean "BeforeTool"?');
    await expect(hooks.explain('toString')).rejects.toMatchObject({ code: 'unsupported_event' });
  });

  test('of such an event tells of the hooks somebody put there', async () => {
    const config = new Config({ enableHooks: true, hooks: { BeforeTol: [deny('x')] } });
    const hooks = await createHooks({ config });
    expect(await hooks.explain('BeforeTol')).toMatchObject([{ planned: 'skip', reason: 'unknown-event' }]);
  });
});

test('where nobody may read the environment, as in Deno unless told otherwise, there is an engine all the same', async () => {
  const { env } = process;
  onTestFinished(() => {
    process.env = env;
  });
  process.env = new Proxy(env, {
    get: () => {
      throw new Error('requires env access');
    },
  });
  const hooks = await createHooks({ hooks: { BeforeTool: groupOf(answers('guard', { decision: 'deny' })) } });
  expect(await hooks.beforeTool({ tool: 'rm', input: {} })).toMatchObject({ verdict: 'deny' });
  await hooks.close();
});

describe('createHooks in a folder with settings', () => {
  const folder = (): string => {
    const cwd = temporaryFolder('unloaded');
    mkdirSync(join(cwd, '.hookwright'));
    writeFileSync(join(cwd, '.hookwright', 'settings.json'), '{}');
    return cwd;
  };

  test('R1786 that it does not load says so, and how to say that this is meant', async () => {
    const { problems } = await createHooks({ cwd: folder() });
    expect(problems).toMatchObject([
      { code: 'not-loaded', severity: 'warning', hint: expect.stringContaining('load: true') },
    ]);
  });

  test.each<CreateHooksOptions>([{ load: false }, { load: true }, { hooks: {} }])(
    'R1786 and not with %j',
    async (more) => {
      const hooks = await createHooks({ cwd: folder(), home: temporaryFolder('home'), ...more });
      expect(hooks.problems).toEqual([]);
      await hooks.close();
    },
  );

  test('R1786 and not where there are none', async () => {
    expect((await createHooks({ cwd: temporaryFolder('empty') })).problems).toEqual([]);
  });
});

test('R1787 an engine that was not waited for says so, whatever of it is used', async () => {
  const hooks = untyped<Hooks>(createHooks());
  for (const name of ['callTool', 'beforeTool', 'problems', 'close'] as const) {
    expect(() => hooks[name]).toThrow(
      `createHooks returns a promise, which has no "${name}"; write await createHooks(…)`,
    );
  }
  expect((await hooks).problems).toEqual([]);
});
