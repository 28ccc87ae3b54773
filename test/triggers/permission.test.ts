import { describe, expect, test } from 'vitest';
import {
  type CallToolOptions,
  Config,
  type Confirm,
  createHooks,
  executeToolWithHooks,
  type HookDefinition,
  type HookDeps,
  type HooksByEvent,
} from '../../src/index.ts';
import { hook, listening, recording, throwing, tool } from './support.ts';

const asking = hook({ decision: 'ask', reason: 'it deletes files' });
const allowing = hook({ decision: 'allow', reason: 'known' });
const approved = { reason: 'it deletes files', answered: true, approved: true, by: 'hook' };

interface Given {
  readonly before?: HookDefinition[];
  readonly permission?: HookDefinition[];
  readonly user?: HooksByEvent;
  readonly failure?: HookDefinition[];
  readonly deps?: HookDeps;
  readonly execute?: () => unknown;
  readonly options?: CallToolOptions;
}

const configOf = ({ before = [asking], permission = [], failure = [], user, deps }: Given): Config =>
  new Config({
    enableHooks: true,
    hooks: { BeforeTool: before, PermissionRequest: permission, AfterToolFailure: failure },
    ...(user === undefined ? {} : { userHooks: user }),
    deps,
  });

/** The two ways of calling a tool with its hooks around it. */
const ways: Record<string, (given: Given) => Promise<{ ran: object[]; blocked: boolean; told: string }>> = {
  executeToolWithHooks: async (given) => {
    const { calls, run } = tool({ llmContent: 'done' });
    const result = await executeToolWithHooks(configOf(given), 'shell', { command: 'rm' }, run);
    return { ran: calls, blocked: result.error !== undefined, told: JSON.stringify(result) };
  },
  callTool: async (given) => {
    const { calls, run } = tool({ llmContent: 'done' });
    const hooks = await createHooks({ config: configOf(given) });
    const result = await hooks.callTool('shell', { command: 'rm' }, run);
    return { ran: calls, blocked: result.blocked !== undefined, told: JSON.stringify(result) };
  },
};

const never: Confirm = () => {
  throw new Error('nobody must be asked');
};

describe.each(Object.entries(ways))('R1351 a question of %s', (_name, call) => {
  test('is put to PermissionRequest hooks first, with the call that would run and why it is asked', async () => {
    const { seen, definition } = recording();
    const changing = hook({ hookSpecificOutput: { tool_input: { force: false } } });
    await call({ before: [changing, asking], permission: [definition] });
    expect(seen).toEqual([
      expect.objectContaining({
        hook_event_name: 'PermissionRequest',
        tool_name: 'shell',
        tool_input: { command: 'rm', force: false },
        reason: 'it deletes files',
      }),
    ]);
  });

  test('is not put to them where nothing is asked', async () => {
    const { seen, definition } = recording();
    await call({ before: [hook({ decision: 'allow' })], permission: [definition] });
    await call({ before: [hook({ decision: 'deny' })], permission: [definition] });
    expect(seen).toEqual([]);
  });

  test('is answered by an allow in place of a person', async () => {
    const { ran, blocked } = await call({ permission: [allowing], deps: { confirm: never } });
    expect([ran, blocked]).toEqual([[{ command: 'rm' }], false]);
  });

  test('is answered by a deny in place of a person, whatever others allow', async () => {
    const denying = hook({ decision: 'deny', reason: 'not on a Friday' });
    const { ran, blocked, told } = await call({ permission: [allowing, denying], deps: { confirm: never } });
    expect([ran, blocked]).toEqual([[], true]);
    expect(told).toContain('not on a Friday');
  });

  test.each<[string, HookDefinition[]]>([
    ['none of them has an opinion', [hook({}), hook({ systemMessage: 'hm' })]],
    ['one of them asks', [allowing, hook({ decision: 'ask' })]],
    ['they fail', [throwing()]],
    ['what allowed cannot be heard', [hook(() => 'approve' as never)]],
  ])('goes to the person where %s', async (_what, permission) => {
    expect((await call({ permission, deps: { confirm: () => false } })).ran).toEqual([]);
    expect((await call({ permission, deps: { confirm: () => true } })).ran).toHaveLength(1);
  });

  test('is denied by a guard that faulted, and stays a question for one that asks on a fault', async () => {
    expect((await call({ permission: [allowing, throwing({ onFault: 'deny' })] })).ran).toEqual([]);
    expect((await call({ permission: [allowing, throwing({ onFault: 'ask' })] })).ran).toEqual([]);
  });
});

describe.each(Object.entries(ways))('R1352 in %s an allow', (_name, call) => {
  const userAsks = { BeforeTool: [asking] };

  test('from a less trusted source than the asker answers nothing, and the log says so', async () => {
    const { warnings, logger } = listening();
    const given = { before: [], user: userAsks, permission: [allowing] };
    expect((await call({ ...given, deps: { confirm: () => false, logger } })).ran).toEqual([]);
    expect(warnings).toEqual([expect.stringMatching(/approves.*trusted more.*it deletes files/)]);
  });

  test('counts from the source of the asker, and from a more trusted one', async () => {
    const user = { ...userAsks, PermissionRequest: [allowing] };
    expect((await call({ before: [asking], user, deps: { confirm: never } })).ran).toHaveLength(1);
    expect((await call({ user: { PermissionRequest: [allowing] }, deps: { confirm: never } })).ran).toHaveLength(1);
  });

  test('that changes the call has it asked about anew, and runs what all of them saw', async () => {
    const { seen, definition } = recording<{ tool_input: object }>();
    const careful = hook({ decision: 'allow', hookSpecificOutput: { tool_input: { command: 'rm -i' } } });
    const { ran } = await call({ before: [definition, asking], permission: [careful], deps: { confirm: never } });
    expect(seen.map(({ tool_input }) => tool_input)).toEqual([{ command: 'rm' }, { command: 'rm -i' }]);
    expect(ran).toEqual([{ command: 'rm -i' }]);
    const guard = hook((input: never) => {
      const { tool_input } = input as { tool_input: { command: string } };
      return tool_input.command === 'rm -i' ? { decision: 'deny', reason: 'no' } : { decision: 'ask' };
    });
    expect((await call({ before: [guard], permission: [careful], deps: { confirm: never } })).ran).toEqual([]);
  });

  test('that never stops changing the call answers nothing', async () => {
    let count = 0;
    const restless = hook(() => {
      count += 1;
      return { decision: 'allow', hookSpecificOutput: { tool_input: { count } } };
    });
    expect((await call({ permission: [restless], deps: { confirm: () => false } })).ran).toEqual([]);
    expect(count).toBe(2);
  });
});

test('R1351 who asked and that a hook answered is in the result of callTool', async () => {
  const hooks = await createHooks({ config: configOf({ permission: [allowing] }) });
  const result = await hooks.callTool('shell', {}, () => 'done');
  expect([result.asked, result.output]).toEqual([approved, 'done']);
  const failing = await createHooks({ config: configOf({ permission: [throwing()], deps: { confirm: () => true } }) });
  expect((await failing.callTool('shell', {}, () => 'done')).faults).toEqual([
    expect.objectContaining({ code: 'threw', message: expect.stringContaining('out of order') }),
  ]);
});

const broken = (): never => {
  throw new RangeError('no such file');
};

/** The same for a tool that fails. */
const failingWays: Record<string, (config: Config, signal?: AbortSignal) => Promise<unknown>> = {
  executeToolWithHooks: (config, signal) =>
    executeToolWithHooks(config, 'shell', { command: 'rm' }, broken, { signal }),
  callTool: async (config, signal) =>
    (await createHooks({ config })).callTool('shell', { command: 'rm' }, broken, { signal, id: 'call-1' }),
};

test('R958 an approval by hooks hands on the rules it brings along, and none of a hook that may not approve', async () => {
  const rule = { type: 'addRules', rules: [{ toolName: 'shell' }], behavior: 'allow', destination: 'session' };
  const bringing = (updatedPermissions: unknown) =>
    hook({ decision: 'allow', hookSpecificOutput: { updatedPermissions } });
  const hooks = await createHooks({
    config: configOf({
      before: [],
      user: { BeforeTool: [asking], PermissionRequest: [bringing([rule, 'no rule'])] },
      permission: [bringing([{ ...rule, rules: [] }])],
      deps: { confirm: never },
    }),
  });
  const { asked } = await hooks.callTool('shell', { command: 'rm' }, async () => 'done');
  expect(asked).toEqual({ ...approved, updatedPermissions: [rule] });
  const direct = await hooks.permissionRequest({ tool: 'shell', input: { command: 'rm' } });
  expect(direct.updatedPermissions).toHaveLength(2);
});

describe.each(Object.entries(failingWays))('R1353 a tool that throws in %s', (_name, call) => {
  test('is told to AfterToolFailure hooks, and what it threw reaches the caller', async () => {
    const { seen, definition } = recording();
    const config = configOf({ before: [], failure: [definition] });
    await expect(call(config)).rejects.toThrow(new RangeError('no such file'));
    expect(seen).toEqual([
      expect.objectContaining({ tool_name: 'shell', tool_input: { command: 'rm' }, error: 'no such file' }),
    ]);
  });

  test('throws what it threw, whatever its hooks say or do', async () => {
    const { warnings, logger } = listening();
    const stopping = hook({ continue: false, stopReason: 'enough' });
    const config = configOf({ before: [], failure: [throwing({ onFault: 'deny' }), stopping], deps: { logger } });
    await expect(call(config)).rejects.toThrow('no such file');
    expect(warnings.join('\n')).toMatch(/agent to stop after shell failed \(enough\)/);
  });
});

test('R1353 what hooks say to the model about a failed tool rides on its next request', async () => {
  const said = { systemMessage: 'M', hookSpecificOutput: { additionalContext: 'the disk is full' } };
  const hooks = await createHooks({ config: configOf({ before: [], failure: [hook(said)] }) });
  await expect(hooks.callTool('shell', {}, broken)).rejects.toThrow('no such file');
  const { request } = await hooks.beforeModel({ request: { model: 'm', contents: 'hi' } });
  expect(JSON.stringify(request)).toMatch(/the disk is full.*M/);
});

test('R1353 a tool that was cancelled has not failed', async () => {
  const { seen, definition } = recording();
  const hooks = await createHooks({ config: configOf({ before: [], failure: [definition] }) });
  const controller = new AbortController();
  const call = hooks.callTool(
    'shell',
    {},
    () => {
      controller.abort(new Error('left'));
      return broken();
    },
    { signal: controller.signal },
  );
  await expect(call).rejects.toThrow();
  expect(seen).toEqual([]);
});
