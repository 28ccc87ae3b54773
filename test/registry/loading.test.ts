import { describe, expect, test } from 'vitest';
import { HookRegistry, type HooksByEvent, type HostConfig } from '../../src/index.ts';
import { commands, deferred, hostWith, keepLines } from '../support/host.ts';
import { namesOf, registryOf } from './support.ts';

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
