import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  ConfigSource,
  HookRegistry,
  HookRegistryNotInitializedError,
  type HooksByEvent,
  type HostConfig,
  type TrustQuestion,
} from '../../src/index.ts';
import { commands, group, hostWith, keepLines } from '../support/host.ts';
import { revokedProxy, untyped, withHostileMember } from '../support/untyped.ts';
import { namesOf, registryOf, rowsOf } from './support.ts';

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

  test.each<[verdict: unknown, reason: string]>([
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
  ])('a check that says %o leads to the reason %j', async (verdict, reason) => {
    const registry = await registryOf(host, { trustCheck: () => untyped<boolean>(verdict) });
    expect(rowsOf(registry)[0]).toBe(`BeforeTool project: ${reason}`.trim());
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
