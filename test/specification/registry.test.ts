import { describe, expect, test } from 'vitest';
import { ConfigSource, HookRegistry, type HooksByEvent } from '../../src/index.ts';
import { untyped } from '../support/untyped.ts';
import { all, answering, engineOf, keepingLogger } from './engine.ts';

const named = (name: string): HooksByEvent => ({ BeforeTool: all(answering(name)) });

const namesOf = (entries: readonly { readonly config: { readonly name?: string | undefined } }[]) =>
  entries.map(({ config }) => config.name);

describe('where hooks come from', () => {
  test('R050 R051 from the configuration and from extensions that are active', async () => {
    const { system } = await engineOf(named('of the project'), {
      extensions: [
        { name: 'on', isActive: true, hooks: named('of an extension') },
        { name: 'says nothing', hooks: named('of another') },
        { name: 'off', isActive: false, hooks: named('of a sleeping one') },
        { name: 'without hooks' },
      ],
    });
    expect(namesOf(system.getAllHooks())).toEqual(['of the project', 'of an extension', 'of another']);
  });

  test.each([
    ['no hooks and no extensions', undefined, undefined],
    ['empty ones', {}, []],
  ])('R052 R053 %s means none', async (_what, hooks, extensions) => {
    const { system } = await engineOf(untyped(hooks), { extensions: untyped(extensions) });
    expect(system.getAllHooks()).toEqual([]);
    expect(system.getProblems()).toEqual([]);
  });

  test('R057 R058 R064 C08 in the order runtime, project, user, system, extensions', async () => {
    const { system } = await engineOf(named('project'), {
      extensions: [{ name: 'x', hooks: named('extensions') }],
      systemHooks: named('system'),
      userHooks: named('user'),
      runtimeHooks: named('runtime'),
    });
    const entries = system.getRegistry().getHooksForEvent('BeforeTool');
    expect(entries.map(({ source }) => source)).toEqual(['runtime', 'project', 'user', 'system', 'extensions']);
    expect(namesOf(entries)).toEqual(Object.values(ConfigSource));
  });
});

describe('what is kept of a hook', () => {
  test('R054 R055 R056 R072 R073 its config, source, event, and matcher and sequential of its definition', async () => {
    const first = { type: 'command', name: 'first', command: './a.sh', timeout: 5_000 } as const;
    const second = { type: 'command', command: './b.sh' } as const;
    const { system } = await engineOf({
      AfterTool: [{ matcher: 'read_file', sequential: true, hooks: [first, second] }, { hooks: [second] }],
    });
    const shared = { source: 'project', eventName: 'AfterTool', enabled: true };
    expect(system.getAllHooks()).toEqual([
      { ...shared, hookId: expect.any(String), config: first, matcher: 'read_file', sequential: true },
      { ...shared, hookId: expect.any(String), config: second, matcher: 'read_file', sequential: true },
      { ...shared, hookId: expect.any(String), config: second, sequential: false },
    ]);
  });

  test('R062 R063 R065 R066 a hook that is switched off stays known and is not among those of its event', async () => {
    const { system } = await engineOf({
      BeforeTool: all(answering('a'), answering('b')),
      AfterTool: all(answering('c')),
    });
    const registry = system.getRegistry();
    expect(namesOf(registry.getHooksForEvent('BeforeTool'))).toEqual(['a', 'b']);
    expect(registry.setHookEnabled('a', false)).toBe(true);
    expect(namesOf(registry.getHooksForEvent('BeforeTool'))).toEqual(['b']);
    expect(registry.getAllHooks().map(({ enabled }) => enabled)).toEqual([false, true, true]);
    registry.setHookEnabled('a', true);
    expect(namesOf(registry.getHooksForEvent('BeforeTool'))).toEqual(['a', 'b']);
  });

  test('R060 nothing of what was loaded before', async () => {
    let current = named('old');
    const registry = new HookRegistry({ getSessionId: () => '', getHooks: () => current });
    await registry.initialize();
    expect(namesOf(registry.getAllHooks())).toEqual(['old']);
    current = named('new');
    await registry.reload();
    expect(namesOf(registry.getAllHooks())).toEqual(['new']);
  });
});

describe('what is said while loading', () => {
  test('R061 how many hooks there are', async () => {
    const { logger, lines } = keepingLogger();
    await engineOf({ BeforeTool: all(answering('a'), answering('b')) }, { deps: { logger } });
    expect(lines).toEqual(['log: Hook registry initialized with 2 hook entries']);
  });

  test('R067 R071 a definition that is none is skipped, with a warning that names its event', async () => {
    const { logger, lines } = keepingLogger();
    const definitions = [null, {}, { hooks: 'a.sh' }, ...all(answering('good'))];
    const { system } = await engineOf(untyped({ PreCompress: definitions }), { deps: { logger } });
    expect(namesOf(system.getAllHooks())).toEqual(['good']);
    const warnings = lines.filter((line) => line.startsWith('warn: '));
    expect(warnings).toHaveLength(3);
    for (const warning of warnings) expect(warning).toContain('PreCompress');
  });

  test('R068 R069 R070 C21 a hook that is none is skipped with a warning, and its neighbours are not', async () => {
    const { logger, lines } = keepingLogger();
    const hooks = [
      { command: './first.sh', name: 'without a type' },
      { type: 'spell', command: './a.sh' },
      { type: 'command', name: 'without a command' },
      'a.sh',
      { type: 'plugin', name: 'a plugin' },
    ];
    const { system } = await engineOf(untyped({ BeforeTool: [{ hooks }] }), { deps: { logger } });
    expect(system.getAllHooks().map(({ config }) => [config.name, config.type])).toEqual([
      ['without a type', 'command'],
      ['a plugin', 'plugin'],
    ]);
    expect(lines.filter((line) => line.startsWith('warn: '))).toHaveLength(3);
  });

  test('C01 a timeout below a second is kept as milliseconds, with one warning', async () => {
    const { logger, lines } = keepingLogger();
    const { system } = await engineOf(
      { BeforeTool: all(answering('a', undefined, { timeout: 30 }), answering('b', undefined, { timeout: 1_000 })) },
      { deps: { logger } },
    );
    expect(system.getAllHooks().map(({ config }) => config.timeout)).toEqual([30, 1_000]);
    const warnings = lines.filter((line) => line.startsWith('warn: '));
    expect(warnings).toEqual([expect.stringContaining('write 30000')]);
  });
});
