import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hookEventNames } from '../../src/events/index.ts';
import {
  type HookConfig,
  HookPlanner,
  HookRegistry,
  HookRegistryNotInitializedError,
  type HooksByEvent,
  type HostConfig,
} from '../../src/index.ts';
import { skipReasons } from '../../src/protocol/index.ts';
import { deepFreeze } from '../models/support.ts';
import { commands, group, hostWith } from '../support/host.ts';
import { ownNow } from '../support/own-clock.ts';
import { untyped } from '../support/untyped.ts';
import { benchOf, type Host, matching } from './support.ts';

describe('a plan', () => {
  test('R081 is null for an event without hooks', async () => {
    const { planner } = await benchOf({ hooks: { BeforeTool: commands('a') } });
    expect(planner.createExecutionPlan('AfterTool', { toolName: 'ls' })).toBeNull();
    expect((await benchOf()).planner.createExecutionPlan('BeforeTool')).toBeNull();
  });

  test('R082 is null when none matches', async () => {
    const { planner } = await benchOf({ hooks: { BeforeTool: matching('write', 'edit') } });
    expect(planner.createExecutionPlan('BeforeTool', { toolName: 'read' })).toBeNull();
  });

  test.each<[title: string, host: Host]>([
    ['hooks are off', { getEnableHooks: () => false }],
    ['every hook is disabled', { getDisabledHooks: () => ['a', 'b'] }],
    ['the folder is not trusted', { isTrustedFolder: () => false }],
  ])('R098 is null when %s', async (_title, host) => {
    const { planner } = await benchOf({ hooks: { BeforeTool: commands('a', 'b') }, ...host });
    expect(planner.createExecutionPlan('BeforeTool', { toolName: 'ls' })).toBeNull();
  });

  test('R083 has the event, the hooks in order and whether they run in sequence', async () => {
    const { planner } = await benchOf({ hooks: { BeforeTool: commands('a', 'b') } });
    expect(planner.createExecutionPlan('BeforeTool', { toolName: 'ls' })).toEqual({
      eventName: 'BeforeTool',
      hookConfigs: [
        { type: 'command', name: 'a', command: 'run-a' },
        { type: 'command', name: 'b', command: 'run-b' },
      ],
      sequential: false,
    });
  });

  test('C08 has hooks by precedence of their source, then as configured', async () => {
    const { registry, plan } = await benchOf({
      hooks: { BeforeTool: [...commands('p2'), ...commands('p1')] },
      getUserHooks: () => ({ BeforeTool: commands('u') }),
      getSystemHooks: () => ({ BeforeTool: commands('s') }),
      getRuntimeHooks: () => ({ BeforeTool: commands('r') }),
      getExtensions: () => [{ name: 'x', isActive: true, hooks: { BeforeTool: commands('e') } }],
    });
    registry.registerHook({ name: 'r2', command: 'c' }, 'BeforeTool');
    expect(plan('BeforeTool')).toEqual(['r', 'r2', 'p2', 'p1', 'u', 's', 'e']);
  });

  test.each([
    [[false, false], false],
    [[false, true], true],
    [[true, false], true],
  ])('R094 R095 of groups that want sequence %j is sequential: %j', async (wishes, sequential) => {
    const BeforeTool = wishes.map((wish, index) =>
      group([{ command: `c${index}` }], { sequential: wish, matcher: 'ls' }),
    );
    const { planner } = await benchOf({ hooks: { BeforeTool } });
    expect(planner.createExecutionPlan('BeforeTool', { toolName: 'ls' })?.sequential).toBe(sequential);
  });

  test('is not made sequential by a group that does not match', async () => {
    const BeforeTool = [group([{ command: 'a' }]), group([{ command: 'b' }], { sequential: true, matcher: 'rm' })];
    const { planner } = await benchOf({ hooks: { BeforeTool } });
    expect(planner.createExecutionPlan('BeforeTool', { toolName: 'ls' })?.sequential).toBe(false);
    expect(planner.createExecutionPlan('BeforeTool', { toolName: 'rm' })?.sequential).toBe(true);
  });

  test('is refused before the registry is loaded', () => {
    const planner = new HookPlanner(new HookRegistry(hostWith()));
    expect(() => planner.createExecutionPlan('BeforeTool')).toThrow(HookRegistryNotInitializedError);
    expect(() => planner.explain()).toThrow(HookRegistryNotInitializedError);
  });
});

describe('R093 C24 duplicates', () => {
  const action = (): void => {};
  const base: HookConfig = { type: 'command', name: 'n', command: 'c', args: ['a'] };

  test.each<[title: string, first: HookConfig, second: HookConfig, same: boolean]>([
    ['all equal', base, { ...base }, true],
    ['a missing type is a command', { command: 'c' }, { type: 'command', command: 'c' }, true],
    ['other texts about it', base, { ...base, description: 'd', statusMessage: 's' }, true],
    ['another name', base, { ...base, name: 'm' }, false],
    ['no name', base, { ...base, name: undefined }, false],
    ['another command', base, { ...base, command: 'd' }, false],
    ['another type', { ...base, type: 'worker' }, base, false],
    ['other arguments', base, { ...base, args: ['b'] }, false],
    ['no arguments', base, { ...base, args: undefined }, false],
    ['the same function', { type: 'runtime', action }, { type: 'runtime', action }, true],
    ['another function', { type: 'runtime', action }, { type: 'runtime', action: () => {} }, false],
    ['another URL', { type: 'http', url: 'https://a' }, { type: 'http', url: 'https://b' }, false],
    ['texts that would run together', { name: 'a:b', command: 'c' }, { name: 'a', command: 'b:c' }, false],
    ['texts with quotes', { name: 'a","b', command: 'c' }, { name: 'a', command: 'b","c' }, false],
  ])('%s', async (_title, first, second, same) => {
    const { planner } = await benchOf({ hooks: { BeforeTool: [group([first]), group([second])] } });
    expect(planner.createExecutionPlan('BeforeTool')?.hookConfigs).toHaveLength(same ? 1 : 2);
    const [, row] = planner.explain('BeforeTool');
    expect(row?.reason).toBe(same ? 'duplicate' : undefined);
    if (same) expect(row?.hint).toContain(`It is the same as ${planner.explain('BeforeTool')[0]?.hookId}.`);
  });

  test('are judged only among those that would run', async () => {
    const hook = { name: 'guard', command: 'c' };
    const { plan, rows } = await benchOf({
      hooks: { BeforeTool: [group([hook], { matcher: 'never' }), group([hook])] },
      getUserHooks: () => ({ BeforeTool: [group([hook])] }),
    });
    expect(plan('BeforeTool', { toolName: 'ls' })).toEqual(['guard']);
    expect(rows('BeforeTool', { toolName: 'ls' })).toEqual([
      'guard: matcher-mismatch',
      'guard: duplicate',
      'guard: run',
    ]);
    const untrusted = await benchOf({
      hooks: { BeforeTool: [group([hook])] },
      getUserHooks: () => ({ BeforeTool: [group([hook])] }),
      isTrustedFolder: () => false,
    });
    expect(untrusted.rows('BeforeTool')).toEqual(['guard: untrusted', 'guard: run']);
  });

  test('of several events do not touch each other', async () => {
    const hook = { name: 'guard', command: 'c' };
    const { plan } = await benchOf({ hooks: { BeforeTool: [group([hook])], AfterTool: [group([hook])] } });
    expect([plan('BeforeTool'), plan('AfterTool')]).toEqual([['guard'], ['guard']]);
  });

  test('make no plan sequential that the one which runs does not', async () => {
    const hook = { name: 'guard', command: 'c' };
    const { planner } = await benchOf({ hooks: { BeforeTool: [group([hook]), group([hook], { sequential: true })] } });
    expect(planner.createExecutionPlan('BeforeTool')?.sequential).toBe(false);
  });

  test.each<[string, HookConfig]>([
    ['env', { env: { A: 'project' } }],
    ['cwd', { cwd: '/tmp/mine' }],
    ['shell', { shell: './evil' }],
    ['args', { args: [] }],
  ])('R673 are none when they differ in %s: both run', async (_what, project) => {
    const hook = { name: 'guard', command: 'c' };
    const { rows } = await benchOf({
      hooks: { BeforeTool: [group([{ ...hook, ...project }])] },
      getUserHooks: () => ({ BeforeTool: [group([hook])] }),
    });
    expect(rows('BeforeTool')).toEqual(['guard: run', 'guard: run']);
  });

  test('R673 run from the system rather than the user, the code, the project and extensions, and two extensions share none', async () => {
    const hook = { name: 'guard', command: 'c' };
    const all = { BeforeTool: [group([hook])] };
    const hosts = {
      hooks: all,
      getExtensions: () => ['a', 'b'].map((name) => ({ name, isActive: true, hooks: all })),
      getRuntimeHooks: () => all,
    };
    const runs = async (more: object): Promise<string[]> => {
      const { planner } = await benchOf({ ...hosts, ...more });
      return planner.explain('BeforeTool').flatMap(({ source, planned }) => (planned === 'run' ? [source.kind] : []));
    };
    expect(await runs({})).toEqual(['runtime', 'extensions', 'extensions']);
    expect(await runs({ getUserHooks: () => all })).toEqual(['user', 'extensions', 'extensions']);
    expect(await runs({ getUserHooks: () => all, getSystemHooks: () => all })).toEqual([
      'system',
      'extensions',
      'extensions',
    ]);
  });

  const merged = async (project: HookConfig, user: HookConfig): Promise<HookConfig | undefined> => {
    const name = 'guard';
    const { planner } = await benchOf({
      hooks: { BeforeTool: [group([{ name, command: 'c', ...project }])] },
      getUserHooks: () => ({ BeforeTool: [group([{ name, command: 'c', ...user }])] }),
    });
    const plan = planner.createExecutionPlan('BeforeTool');
    expect(plan?.hookConfigs).toHaveLength(1);
    return plan?.hookConfigs[0];
  };

  test.each<[project: HookConfig, user: HookConfig, runs: HookConfig]>([
    [{}, { onFault: 'deny' }, { onFault: 'deny' }],
    [{ onFault: 'deny' }, {}, { onFault: 'deny' }],
    [{ onFault: 'ask' }, { onFault: 'allow' }, { onFault: 'ask' }],
    [{ onFault: 'ask' }, { onFault: 'deny' }, { onFault: 'deny' }],
    [{ timeout: 90_000 }, {}, { timeout: 60_000 }],
    [{ timeout: 5_000 }, { timeout: 2_000 }, { timeout: 2_000 }],
    [{ timeout: 1 }, { timeout: 5_000 }, { timeout: 5_000 }],
    [{ leaveBackground: true }, {}, {}],
  ])('of a project %j and a user %j run with %j', async (project, user, runs) => {
    const found = await merged(project, user);
    const { type: _type, name: _name, command: _command, ...rest } = found ?? {};
    const { timeout = 60_000, onFault = 'allow', ...others } = rest;
    expect({ timeout, onFault, ...others }).toEqual({ timeout: 60_000, onFault: 'allow', ...runs });
  });

  test('within one source keep the environment of the first', async () => {
    const hooks = [
      { command: 'c', env: { A: 'first' } },
      { command: 'c', env: { A: 'second' } },
    ];
    const { planner } = await benchOf({ hooks: { BeforeTool: [group(hooks)] } });
    expect(planner.createExecutionPlan('BeforeTool')?.hookConfigs[0]?.env).toEqual({ A: 'first' });
  });
});

describe('rows', () => {
  test('say source, matcher and what stands in the way, with a way out', async () => {
    const extensions = [{ name: 'x', isActive: false, hooks: { BeforeTool: commands('ext') } }];
    const { planner } = await benchOf({ hooks: { BeforeTool: matching('write') }, getExtensions: () => extensions });
    expect(planner.explain('BeforeTool', { toolName: 'ls' })).toEqual([
      {
        hookId: 'project/BeforeTool/h1',
        name: 'h1',
        eventName: 'BeforeTool',
        source: { kind: 'project' },
        matcher: 'write',
        planned: 'skip',
        reason: 'matcher-mismatch',
        reasons: ['matcher-mismatch'],
        hint: skipReasons['matcher-mismatch'],
      },
      {
        hookId: 'extensions:x/BeforeTool/ext',
        name: 'ext',
        eventName: 'BeforeTool',
        source: { kind: 'extensions', extension: 'x' },
        planned: 'skip',
        reason: 'source-inactive',
        reasons: ['source-inactive'],
        hint: skipReasons['source-inactive'],
      },
    ]);
  });

  test('name every reason, in the fixed order, the first one as the reason', async () => {
    const { planner } = await benchOf({
      getExtensions: () => [{ name: 'x', isActive: false, hooks: { BeforeTool: matching('never') } }],
      getEnableHooks: () => false,
      getDisabledHooks: () => ['h1'],
      isTrustedFolder: () => false,
    });
    expect(planner.explain('BeforeTool', { toolName: 'ls' })).toMatchObject([
      {
        reason: 'hooks-disabled',
        reasons: ['hooks-disabled', 'source-inactive', 'disabled', 'untrusted', 'matcher-mismatch'],
      },
    ]);
  });

  test('of entries that cannot be read say what is wrong with them', async () => {
    const hooks = untyped<HooksByEvent>({ BeforeTool: [{ hooks: [{ name: 'bad', type: 'comand' }] }] });
    const [row] = (await benchOf({ hooks })).planner.explain('BeforeTool');
    expect(row).toMatchObject({ name: 'bad', planned: 'skip', reason: 'invalid-config' });
    expect(row?.hint).toContain('hooks.BeforeTool[0].hooks[0].type must be one of command');
    expect(row?.hint).toContain(skipReasons['invalid-config']);
  });

  test('without an event are those of all events, then of entries that could not be placed', async () => {
    const hooks = untyped<HooksByEvent>({
      PreToolUse: commands('claude'),
      AfterTool: commands('after'),
      BeforeTol: commands('typo'),
      BeforeTool: [null, ...commands('before')],
    });
    const { rows } = await benchOf({ hooks });
    expect(rows()).toEqual([
      'unnamed entry (null): invalid-config',
      'before: run',
      'after: run',
      'claude: unknown-event',
      'typo: unknown-event',
    ]);
    expect(rows('PreToolUse')).toEqual(['claude: unknown-event']);
    expect(rows('SessionEnd')).toEqual([]);
    expect(rows('__proto__')).toEqual([]);
  });
});

describe('the cache', () => {
  test('gives the same plan for the same subject, however it is asked for', async () => {
    const { planner } = await benchOf({ hooks: { BeforeTool: commands('a'), BeforeModel: commands('m') } });
    const plan = planner.createExecutionPlan('BeforeTool', { toolName: 'ls' });
    expect(planner.createExecutionPlan('BeforeTool', { toolName: 'ls', trigger: 'x' })).toBe(plan);
    expect(planner.createExecutionPlan('BeforeTool', { toolName: 'rm' })).not.toBe(plan);
    expect(planner.createExecutionPlan('BeforeTool')).not.toBe(plan);
    const model = planner.createExecutionPlan('BeforeModel');
    expect(planner.createExecutionPlan('BeforeModel', { toolName: 'ignored' })).toBe(model);
  });

  test('is dropped when anything changes that could change a plan', async () => {
    let names = ['a'];
    const { planner, registry, plan } = await benchOf({ getHooks: () => ({ BeforeTool: commands(...names) }) });
    expect(plan('BeforeTool')).toEqual(['a']);
    const before = planner.createExecutionPlan('BeforeTool');
    const remove = registry.registerHook({ name: 'b', command: 'c' }, 'BeforeTool');
    expect(plan('BeforeTool')).toEqual(['b', 'a']);
    registry.setHookEnabled('a', false);
    expect(plan('BeforeTool')).toEqual(['b']);
    remove();
    expect(plan('BeforeTool')).toBeNull();
    registry.setHookEnabled('a', true);
    names = ['a', 'c'];
    await registry.reload();
    expect(plan('BeforeTool')).toEqual(['a', 'c']);
    expect(before?.hookConfigs.map((hook) => hook.name)).toEqual(['a']);
  });

  test('holds at most 1,000 subjects: what is asked for again after many others is made again', async () => {
    const asked = new Set<string>();
    const matchRegex = (_pattern: string, subject: string): boolean => {
      asked.add(subject);
      return true;
    };
    const { planner } = await benchOf({ hooks: { BeforeTool: matching('^x', '.') } }, { matchRegex });
    const planFor = (index: number) => planner.createExecutionPlan('BeforeTool', { toolName: `tool${index}` });
    const first = planFor(0);
    for (let index = 0; index < 900; index += 1) planFor(index);
    expect(planFor(0)).toBe(first);
    for (let index = 0; index < 5_000; index += 1) planFor(index);
    asked.clear();
    for (let index = 0; index < 5_000; index += 1) planFor(index);
    expect(asked.size).toBeGreaterThanOrEqual(4_000);
    expect(planFor(0)).not.toBe(first);
  });

  test('does not grow by events nobody knows', async () => {
    const { planner } = await benchOf({ hooks: { BeforeTool: commands('a') } });
    const plan = planner.createExecutionPlan('BeforeTool');
    for (let index = 0; index < 3_000; index += 1) expect(planner.explain(`Nobody${index}`)).toEqual([]);
    expect(planner.createExecutionPlan('BeforeTool')).toEqual(plan);
  });
});

describe('R834 a tool that nobody called before', () => {
  const timeOf = (work: (round: number) => void): number => {
    const times = Array.from({ length: 60 }, (_, round) => {
      const startedAt = ownNow();
      work(round);
      return ownNow() - startedAt;
    });
    return times.sort((one, other) => one - other)[30] ?? 0;
  };

  test('costs little more than to compare its name with a thousand matchers', async () => {
    const matchers = Array.from({ length: 1_000 }, (_, index) => `tool_${index}|other_${index}`);
    const { planner, rows } = await benchOf({ hooks: { BeforeTool: matching(...matchers) } });
    const patterns = matchers.map((matcher) => new RegExp(matcher));
    const compared = timeOf((round) => void patterns.some((pattern) => pattern.test(`new ${round}`)));
    const planned = timeOf((round) => void planner.createExecutionPlan('BeforeTool', { toolName: `new ${round}` }));
    expect(planned).toBeLessThan(5 * compared);
    // Rows are made for whoever wants to see them, and then they are all there.
    expect(rows('BeforeTool', { toolName: 'new 1' })).toHaveLength(1_000);
    expect(rows('BeforeTool', { toolName: 'tool_7' })[7]).toBe('h8: run');
  });
});

describe('promises', () => {
  const hook = fc.record(
    {
      name: fc.constantFrom('a', 'b', 'c'),
      command: fc.constantFrom('x', 'y'),
      type: fc.constantFrom('command', 'worker', 'comand'),
      onFault: fc.constantFrom('allow', 'deny', 'ask'),
      timeout: fc.constantFrom(1_000, 2_000),
    },
    { requiredKeys: ['command'] },
  );
  const definition = fc.record(
    {
      hooks: fc.array(hook, { maxLength: 3 }),
      matcher: fc.constantFrom('ls', '^l', 'rm|ls', '*', '('),
      sequential: fc.boolean(),
    },
    { requiredKeys: ['hooks'] },
  );
  const settings = fc.dictionary(
    fc.constantFrom('BeforeTool', 'SessionStart', 'BeforeTol'),
    fc.array(definition, { maxLength: 3 }),
  );
  const host = fc.record({
    hooks: settings,
    userHooks: settings,
    extensionHooks: settings,
    isActive: fc.boolean(),
    isTrusted: fc.boolean(),
    isOn: fc.boolean(),
    disabled: fc.subarray(['a', 'b', 'x']),
  });
  const context = fc.record(
    { toolName: fc.constantFrom('ls', 'rm'), trigger: fc.constantFrom('startup', 'ls') },
    { requiredKeys: [] },
  );
  type Written = typeof host extends fc.Arbitrary<infer T> ? T : never;

  const hostOf = (written: Written): HostConfig =>
    deepFreeze(
      hostWith({
        getHooks: () => untyped<HooksByEvent>(written.hooks),
        getUserHooks: () => untyped<HooksByEvent>(written.userHooks),
        getExtensions: () => [
          { name: 'x', isActive: written.isActive, hooks: untyped<HooksByEvent>(written.extensionHooks) },
        ],
        getEnableHooks: () => written.isOn,
        getDisabledHooks: () => written.disabled,
        isTrustedFolder: () => written.isTrusted,
      }),
    );

  test('every configured hook has exactly one row, and the plan is the rows that say run', async () => {
    await fc.assert(
      fc.asyncProperty(host, context, async (written, given) => {
        const registry = new HookRegistry(hostOf(deepFreeze(written)));
        await registry.initialize();
        const planner = new HookPlanner(registry);
        const configured = [written.hooks, written.userHooks, written.extensionHooks].flatMap((source) =>
          Object.entries(source).flatMap(([event, definitions]) =>
            definitions.flatMap(({ hooks }) => hooks.map(() => event)),
          ),
        );
        const rows = planner.explain(undefined, given);
        expect(rows.map((row) => row.eventName).sort()).toEqual(configured.sort());
        expect(new Set(rows.map((row) => row.hookId)).size).toBe(rows.length);
        const order = Object.keys(skipReasons);
        for (const row of rows) {
          expect(row.planned === 'skip').toBe(row.reason !== undefined);
          const places = (row.reasons ?? []).map((reason) => order.indexOf(reason));
          expect(places).toEqual([...new Set(places)].sort((a, b) => a - b));
          expect(row.reasons?.[0]).toBe(row.reason);
          if (row.reason !== undefined) expect(row.hint).toContain(skipReasons[row.reason]);
        }
        for (const eventName of hookEventNames) {
          const running = planner.explain(eventName, given).filter((row) => row.planned === 'run');
          const plan = planner.createExecutionPlan(eventName, given);
          expect(plan === null).toBe(running.length === 0);
          expect(plan?.hookConfigs.map((each) => each.name ?? each.command) ?? []).toEqual(
            running.map((row) => row.name),
          );
        }
      }),
      { numRuns: 150 },
    );
  });

  test('R096 planning changes nothing it is given and depends on nothing else', async () => {
    await fc.assert(
      fc.asyncProperty(host, context, async (written, given) => {
        const frozen = deepFreeze(written);
        const [first, second] = await Promise.all(
          [1, 2].map(async () => {
            const registry = new HookRegistry(hostOf(frozen));
            await registry.initialize();
            for (const entry of registry.getConfiguredHooks()) deepFreeze(entry);
            const planner = new HookPlanner(registry);
            const told = {
              rows: planner.explain(undefined, deepFreeze(given)),
              plan: planner.createExecutionPlan('BeforeTool', given),
            };
            expect({
              rows: planner.explain(undefined, given),
              plan: planner.createExecutionPlan('BeforeTool', given),
            }).toEqual(told);
            return told;
          }),
        );
        expect(first).toEqual(second);
      }),
      { numRuns: 50 },
    );
  });
});
