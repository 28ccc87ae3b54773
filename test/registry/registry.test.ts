import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  ConfigSource,
  type HookConfig,
  HookRegistry,
  type HookRegistryDeps,
  HookRegistryNotInitializedError,
  type HooksByEvent,
  HookwrightError,
  type HostConfig,
  type TrustQuestion,
} from '../../src/index.ts';
import { commands, deferred, group, hostWith, keepLines } from '../support/host.ts';
import { revokedProxy, untyped, withHostileMember } from '../support/untyped.ts';

const registryOf = async (
  host: Partial<HostConfig> & { hooks?: HooksByEvent } = {},
  deps: HookRegistryDeps = {},
): Promise<HookRegistry> => {
  const registry = new HookRegistry(hostWith(host), deps);
  await registry.initialize();
  return registry;
};

/** Registries of settings nobody has checked. */
const registryOfJson = (hooks: unknown, deps: HookRegistryDeps = {}): Promise<HookRegistry> =>
  registryOf({ getHooks: () => untyped<HooksByEvent>(hooks) }, deps);

const namesOf = (entries: readonly { config: HookConfig }[]): (string | undefined)[] =>
  entries.map((entry) => entry.config.name ?? entry.config.command);

/** Names and barriers of everything configured, as the planner sees it. */
const rowsOf = (registry: HookRegistry): string[] =>
  registry.getConfiguredHooks().map((hook) => `${hook.eventName} ${hook.name}: ${hook.barriers.join(', ')}`.trim());

describe('R054 R055 R056 an entry', () => {
  test('has its config, source, event, matcher, sequence and switch', async () => {
    const hook = { type: 'command', name: 'guard', command: './guard.sh' } as const;
    const registry = await registryOf({ hooks: { BeforeTool: [group([hook], { matcher: 'rm', sequential: true })] } });
    expect(registry.getAllHooks()).toEqual([
      {
        hookId: 'project/BeforeTool/guard',
        config: hook,
        source: 'project',
        eventName: 'BeforeTool',
        matcher: 'rm',
        sequential: true,
        enabled: true,
      },
    ]);
  });

  test('without a matcher has none', async () => {
    const [entry] = (await registryOf({ hooks: { AfterTool: commands('a') } })).getAllHooks();
    expect(entry).not.toHaveProperty('matcher');
    expect(entry?.sequential).toBe(false);
  });

  test('lists are copies: what a caller does to them stays there', async () => {
    const registry = await registryOf({ hooks: { BeforeTool: commands('a', 'b') } });
    registry.getAllHooks().pop();
    registry.getHooksForEvent('BeforeTool').reverse();
    expect(namesOf(registry.getAllHooks())).toEqual(['a', 'b']);
    expect(namesOf(registry.getHooksForEvent('BeforeTool'))).toEqual(['a', 'b']);
  });
});

describe('sources', () => {
  const host = {
    getRuntimeHooks: () => ({ BeforeTool: commands('runtime') }),
    hooks: { BeforeTool: commands('project1', 'project2') },
    getUserHooks: () => ({ BeforeTool: commands('user') }),
    getSystemHooks: () => ({ BeforeTool: commands('system') }),
    getExtensions: () => [
      { name: 'one', isActive: true, hooks: { BeforeTool: commands('one') } },
      { name: 'two', isActive: true, hooks: { BeforeTool: commands('two') } },
      { name: 'three' },
    ],
  };

  test('R050 R051 R064 C08 are read in order of precedence, each as configured', async () => {
    const registry = await registryOf(host);
    expect(namesOf(registry.getHooksForEvent('BeforeTool'))).toEqual([
      'runtime',
      'project1',
      'project2',
      'user',
      'system',
      'one',
      'two',
    ]);
    expect(registry.getAllHooks().map((entry) => entry.source)).toEqual([
      'runtime',
      'project',
      'project',
      'user',
      'system',
      'extensions',
      'extensions',
    ]);
    expect(Object.values(ConfigSource)).toEqual(['runtime', 'project', 'user', 'system', 'extensions']);
  });

  test('may be promised', async () => {
    const registry = await registryOf({
      getHooks: async () => ({ BeforeTool: commands('project') }),
      getUserHooks: async () => ({ BeforeTool: commands('user') }),
      getExtensions: async () => [{ name: 'x', isActive: true, hooks: { BeforeTool: commands('ext') } }],
    });
    expect(namesOf(registry.getAllHooks())).toEqual(['project', 'user', 'ext']);
  });

  test.each<[title: string, host: Partial<HostConfig>]>([
    ['a host with three answers', {}],
    ['R052 R053 undefined everywhere', { getHooks: () => undefined, getExtensions: () => undefined }],
    ['null everywhere', { getHooks: () => untyped(null), getExtensions: () => untyped(null) }],
    ['extensions that are no list', { getExtensions: () => untyped({ one: {} }) }],
  ])('%s has no hooks, and no problems', async (_title, answers) => {
    const registry = await registryOf(answers);
    expect(registry.getAllHooks()).toEqual([]);
    expect(registry.getProblems()).toEqual([]);
  });

  test('an extension that is switched off brings rows but no hooks', async () => {
    const extensions = [{ name: 'off', isActive: false, hooks: { BeforeTool: commands('a') } }];
    const registry = await registryOf({ getExtensions: () => extensions });
    expect(registry.getAllHooks()).toEqual([]);
    expect(registry.getHooksForEvent('BeforeTool')).toEqual([]);
    expect(rowsOf(registry)).toEqual(['BeforeTool a: source-inactive']);
    expect(registry.getConfiguredHooks()[0]?.source).toEqual({ kind: 'extensions', extension: 'off' });
  });

  test('an extension that cannot be read does not harm its neighbours', async () => {
    const extensions = untyped<[]>([
      null,
      withHostileMember({ name: 'hostile' }, 'hooks'),
      { name: 7, isActive: true, hooks: { BeforeTool: commands('unnamed') } },
      { name: 'fine', isActive: true, hooks: { BeforeTool: commands('fine') } },
    ]);
    const registry = await registryOf({ getExtensions: () => extensions });
    expect(namesOf(registry.getAllHooks())).toEqual(['unnamed', 'fine']);
    expect(registry.getProblems()).toMatchObject([
      { source: 'extensions', path: 'extensions[0]', skipped: true },
      { source: 'extensions', path: 'extensions[1]', skipped: true },
    ]);
  });
});

describe('R062 hooks of an event', () => {
  test('are those of that event only', async () => {
    const registry = await registryOf({ hooks: { BeforeTool: commands('a'), AfterTool: commands('b') } });
    expect(namesOf(registry.getHooksForEvent('BeforeTool'))).toEqual(['a']);
    expect(namesOf(registry.getHooksForEvent('AfterTool'))).toEqual(['b']);
    expect(registry.getHooksForEvent('SessionEnd')).toEqual([]);
  });

  test('are none while hooks as a whole are off', async () => {
    const registry = await registryOf({ hooks: { BeforeTool: commands('a') }, getEnableHooks: () => false });
    expect(registry.getHooksForEvent('BeforeTool')).toEqual([]);
    expect(namesOf(registry.getAllHooks())).toEqual(['a']);
    expect(rowsOf(registry)).toEqual(['BeforeTool a: hooks-disabled']);
  });
});

describe('R067 R068 R069 R070 R071 F40 what cannot be used is skipped alone, with a warning and a row', () => {
  const good = { command: 'good' };
  test.each<[title: string, definitions: unknown, path: string, rows: number]>([
    ['definitions that are no list', { hooks: [good] }, 'hooks.BeforeTool', 1],
    ['definitions that are null', null, 'hooks.BeforeTool', 1],
    ['a definition that is null', [null, group([good])], 'hooks.BeforeTool[0]', 2],
    ['a definition that is a string', ['good', group([good])], 'hooks.BeforeTool[0]', 2],
    ['a definition without hooks', [{ matcher: 'x' }, group([good])], 'hooks.BeforeTool[0].hooks', 2],
    ['a hook in place of its definition', [good, group([good])], 'hooks.BeforeTool[0].hooks', 2],
    ['hooks that are no list', [{ hooks: good }, group([good])], 'hooks.BeforeTool[0].hooks', 2],
    ['a hook that is null', [{ hooks: [null, good] }], 'hooks.BeforeTool[0].hooks[0]', 2],
    ['a hook of an unknown type', [{ hooks: [{ type: 'comand' }, good] }], 'hooks.BeforeTool[0].hooks[0].type', 2],
    ['a command without a command', [{ hooks: [{ name: 'x' }, good] }], 'hooks.BeforeTool[0].hooks[0].command', 2],
    ['an empty command', [{ hooks: [{ command: '' }, good] }], 'hooks.BeforeTool[0].hooks[0].command', 2],
    ['a matcher that is no string', [{ matcher: 7, hooks: [good, good] }], 'hooks.BeforeTool[0].matcher', 2],
    ['a hostile hook', [{ hooks: [withHostileMember({}, 'command'), good] }], 'hooks.BeforeTool[0].hooks[0]', 2],
    ['a hostile policy', [{ hooks: [withHostileMember({}, 'onFault'), good] }], 'hooks.BeforeTool[0].hooks[0]', 2],
    ['a revoked proxy', [{ hooks: [revokedProxy(), good] }], 'hooks.BeforeTool[0].hooks[0]', 2],
    ['a hostile definition', [withHostileMember({}, 'hooks'), group([good])], 'hooks.BeforeTool[0]', 2],
    ['a revoked definition', [revokedProxy(), group([good])], 'hooks.BeforeTool[0]', 2],
  ])('%s', async (_title, definitions, path, rows) => {
    const { logger, warn } = keepLines();
    const registry = await registryOfJson({ BeforeTool: definitions, AfterTool: [group([good])] }, { logger });
    const [problem, ...others] = registry.getProblems();
    expect(problem).toMatchObject({ path, source: 'project', severity: 'warning', skipped: true });
    expect(others).toEqual([]);
    expect(warn).toEqual([`[hookwright:registry] project hooks: ${problem?.message}`]);
    expect(problem?.message).toContain('BeforeTool');
    const usable = registry.getHooksForEvent('BeforeTool').length;
    expect(usable).toBe(rows === 1 || path.endsWith('matcher') ? 0 : 1);
    expect(registry.getHooksForEvent('AfterTool')).toHaveLength(1);
    const placed = registry.getConfiguredHooks().filter((hook) => hook.eventName === 'BeforeTool');
    expect(placed).toHaveLength(rows);
    expect(placed.filter((hook) => hook.barriers.includes('invalid-config'))).toHaveLength(rows - usable);
  });

  test('a hook in place of its definition is told how to wrap it', async () => {
    const [problem] = (await registryOfJson({ BeforeTool: [{ command: 'c' }] })).getProblems();
    expect(problem?.hint).toBe('wrap it: {"hooks": [ … ]}');
  });

  const refuseKeys = (): string[] => {
    throw new Error('no keys');
  };
  const secretive = new Proxy({}, { ownKeys: refuseKeys });
  test.each<[title: string, hooks: unknown]>([
    ['a list', []],
    ['a string', 'BeforeTool'],
    ['an object that keeps its keys to itself', secretive],
  ])('hooks that are %s in place of an object are one problem', async (_title, hooks) => {
    const registry = await registryOfJson(hooks);
    expect(registry.getProblems()).toMatchObject([{ path: 'hooks', skipped: true }]);
    expect(registry.getAllHooks()).toEqual([]);
  });

  test('an event that throws when it is read harms no other', async () => {
    const hooks = withHostileMember({ AfterTool: commands('a') }, 'BeforeTool');
    const registry = await registryOfJson(hooks);
    expect(namesOf(registry.getAllHooks())).toEqual(['a']);
    expect(registry.getProblems()).toMatchObject([{ path: 'hooks.BeforeTool', skipped: true }]);
    expect(rowsOf(registry)).toContain('BeforeTool unnamed entry (nothing): invalid-config');
  });

  test('an unknown event offers the nearest known one, and its entries have rows', async () => {
    const registry = await registryOfJson({ BeforeTol: [group([{ command: 'a' }, { command: 'b' }])] });
    expect(registry.getProblems()).toMatchObject([
      { path: 'hooks.BeforeTol', skipped: true, severity: 'warning', hint: 'did you mean "BeforeTool"?' },
    ]);
    expect(rowsOf(registry)).toEqual(['BeforeTol a: unknown-event', 'BeforeTol b: unknown-event']);
    expect(registry.getAllHooks()).toEqual([]);
  });

  test('nothing is near toString, which no event can be called', async () => {
    const [problem] = (await registryOfJson({ toString: commands('a') })).getProblems();
    expect(problem?.hint).toContain('known events: BeforeTool, AfterTool');
  });

  test.each(['Setup', 'ConfigChange', 'BeforeDeploy'])('%s is an event that this host does not fire', async (event) => {
    const registry = await registryOfJson({ [event]: [group([{ command: 'a', onFault: 'deny' }])] });
    expect(registry.getProblems()).toMatchObject([{ code: 'event-not-fired', severity: 'warning', skipped: true }]);
    expect(rowsOf(registry)).toEqual([`${event} a: event-not-fired`]);
  });

  test('a name near an event of other agents is a mistake', async () => {
    const registry = await registryOfJson({ ConfigChnge: commands('a') });
    expect(registry.getProblems()).toMatchObject([{ code: 'unknown-event', hint: 'did you mean "ConfigChange"?' }]);
  });

  test('an event by the name it has with other agents is told ours', async () => {
    const registry = await registryOfJson({ PreToolUse: commands('a') });
    expect(registry.getProblems()).toMatchObject([
      {
        message: 'hooks.PreToolUse is not an event; other agents use that name for BeforeTool',
        hint: 'rename it to BeforeTool',
      },
    ]);
  });

  test('code is offered the types that only code can give, too', async () => {
    const [problem] = (await registryOfJson({ BeforeTool: [group([{ type: 'comand', command: 'a' }])] })).getProblems();
    expect(problem?.message).toContain('must be one of command, runtime, plugin, worker, http');
  });

  test.each(['enabled', 'disabled', 'notifications'])('the switch %s of older files is explained', async (key) => {
    const registry = await registryOfJson({ [key]: true, BeforeTool: commands('a') });
    expect(registry.getProblems()).toMatchObject([{ path: `hooks.${key}`, hint: `write it as hooksConfig.${key}` }]);
    expect(rowsOf(registry)).toEqual(['BeforeTool a:']);
  });

  test('unknown keys and a sequential that is no switch are told, and do no harm', async () => {
    const registry = await registryOfJson({
      BeforeTool: [{ machter: 'x', sequential: 'yes', hooks: [{ command: 'a', comand: 'b' }] }],
    });
    expect(registry.getProblems().map(({ path, skipped, hint }) => [path, skipped, hint])).toEqual([
      ['hooks.BeforeTool[0].machter', false, 'did you mean "matcher"?'],
      ['hooks.BeforeTool[0].sequential', false, undefined],
      ['hooks.BeforeTool[0].hooks[0].comand', false, 'did you mean "command"?'],
    ]);
    expect(registry.getAllHooks()).toMatchObject([{ sequential: false, config: { command: 'a' } }]);
  });

  const guard = { onFault: 'deny', command: 7 };
  test.each<[title: string, hooks: unknown]>([
    ['that is broken itself', { BeforeTool: [{ hooks: [guard] }] }],
    ['under an unknown event', { BeforeTol: [{ hooks: [{ ...guard, command: 'c' }] }] }],
    ['under a broken matcher', { BeforeTool: [{ matcher: 7, hooks: [{ ...guard, command: 'c' }] }] }],
    ['without its definition', { BeforeTool: [guard] }],
    ['without a list around it', { BeforeTool: { hooks: [guard] } }],
  ])('a hook with onFault deny %s is an error, not a warning: a guard is lost', async (_title, hooks) => {
    const { logger, error, warn } = keepLines();
    const registry = await registryOfJson(hooks, { logger });
    expect(registry.getProblems()).toMatchObject([{ severity: 'error', skipped: true }]);
    expect(error).toHaveLength(1);
    expect(warn).toEqual([]);
  });

  test('a warning about a guard that is kept stays a warning', async () => {
    const registry = await registryOfJson({ BeforeTool: [{ hooks: [{ command: 'c', onFault: 'deny', timeout: 5 }] }] });
    expect(registry.getProblems()).toMatchObject([{ severity: 'warning', skipped: false }]);
  });

  test('C01 a timeout that was probably meant in seconds is warned of once, and kept', async () => {
    const { logger, warn } = keepLines();
    const registry = await registryOfJson({ BeforeTool: [{ hooks: [{ command: 'c', timeout: 30 }] }] }, { logger });
    expect(warn).toHaveLength(1);
    expect(warn[0]).toContain('for seconds write 30000');
    expect(registry.getAllHooks()[0]?.config.timeout).toBe(30);
  });
});

describe('F46 names that reach a prototype', () => {
  test.each(['__proto__', 'constructor', 'prototype', 'hasOwnProperty'])('%s is no event', async (name) => {
    const hooks: unknown = JSON.parse(`{"${name}": [{"hooks": [{"command": "a"}]}], "BeforeTool": []}`);
    const registry = await registryOfJson(hooks);
    expect(registry.getProblems()).toMatchObject([{ path: `hooks.${name}`, skipped: true }]);
    expect(rowsOf(registry)).toEqual([`${name} a: unknown-event`]);
    expect(untyped<{ hooks?: unknown }>({}).hooks).toBeUndefined();
  });

  test.each(['__proto__', 'constructor', 'toString'])('%s is a hook name like any other', async (name) => {
    const registry = await registryOfJson({ BeforeTool: [group([{ name, command: 'a' }])] });
    expect(registry.getAllHooks()).toMatchObject([{ hookId: `project/BeforeTool/${name}`, enabled: true }]);
    expect(registry.setHookEnabled(name, false)).toBe(true);
    expect(registry.getAllHooks()).toMatchObject([{ enabled: false }]);
  });

  test('of keys inside an entry change nothing but a warning', async () => {
    const entry: unknown = JSON.parse('{"command": "a", "__proto__": {"type": "http", "onFault": "deny"}}');
    const registry = await registryOfJson({ BeforeTool: [{ hooks: [entry] }] });
    expect(registry.getAllHooks()).toMatchObject([{ config: { type: 'command', command: 'a' } }]);
    expect(registry.getAllHooks()[0]?.config.onFault).toBeUndefined();
  });
});

describe('ids', () => {
  const idsOf = async (host: Parameters<typeof registryOf>[0]): Promise<string[]> =>
    (await registryOf(host)).getConfiguredHooks().map((hook) => hook.hookId);

  test('say source, event and name, and count equals', async () => {
    expect(await idsOf({ hooks: { BeforeTool: commands('a', 'a', 'b'), AfterTool: commands('a') } })).toEqual([
      'project/BeforeTool/a',
      'project/BeforeTool/a~2',
      'project/BeforeTool/b',
      'project/AfterTool/a',
    ]);
  });

  test('of an entry without a name come from its content, whatever the order of its keys and its neighbours', async () => {
    const first = await idsOf({ hooks: { BeforeTool: [group([{ command: 'a', timeout: 5_000 }])] } });
    const second = await idsOf({
      hooks: { BeforeTool: [group([{ command: 'b' }, { timeout: 5_000, command: 'a' }], { matcher: 'x' })] },
    });
    expect(first[0]).toMatch(/^project\/BeforeTool\/\w+$/);
    expect(second[1]).toBe(first[0]);
    expect(second[0]).not.toBe(first[0]);
  });

  test('name the extension', async () => {
    const extensions = ['x', 'y'].map((name) => ({ name, hooks: { BeforeTool: commands('a') } }));
    expect(await idsOf({ getExtensions: () => extensions })).toEqual([
      'extensions:x/BeforeTool/a',
      'extensions:y/BeforeTool/a',
    ]);
  });

  test('are given to what cannot be read, too', async () => {
    const cyclic: Record<string, unknown> = {};
    cyclic.self = cyclic;
    const hooks = untyped<HooksByEvent>({ BeforeTool: [{ hooks: [cyclic, revokedProxy(), 1n, null] }] });
    const ids = await idsOf({ getHooks: () => hooks });
    expect(new Set(ids).size).toBe(4);
  });

  test('are never given twice, however names are chosen and whatever is registered, and are the same after a reload', async () => {
    const name = fc.constantFrom('a', 'a~2', 'a~2~2', 'a~3', 'b/a', '~2');
    await fc.assert(
      fc.asyncProperty(fc.array(name, { maxLength: 6 }), fc.array(name, { maxLength: 3 }), async (written, added) => {
        const registry = await registryOf({
          getRuntimeHooks: () => ({ BeforeTool: commands(...written) }),
        });
        for (const each of added) registry.registerHook({ name: each, command: 'c' }, 'BeforeTool');
        const ids = registry.getConfiguredHooks().map((hook) => hook.hookId);
        expect(new Set(ids).size).toBe(written.length + added.length);
        await registry.reload();
        expect(registry.getConfiguredHooks().map((hook) => hook.hookId)).toEqual(ids);
      }),
      { numRuns: 60 },
    );
  });
});

describe('trust', () => {
  const host = {
    hooks: { BeforeTool: commands('project') },
    getUserHooks: () => ({ BeforeTool: commands('user') }),
    getExtensions: () => [{ name: 'x', isActive: true, hooks: { BeforeTool: commands('ext') } }],
  };

  test('an untrusted folder takes project and extension hooks out, and no others', async () => {
    const registry = await registryOf({ ...host, isTrustedFolder: () => false });
    expect(namesOf(registry.getHooksForEvent('BeforeTool'))).toEqual(['user']);
    expect(namesOf(registry.getAllHooks())).toEqual(['project', 'user', 'ext']);
    expect(rowsOf(registry)).toEqual([
      'BeforeTool project: untrusted',
      'BeforeTool user:',
      'BeforeTool ext: untrusted',
    ]);
  });

  test.each([true, undefined])('a folder whose trust is %s takes out none', async (trusted) => {
    const registry = await registryOf({ ...host, isTrustedFolder: () => trusted });
    expect(namesOf(registry.getHooksForEvent('BeforeTool'))).toEqual(['project', 'user', 'ext']);
  });

  test.each<[verdict: unknown, barrier: string]>([
    [true, ''],
    ['trusted', ''],
    [Promise.resolve('trusted'), ''],
    [false, 'untrusted'],
    ['untrusted', 'untrusted'],
    [Promise.resolve(false), 'untrusted'],
    ['changed-since-trusted', 'changed-since-trusted'],
    [Promise.resolve('changed-since-trusted'), 'changed-since-trusted'],
    [undefined, 'untrusted'],
    ['yes', 'untrusted'],
    [1, 'untrusted'],
  ])('a check that says %o leads to the barrier %j', async (verdict, barrier) => {
    const registry = await registryOf(host, { trustCheck: () => untyped<boolean>(verdict) });
    expect(rowsOf(registry)[0]).toBe(`BeforeTool project: ${barrier}`.trim());
  });

  test('a check that throws or rejects trusts nothing, and is an error', async () => {
    for (const trustCheck of [
      () => {
        throw new Error('no store');
      },
      () => Promise.reject(new Error('no store')),
    ]) {
      const { logger, error } = keepLines();
      const registry = await registryOf(host, { trustCheck, logger });
      expect(namesOf(registry.getHooksForEvent('BeforeTool'))).toEqual(['user']);
      expect(error).toHaveLength(2);
      expect(error[0]).toContain('project/BeforeTool/project');
      expect(error[0]).toContain('no store');
    }
  });

  test('the check is asked once a load about every hook of a project or extension, and about no other', async () => {
    const asked: TrustQuestion[] = [];
    const trustCheck = (question: TrustQuestion): boolean => asked.push(question) > 0;
    const registry = await registryOf({ ...host, isTrustedFolder: () => false }, { trustCheck });
    expect(asked.map((question) => question.hookId)).toEqual([
      'project/BeforeTool/project',
      'extensions:x/BeforeTool/ext',
    ]);
    expect(asked[0]).toEqual({
      hookId: 'project/BeforeTool/project',
      name: 'project',
      eventName: 'BeforeTool',
      source: { kind: 'project' },
      sequential: false,
      config: { type: 'command', name: 'project', command: 'run-project' },
    });
    expect(namesOf(registry.getHooksForEvent('BeforeTool'))).toEqual(['project', 'user', 'ext']);
    await registry.reload();
    expect(asked).toHaveLength(4);
  });
});

describe('R063 R065 R066 switches', () => {
  const host = {
    hooks: { BeforeTool: [...commands('a', 'b'), group([{ command: './c.sh' }])], AfterTool: commands('a') },
  };

  test('a switch off takes every hook of the name out, and on brings them back', async () => {
    const registry = await registryOf(host);
    expect(registry.setHookEnabled('a', false)).toBe(true);
    expect(namesOf(registry.getHooksForEvent('BeforeTool'))).toEqual(['b', './c.sh']);
    expect(registry.getHooksForEvent('AfterTool')).toEqual([]);
    expect(registry.getAllHooks().map((entry) => entry.enabled)).toEqual([false, true, true, false]);
    expect(rowsOf(registry)[0]).toBe('BeforeTool a: disabled');
    expect(registry.setHookEnabled('a', true)).toBe(true);
    expect(namesOf(registry.getHooksForEvent('BeforeTool'))).toEqual(['a', 'b', './c.sh']);
  });

  test('a hook without a name is switched by its command, one with a name is not', async () => {
    const registry = await registryOf(host);
    expect(registry.setHookEnabled('./c.sh', false)).toBe(true);
    expect(registry.setHookEnabled('run-a', false)).toBe(false);
    expect(namesOf(registry.getHooksForEvent('BeforeTool'))).toEqual(['a', 'b']);
    expect(registry.getAllHooks().map((entry) => registry.getHookName(entry))).toEqual(['a', 'b', './c.sh', 'a']);
  });

  test('an unknown name changes nothing and is told with the nearest known one', async () => {
    const { logger, warn } = keepLines();
    const registry = await registryOf({ hooks: { BeforeTool: commands('guard-paths') } }, { logger });
    expect(registry.setHookEnabled('guard_path', false)).toBe(false);
    expect(warn).toEqual([
      '[hookwright:registry] No hook is called "guard_path"; did you mean "guard-paths"?; nothing was switched',
    ]);
    expect(namesOf(registry.getHooksForEvent('BeforeTool'))).toEqual(['guard-paths']);
  });

  test('the list of the configuration takes hooks out, and a switch at run time wins over it', async () => {
    const registry = await registryOf({ ...host, getDisabledHooks: () => ['a', './c.sh', 'nobody'] });
    expect(namesOf(registry.getHooksForEvent('BeforeTool'))).toEqual(['b']);
    registry.setHookEnabled('a', true);
    expect(namesOf(registry.getHooksForEvent('BeforeTool'))).toEqual(['a', 'b']);
  });

  test('outlive a reload', async () => {
    const registry = await registryOf(host);
    registry.setHookEnabled('a', false);
    await registry.reload();
    expect(namesOf(registry.getHooksForEvent('BeforeTool'))).toEqual(['b', './c.sh']);
  });

  test('change the version of the registry, as reloading and registering do', async () => {
    const registry = await registryOf(host);
    const versions = [registry.version];
    registry.setHookEnabled('a', false);
    versions.push(registry.version);
    const remove = registry.registerHook({ command: 'd' }, 'AfterTool');
    versions.push(registry.version);
    remove();
    versions.push(registry.version);
    await registry.reload();
    versions.push(registry.version);
    expect(new Set(versions).size).toBe(versions.length);
  });
});

describe('hooks registered at run time', () => {
  const action = (): void => {};
  const hook = { type: 'runtime', name: 'mine', action } as const;

  test.each(['before', 'after'] as const)('%s initialising have their place, and the same id', async (when) => {
    const registry = new HookRegistry(
      hostWith({
        hooks: { BeforeTool: commands('project') },
        getRuntimeHooks: () => ({ BeforeTool: commands('mine') }),
      }),
    );
    if (when === 'after') await registry.initialize();
    registry.registerHook(hook, 'BeforeTool', { matcher: 'rm', sequential: true });
    await registry.initialize();
    const entries = registry.getHooksForEvent('BeforeTool');
    expect(namesOf(entries)).toEqual(['mine', 'mine', 'project']);
    expect(entries[1]).toEqual({
      hookId: 'runtime/BeforeTool/mine~2',
      config: hook,
      source: 'runtime',
      eventName: 'BeforeTool',
      matcher: 'rm',
      sequential: true,
      enabled: true,
    });
  });

  test('can stand in for another source', async () => {
    const registry = await registryOf({ hooks: { BeforeTool: commands('project') } });
    registry.registerHook(hook, 'BeforeTool', { source: 'system' });
    expect(namesOf(registry.getHooksForEvent('BeforeTool'))).toEqual(['project', 'mine']);
    expect(registry.getAllHooks()[1]?.source).toBe('system');
  });

  test.each(['before', 'after'] as const)('%s initialising survive a reload until they are removed', async (when) => {
    const registry = new HookRegistry(hostWith());
    if (when === 'after') await registry.initialize();
    const remove = registry.registerHook(hook, 'BeforeTool');
    const keep = registry.registerHook(hook, 'BeforeTool');
    await registry.initialize();
    await registry.reload();
    expect(registry.getHooksForEvent('BeforeTool')).toHaveLength(2);
    remove();
    remove();
    expect(registry.getHooksForEvent('BeforeTool')).toHaveLength(1);
    await registry.reload();
    expect(registry.getHooksForEvent('BeforeTool')).toHaveLength(1);
    keep();
    expect(registry.getHooksForEvent('BeforeTool')).toEqual([]);
  });

  test.each(['initialize', 'reload'] as const)(
    'while %s is under way are not lost, nor are removed ones back',
    async (load) => {
      const gate = deferred();
      let waits = false;
      const registry = new HookRegistry(
        hostWith({
          getHooks: () => (waits ? gate.promise.then(() => ({ BeforeTool: commands('project') })) : undefined),
        }),
      );
      const removeEarly = registry.registerHook({ ...hook, name: 'early' }, 'BeforeTool');
      if (load === 'reload') await registry.initialize();
      waits = true;
      const loading = registry[load]();
      registry.registerHook({ ...hook, name: 'meanwhile' }, 'BeforeTool');
      removeEarly();
      gate.resolve();
      await loading;
      expect(namesOf(registry.getHooksForEvent('BeforeTool'))).toEqual(['meanwhile', 'project']);
    },
  );

  test.each(['before', 'after'] as const)(
    '%s initialising obey the trust of the folder they speak for, and no check',
    async (when) => {
      const trustCheck = (): boolean => {
        throw new Error('code is not asked about');
      };
      const { logger, error } = keepLines();
      const registry = new HookRegistry(hostWith({ isTrustedFolder: () => false }), { trustCheck, logger });
      if (when === 'after') await registry.initialize();
      registry.registerHook({ ...hook, name: 'project' }, 'BeforeTool', { source: 'project' });
      registry.registerHook({ ...hook, name: 'runtime' }, 'BeforeTool');
      await registry.initialize();
      expect(rowsOf(registry)).toEqual(['BeforeTool runtime:', 'BeforeTool project: untrusted']);
      expect(error).toEqual([]);
    },
  );

  test.each<[title: string, hook: unknown, event: unknown, options: unknown, code: string, message: string]>([
    ['no hook', null, 'BeforeTool', {}, 'invalid_config', 'hook must be a hook'],
    [
      'a broken hook',
      { type: 'runtime', action: 'f' },
      'BeforeTool',
      {},
      'invalid_config',
      'hook.action must be a function',
    ],
    [
      'an unknown event',
      hook,
      'BeforeTol',
      {},
      'unsupported_event',
      '"BeforeTol" is not an event; did you mean "BeforeTool"?',
    ],
    ['an event that is none', hook, undefined, {}, 'unsupported_event', '"undefined" is not an event'],
    ['a regular expression', hook, 'BeforeTool', { matcher: /rm/ }, 'invalid_config', 'matcher must be a string'],
    [
      'a sequential that is none',
      hook,
      'BeforeTool',
      { sequential: 1 },
      'invalid_config',
      'sequential must be true or false',
    ],
    [
      'an unknown source',
      hook,
      'BeforeTool',
      { source: 'root' },
      'invalid_config',
      'source must be one of runtime, project',
    ],
  ])('%s is refused at once', async (_title, given, event, options, code, message) => {
    const registry = await registryOf();
    const register = (): unknown =>
      registry.registerHook(untyped(given), untyped<'BeforeTool'>(event), untyped(options));
    expect(register).toThrow(message);
    try {
      register();
    } catch (error) {
      expect(HookwrightError.is(error) && error.code).toBe(code);
    }
    expect(registry.getAllHooks()).toEqual([]);
  });

  test('whose timeout looks like seconds are warned of', async () => {
    const { logger, warn } = keepLines();
    const registry = await registryOf({}, { logger });
    registry.registerHook({ ...hook, timeout: 30 }, 'BeforeTool');
    expect(warn).toEqual([expect.stringContaining('for seconds write 30000')]);
  });
});

describe('R059 R060 C10 F73 loading', () => {
  /** A host that counts how often it was asked, and answers when the test lets it. */
  const slowHost = () => {
    const gates: ReturnType<typeof deferred<HooksByEvent>>[] = [];
    const host = hostWith({
      getHooks: () => {
        const gate = deferred<HooksByEvent>();
        gates.push(gate);
        return gate.promise;
      },
    });
    const answer = async (load: number, ...names: string[]): Promise<void> => {
      while (gates.length <= load) await new Promise(setImmediate);
      gates[load]?.resolve({ BeforeTool: commands(...names) });
    };
    return { host, gates, answer };
  };

  test('happens once, however often initialize is called, ten times at once or later', async () => {
    const { host, gates, answer } = slowHost();
    const registry = new HookRegistry(host);
    const all = Promise.all(Array.from({ length: 10 }, () => registry.initialize()));
    await answer(0, 'a');
    await all;
    await registry.initialize();
    expect(gates).toHaveLength(1);
    expect(registry.isInitialized()).toBe(true);
  });

  test('R061 logs how many entries there are', async () => {
    const { logger, log } = keepLines();
    await registryOf({ hooks: { BeforeTool: commands('a', 'b'), AfterTool: commands('c') } }, { logger });
    await registryOf({}, { logger });
    expect(log).toEqual([
      '[hookwright:registry] Hook registry initialized with 3 hook entries',
      '[hookwright:registry] Hook registry initialized with 0 hook entries',
    ]);
  });

  test('again replaces everything', async () => {
    const { host, answer } = slowHost();
    const registry = new HookRegistry(host);
    const first = registry.initialize();
    await answer(0, 'a', 'b');
    await first;
    const second = registry.reload();
    expect(namesOf(registry.getAllHooks())).toEqual(['a', 'b']);
    await answer(1, 'c');
    await second;
    expect(namesOf(registry.getAllHooks())).toEqual(['c']);
  });

  test('reloads that arrive during a load share one later load', async () => {
    const { host, gates, answer } = slowHost();
    const registry = new HookRegistry(host);
    const first = registry.initialize();
    const later = Promise.all([registry.reload(), registry.reload(), registry.reload(), registry.initialize()]);
    await answer(0, 'a');
    await first;
    await answer(1, 'b');
    await later;
    expect(gates).toHaveLength(2);
    expect(namesOf(registry.getAllHooks())).toEqual(['b']);
    const alone = registry.reload();
    await answer(2, 'c');
    await alone;
    expect(namesOf(registry.getAllHooks())).toEqual(['c']);
  });

  test('that fails rejects, and the next try may succeed', async () => {
    let fails = true;
    const registry = new HookRegistry(
      hostWith({
        getHooks: () => {
          if (fails) throw new Error('disk on fire');
          return { BeforeTool: commands('a') };
        },
      }),
    );
    await expect(registry.initialize()).rejects.toThrow('disk on fire');
    expect(registry.isInitialized()).toBe(false);
    fails = false;
    await registry.initialize();
    expect(namesOf(registry.getAllHooks())).toEqual(['a']);
  });

  test.each<[what: Exclude<keyof HostConfig, 'getBudgetMs' | 'getRequiredSource'>]>([
    ['getHooks'],
    ['getUserHooks'],
    ['getSystemHooks'],
    ['getRuntimeHooks'],
    ['getExtensions'],
    ['getDisabledHooks'],
    ['getEnableHooks'],
    ['isTrustedFolder'],
  ])('again that fails in %s keeps the hooks and their switches as they were', async (what) => {
    let fails = false;
    let disabled = ['b'];
    const healthy: Partial<HostConfig> = {
      getHooks: () => ({ BeforeTool: commands('a', 'b', 'c') }),
      getDisabledHooks: () => disabled,
    };
    const failing = {
      [what]: () => {
        if (fails) throw new Error('not now');
        return Reflect.get(healthy, what)?.();
      },
    };
    const registry = await registryOf({ ...healthy, ...failing });
    registry.setHookEnabled('c', false);
    const { version } = registry;
    fails = true;
    disabled = ['a'];
    await expect(registry.reload()).rejects.toThrow('not now');
    expect(registry.getAllHooks().map((entry) => entry.enabled)).toEqual([true, false, false]);
    expect(registry.version).toBe(version);
    fails = false;
    await registry.reload();
    expect(registry.getAllHooks().map((entry) => entry.enabled)).toEqual([false, true, false]);
  });

  test('can be cancelled before and during, and leaves things as they were', async () => {
    const { host, answer } = slowHost();
    const registry = new HookRegistry(host);
    await expect(registry.initialize(AbortSignal.abort('why'))).rejects.toMatchObject({
      code: 'cancelled',
      cause: 'why',
    });
    const controller = new AbortController();
    const loading = registry.initialize(controller.signal);
    controller.abort();
    await answer(0, 'a');
    await expect(loading).rejects.toMatchObject({ code: 'cancelled' });
    expect(registry.isInitialized()).toBe(false);
  });

  test('that one caller cancels is begun anew for the others', async () => {
    const { host, answer, gates } = slowHost();
    const registry = new HookRegistry(host);
    const controller = new AbortController();
    const cancelled = registry.initialize(controller.signal);
    const patient = Promise.all([registry.initialize(), registry.initialize()]);
    controller.abort();
    await answer(0, 'a');
    await expect(cancelled).rejects.toMatchObject({ code: 'cancelled' });
    await answer(1, 'b');
    await patient;
    expect(gates).toHaveLength(2);
    expect(namesOf(registry.getAllHooks())).toEqual(['b']);
  });
});

test('R042 C11 every accessor says before initialising who was asked too early, and what to do', () => {
  const registry = new HookRegistry(hostWith());
  const accessors: Record<string, () => unknown> = {
    'getHooksForEvent()': () => registry.getHooksForEvent('BeforeTool'),
    'getAllHooks()': () => registry.getAllHooks(),
    'getConfiguredHooks()': () => registry.getConfiguredHooks(),
    'getProblems()': () => registry.getProblems(),
    'setHookEnabled()': () => registry.setHookEnabled('a', false),
  };
  for (const [name, call] of Object.entries(accessors)) {
    expect(call).toThrow(HookRegistryNotInitializedError);
    expect(call).toThrow(`HookRegistry not initialized: ${name} was called before initialize()`);
  }
  expect(registry.isInitialized()).toBe(false);
});

describe('R1781 a command line that loses an exit code, or a home directory, is a problem with the right line', () => {
  const hintsOf = async (hook: object, event = 'BeforeTool'): Promise<(string | undefined)[]> =>
    (await registryOfJson({ [event]: [group([untyped<HookConfig>(hook)])] })).getProblems().map(({ hint }) => hint);

  test.each(['./guard.sh 2>&1 | tee -a log', 'cd x && node guard.mjs | cat', '"$DIR/guard.sh" | jq . '])(
    'R1781 %j is told',
    async (command) => {
      const [hint] = await hintsOf({ command });
      expect(hint).toContain(JSON.stringify(`set -o pipefail; ${command}`));
    },
  );

  test.each([
    'cat | ./guard.sh',
    'jq .tool_input | node guard.mjs',
    'set -o pipefail; ./guard.sh | tee log',
    './guard.sh || exit 2',
    "./guard.sh 'a|b'",
    './log.sh | tee log; ./guard.sh',
  ])('R1781 %j is left alone', async (command) => {
    expect(await hintsOf({ command })).toEqual([]);
  });

  test('R1781 where no call waits for it, only of a guard', async () => {
    const command = './notes.sh | head -5';
    expect(await hintsOf({ command }, 'SessionStart')).toEqual([]);
    expect(await hintsOf({ command, onFault: 'deny' }, 'SessionStart')).toHaveLength(1);
  });

  test('R1781 a tilde in args', async () => {
    expect(await hintsOf({ command: 'node', args: ['~/guard.mjs'] })).toEqual(['write "$HOME/guard.mjs"']);
    expect(await hintsOf({ command: 'node ~/guard.mjs' })).toEqual([]);
  });
});
