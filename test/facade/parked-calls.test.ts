import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import {
  Config,
  type Confirm,
  type CreateHooksOptions,
  createHooks,
  executeToolWithHooks,
  type HooksByEvent,
  memoryTokenStore,
  parkedCalls,
  resumeToolWithHooks,
} from '../../src/index.ts';
import { untyped } from '../support/untyped.ts';
import { hook, recording, throwing, tool } from '../triggers/support.ts';
import { asking, host, named, parks, refusal, yes } from './parked-support.ts';

describe('a call that confirm parks', () => {
  test('R1535 is not run, and the model reads that it waits', async () => {
    const { called, calls, token } = await host().park();
    expect(calls).toEqual([]);
    expect(called.blocked).toEqual({
      verdict: 'ask',
      reason: 'the call waits for an approval and has not run; do not repeat it (it pushes)',
    });
    expect(called.asked).toEqual({ reason: 'it pushes', answered: false, parked: token });
    expect(called.output).toBeUndefined();
    expect(token).toMatch(/^hwp1\./);
  });

  test('R1535 runs after a restart with the arguments that were signed, and its result is the result of a call', async () => {
    const { ran, park, start } = host();
    const { token } = await park({
      BeforeTool: [asking, hook({ hookSpecificOutput: { tool_input: { dry: false } } })],
    });
    const { seen, definition } = recording();
    const again = await start({ BeforeTool: [asking], AfterTool: [definition] });
    const called = await again.resume(token, yes);
    expect(ran).toEqual([['push', { branch: 'main', dry: false }]]);
    expect(called).toMatchObject({ output: 'pushed', input: { branch: 'main', dry: false } });
    expect(called.asked).toEqual({ reason: 'it pushes', answered: true, approved: true, by: 'ann' });
    expect(seen).toMatchObject([{ tool_name: 'push', tool_input: { branch: 'main', dry: false } }]);
  });

  test('R1535 keeps its ids, its server and what the host said besides', async () => {
    const { start } = host();
    const context = { id: 'call-1', mcpContext: { server_name: 'git' }, more: { turn: 3 } };
    const { asked } = await (await start()).callTool('push', {}, () => 'x', context);
    const { seen, definition } = recording();
    await (await start({ BeforeTool: [definition] })).resume(asked?.parked ?? '', yes);
    const before = recording({ decision: 'ask' });
    const unnamed = await (await start({ BeforeTool: [before.definition] })).callTool('push', {}, () => 'x');
    await (await start({ AfterTool: [definition] })).resume(unnamed.asked?.parked ?? '', yes);
    const read = { tool_use_id: 'call-1', call_id: 'call-1', mcp_context: { server_name: 'git' }, turn: 3 };
    expect(seen).toMatchObject([read, { call_id: before.seen[0]?.call_id }]);
  });

  test('R1535 is a result of its own to executeToolWithHooks, and resumeToolWithHooks runs it', async () => {
    const { ran, deps } = host();
    const config = () =>
      new Config({ enableHooks: true, workingDir: '/project', hooks: { BeforeTool: [asking] }, deps: deps(parks) });
    const { calls, run } = tool({ llmContent: 'must not run' });
    const parked = await executeToolWithHooks(config(), 'push', { branch: 'main' }, run);
    expect(calls).toEqual([]);
    expect(parked.error?.type).toBe('hook_parked');
    expect(parked.llmContent).toMatch(/^Tool call not run: the call waits for an approval/);
    const token = parked.asked?.parked ?? '';
    expect(await resumeToolWithHooks(config(), token, yes)).toEqual({ llmContent: 'pushed' });
    expect(ran).toEqual([['push', { branch: 'main' }]]);
    expect(await refusal(resumeToolWithHooks(config(), token, yes))).toMatchObject({ why: 'used' });
  });

  test('R1536 that is refused is a denial with who refused, and the token is spent', async () => {
    const { ran, park, start } = host();
    const { token } = await park();
    const hooks = await start();
    const called = await hooks.resume(token, { approved: false, by: 'ann', reason: 'not on a Friday' });
    expect(called.blocked).toEqual({
      verdict: 'deny',
      reason: 'refused by ann (not on a Friday; asked because: it pushes)',
    });
    expect(called.asked).toEqual({ reason: 'it pushes', answered: true, approved: false, by: 'ann' });
    expect(await refusal(hooks.resume(token, yes))).toMatchObject({ why: 'used' });
    expect(ran).toEqual([]);
  });

  test('R1536 of executeToolWithHooks that is refused is a result', async () => {
    const { ran, park, deps } = host();
    const { token } = await park();
    const config = new Config({ enableHooks: true, workingDir: '/project', deps: deps(parks) });
    const refused = await resumeToolWithHooks(config, token, { approved: false, by: 'ann' });
    expect(refused.error).toEqual({
      type: 'hook_refused',
      message: 'Tool call blocked by hook: refused by ann (it pushes)',
    });
    expect(ran).toEqual([]);
  });
});

describe('hooks of today', () => {
  test('R1539 judge a resumed call again, are told so and by whom it was approved, and a denial wins', async () => {
    const { ran, park, start } = host();
    const { token } = await park();
    const { seen, definition } = recording({ decision: 'deny', reason: 'the branch is frozen' });
    const called = await (await start({ BeforeTool: [asking, definition] })).resume(token, yes);
    expect(called.blocked).toEqual({ verdict: 'deny', reason: 'the branch is frozen' });
    expect(called.asked).toMatchObject({ approved: true, by: 'ann' });
    expect(ran).toEqual([]);
    expect(seen).toMatchObject([{ tool_input: { branch: 'main' }, recheck: true, approval: { by: 'ann' } }]);
  });

  test('R1539 that stop the agent, or fail as guards that deny, keep it from running', async () => {
    const { ran, park, start } = host();
    const stopped = await (await start({ BeforeTool: [hook({ continue: false, stopReason: 'enough' })] })).resume(
      (await park()).token,
      yes,
    );
    expect(stopped).toMatchObject({ blocked: { verdict: 'stop' }, stopped: { reason: 'enough' } });
    const failed = await (await start({ BeforeTool: [throwing({ onFault: 'deny' })] })).resume(
      (await park()).token,
      yes,
    );
    expect(failed.blocked?.verdict).toBe('deny');
    expect(ran).toEqual([]);
  });

  test.each([false, true])(
    'R1539 all see the arguments that were approved, and change them no more (sequential: %s)',
    async (sequential) => {
      const { ran, park, start } = host();
      const { token } = await park();
      const seen: unknown[] = [];
      const sees = (input: unknown) => {
        seen.push(Reflect.get(Object(input), 'tool_input'));
        return { hookSpecificOutput: { tool_input: { branch: 'prod' } } };
      };
      const call = await (await start({ BeforeTool: [hook(sees, { sequential }), hook(sees, { sequential })] })).resume(
        token,
        yes,
      );
      expect(seen).toEqual([{ branch: 'main' }, { branch: 'main' }]);
      expect(call.input).toEqual({ branch: 'main' });
      expect(ran).toEqual([['push', { branch: 'main' }]]);
    },
  );

  test('R1540 an approval answers the hooks that asked; one that asks since is a question of its own', async () => {
    const { ran, park, start } = host();
    const { token } = await park();
    const other = named('other', { decision: 'ask', reason: 'prod is down' });
    const parkedAgain = await (await start({ BeforeTool: [asking, other] })).resume(token, yes);
    expect(parkedAgain.blocked?.verdict).toBe('ask');
    expect(ran).toEqual([]);
    const second = parkedAgain.asked?.parked ?? '';
    await (await start({ BeforeTool: [asking, other] })).resume(second, yes);
    expect(ran).toHaveLength(1);
    await (await start({ BeforeTool: [] })).resume((await park()).token, yes);
    expect(ran).toHaveLength(2);
  });

  test('R1540 a hook of the same name that is trusted less does not stand in for one that asked', async () => {
    const { ran, deps } = host();
    const configured = (hooks: HooksByEvent, userHooks: HooksByEvent, confirm: Confirm) =>
      new Config({ enableHooks: true, workingDir: '/project', hooks, userHooks, deps: deps(confirm) });
    const fromProject = configured({ BeforeTool: [asking] }, {}, parks);
    const parked = await executeToolWithHooks(fromProject, 'push', {}, () => ({}));
    const now = configured({}, { BeforeTool: [asking] }, () => false);
    const resumed = await resumeToolWithHooks(now, parked.asked?.parked ?? '', yes);
    expect(resumed.error?.type).toBe('hook_refused');
    expect(ran).toEqual([]);
  });

  test('R1540 PermissionRequest hooks are not asked again about what a person approved', async () => {
    const { ran, park, start } = host();
    const { token } = await park();
    const { seen, definition } = recording({ decision: 'deny', reason: 'never' });
    await (await start({ BeforeTool: [asking], PermissionRequest: [definition] })).resume(token, yes);
    expect([seen, ran.length]).toEqual([[], 1]);
  });

  test('R1541 without a required guard no parked call is resumed, and its token is not spent', async () => {
    const { ran, park, deps, start } = host();
    const { token } = await park();
    const options: CreateHooksOptions = { cwd: '/project', require: ['guard'], deps: deps(parks) };
    const hooks = await createHooks({ ...options, hooks: { BeforeTool: [named('guard', {}, { onFault: 'deny' })] } });
    hooks.system.setHookEnabled('guard', false);
    const { why, message } = await refusal(hooks.resume(token, yes));
    expect([why, ran]).toEqual(['invalid_config', []]);
    expect(message).toMatch(/guard/);
    hooks.system.setHookEnabled('guard', true);
    await hooks.resume(token, yes);
    expect(ran).toHaveLength(1);
    await (await start()).close();
  });
});

describe('what is called wrongly', () => {
  test.each<[string, object, RegExp]>([
    ['a short key', { key: 'short' }, /secret of at least 32 bytes; got 5 bytes/],
    ['no key', { key: undefined }, /secret of at least 32 bytes; got nothing/],
    ['no keys', { key: [] }, /got an empty list/],
    ['no store', { store: undefined }, /store\.claim/],
    ['an age that is none', { maxAgeMs: 0 }, /maxAgeMs as milliseconds over 0, ten years at most; got 0/],
    ['a misspelt option', { maxAge: 1 }, /does not take "maxAge"; did you mean "maxAgeMs"/],
  ])('parkedCalls with %s says so', (_what, wrong, message) => {
    expect(() => parkedCalls(untyped({ key: randomBytes(32), store: memoryTokenStore(), ...wrong }))).toThrow(message);
  });

  test.each<[string, object, object, RegExp]>([
    ['no word on approval', { approved: 'yes', by: 'ann' }, {}, /approved as true or false; got "yes"/],
    ['no name', { approved: true }, {}, /needs by, the name of who decided/],
    ['a misspelt option', yes, { runTools: () => 1 }, /does not take "runTools"; did you mean "runTool"/],
    ['an id', yes, { id: 'x' }, /does not take "id"/],
  ])('resume with %s says so and spends nothing', async (_what, decision, options, message) => {
    const { ran, park, start } = host();
    const { token } = await park();
    const hooks = await start();
    await expect(hooks.resume(token, untyped(decision), untyped(options))).rejects.toThrow(message);
    expect(ran).toEqual([]);
    await hooks.resume(token, yes, { runTool: (name, args) => ran.push(['mine', name, args]) });
    expect(ran).toEqual([['mine', 'push', { branch: 'main' }]]);
  });

  test('resume without what runs a tool, or without parking, says what to give', async () => {
    const { park, start } = host();
    const { token } = await park();
    const hooks = await start(undefined, parks, { runTool: undefined });
    await expect(hooks.resume(token, yes)).rejects.toThrow(/runTool of parkedCalls/);
    await expect((await createHooks()).resume(token, yes)).rejects.toThrow(/needs deps\.parking/);
  });
});
