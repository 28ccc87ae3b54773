import { describe, expect, test } from 'vitest';
import { HookRegistry, HookwrightError } from '../../src/index.ts';
import { commands, deferred, hostWith, keepLines } from '../support/host.ts';
import { untyped } from '../support/untyped.ts';
import { namesOf, registryOf, rowsOf } from './support.ts';

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

  test.each([
    ['/Bash/', 'write "matcher": "Bash"'],
    ['Bash(', 'write a valid regular expression'],
  ])('R2082 with the matcher %j are logged with the line to write', async (matcher, fix) => {
    const { logger, warn } = keepLines();
    const registry = new HookRegistry(hostWith(), { logger });
    registry.registerHook(hook, 'BeforeTool', { matcher });
    expect(warn).toEqual([expect.stringMatching(/hook mine: matcher: /)]);
    expect(warn[0]).toContain(fix);
  });

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
