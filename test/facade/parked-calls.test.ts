import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import {
  Config,
  type Confirm,
  type CreateHooksOptions,
  createHooks,
  executeToolWithHooks,
  type HookDeps,
  type HooksByEvent,
  HookwrightError,
  memoryTokenStore,
  type ParkedCallsOptions,
  parkedCalls,
  resumeToolWithHooks,
} from '../../src/index.ts';
import { untyped } from '../support/untyped.ts';
import { hook, listening, recording, throwing, tool } from '../triggers/support.ts';

const named = (name: string, answer: Parameters<typeof hook>[0], extra: object = {}) =>
  hook(answer, { name, ...extra });
const asking = named('guard', { decision: 'ask', reason: 'it pushes' });
const parks: Confirm = async (_question, context) => (await context?.park?.()) ?? false;
const day = 86_400_000;

/** A host that may be started again: what survives is its key and its store of tokens. */
const host = (given: Partial<ParkedCallsOptions> = {}) => {
  const time = { now: 1_800_000_000_000 };
  const ran: unknown[] = [];
  const settings: ParkedCallsOptions = {
    key: randomBytes(32),
    store: memoryTokenStore(),
    clock: { now: () => time.now },
    runTool: (name, args) => {
      ran.push([name, args]);
      return 'pushed';
    },
    ...given,
  };
  const deps = (confirm: Confirm | undefined, more: Partial<ParkedCallsOptions> = {}): HookDeps => ({
    confirm,
    parking: parkedCalls({ ...settings, ...more }),
  });
  const start = (hooks: HooksByEvent = { BeforeTool: [asking] }, confirm: Confirm | undefined = parks, more = {}) =>
    createHooks({ cwd: '/project', hooks, deps: deps(confirm, more) });
  const park = async (hooks?: HooksByEvent, input: Record<string, unknown> = { branch: 'main' }) => {
    const { calls, run } = tool('must not run');
    const called = await (await start(hooks)).callTool('push', input, run);
    return { called, calls, token: called.asked?.parked ?? '' };
  };
  return { ran, time, start, park, deps };
};

const refusal = async (work: Promise<unknown>): Promise<{ why: unknown; message: string }> => {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!HookwrightError.is(error)) throw new Error(`expected a refusal, got ${String(error)}`);
  return { why: error.details.why ?? error.code, message: error.message };
};

const yes = { approved: true, by: 'ann' };

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

describe('a token', () => {
  test('R1537 counts once, also when two resume it at the same moment', async () => {
    const { ran, park, start } = host();
    const { token } = await park();
    const [one, other] = [await start(), await start()];
    const settled = await Promise.allSettled([
      one.resume(token, yes),
      other.resume(token, yes),
      one.resume(token, yes),
    ]);
    expect(settled.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected', 'rejected']);
    expect(ran).toHaveLength(1);
    const { why, message } = await refusal(other.resume(token, yes));
    expect([why, message]).toEqual([
      'used',
      'The parked call of push was resumed or given up before; its token counts once',
    ]);
  });

  test('R1537 that was changed is refused, wherever it was changed', async () => {
    const { ran, park, start } = host();
    const { token } = await park();
    const hooks = await start();
    const [mark, key, text = '', signature = ''] = token.split('.');
    const call = JSON.parse(Buffer.from(text, 'base64url').toString());
    const forged = (change: object): string =>
      [mark, key, Buffer.from(JSON.stringify({ ...call, ...change })).toString('base64url'), signature].join('.');
    const changed = [
      forged({ input: { branch: 'prod' } }),
      forged({ tool: 'delete' }),
      forged({ expiresAt: call.expiresAt + day }),
      forged({ project: '/other' }),
      forged({ askedBy: [...call.askedBy, '3 other'] }),
      [mark, key, text, ''].join('.'),
      ...['A', 'B', 'Q', 'g', 'w'].map((last) => token.slice(0, -1) + last).filter((one) => one !== token),
    ];
    for (const one of changed) {
      expect(await refusal(hooks.resume(one, yes))).toEqual({
        why: 'changed',
        message: 'The token was changed after it was signed, so its call does not run',
      });
    }
    expect(ran).toEqual([]);
    await hooks.resume(token, yes);
    expect(ran).toHaveLength(1);
  });

  test.each<[string, unknown]>([
    ['no text', undefined],
    ['an empty text', ''],
    ['another text', 'hello'],
    ['a part of one', 'hwp1.x.y'],
  ])('R1537 that is %s is refused in words', async (_what, token) => {
    const hooks = await host().start();
    const { why, message } = await refusal(hooks.resume(untyped(token), yes));
    expect(why).toBe('no-token');
    expect(message).toMatch(/^A token of a parked call was expected/);
  });

  test('R1537 that is too old is refused with the time at which it expired', async () => {
    const { ran, time, park, start } = host();
    const { token } = await park();
    const hooks = await start();
    time.now += day - 1;
    const early = (await park()).token;
    time.now += 1;
    const { why, message } = await refusal(hooks.resume(token, yes));
    expect(why).toBe('too-old');
    expect(message).toBe('The parked call of push expired at 2027-01-16T08:00:00.000Z; the agent has to call it again');
    await hooks.resume(early, yes);
    expect(ran).toHaveLength(1);
  });

  test('R1537 of a time that is yet to come is refused, for the clock was set back', async () => {
    const { ran, time, park, start } = host();
    const { token } = await park();
    time.now -= 301_000;
    const { why, message } = await refusal((await start()).resume(token, yes));
    expect([why, ran]).toEqual(['too-new', []]);
    expect(message).toMatch(/^The call of push was parked at 2027-01-15T08:00:00.000Z, which is yet to come here/);
  });

  test('R1538 of an old key counts as long as the host knows that key', async () => {
    const [old, fresh] = [randomBytes(32), 'a secret of thirty-two characters'];
    const { ran, park, start } = host({ key: old });
    const [first, second] = [(await park()).token, (await park()).token];
    await (await start(undefined, parks, { key: [fresh, old] })).resume(first, yes);
    expect(ran).toHaveLength(1);
    const rotated = await start(undefined, parks, { key: fresh });
    const { why, message } = await refusal(rotated.resume(second, yes));
    expect([why, ran.length]).toEqual(['other-key', 1]);
    expect(message).toMatch(/^The token was signed with a key that this host does not have/);
    const parked = await rotated.callTool('push', {}, () => 'x');
    expect(parked.asked?.parked).not.toContain(fresh);
  });

  test('R1538 of another project is refused, and is not spent', async () => {
    const { ran, park, start, deps } = host();
    const { token } = await park();
    const elsewhere = await createHooks({ cwd: '/other', deps: deps(parks) });
    expect(await refusal(elsewhere.resume(token, yes))).toEqual({
      why: 'other-project',
      message: 'The call of push was parked in /project and is not resumed in /other',
    });
    await (await start()).resume(token, yes);
    expect(ran).toHaveLength(1);
  });

  test('R1538 whose store fails does not run its call', async () => {
    const { ran, park, start } = host();
    const { token } = await park();
    const claim = (): never => {
      throw new Error('no space left on the device');
    };
    const hooks = await start(undefined, parks, { store: { claim } });
    await expect(hooks.resume(token, yes)).rejects.toThrow('no space left on the device');
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

describe('a confirm that may park', () => {
  test('R1542 and approves at once after all spends the token, so that the call runs once', async () => {
    const { ran, start } = host();
    let token = '';
    const hooks = await start(undefined, async (_question, context) => {
      token = (await context?.park?.())?.park ?? '';
      return true;
    });
    const { calls, run } = tool('pushed');
    await hooks.callTool('push', {}, run);
    expect(calls).toHaveLength(1);
    expect(await refusal(hooks.resume(token, yes))).toMatchObject({ why: 'used' });
    expect(ran).toEqual([]);
  });

  test('R1542 and whose person was faster than its own answer runs the call once', async () => {
    const { ran, start } = host();
    const other = await start();
    const hooks = await start(undefined, async (_question, context) => {
      await other.resume((await context?.park?.())?.park ?? '', yes);
      return true;
    });
    const { calls, run } = tool('pushed');
    const called = await hooks.callTool('push', {}, run);
    expect([calls, ran.length, called.blocked?.verdict]).toEqual([[], 1, 'deny']);
  });

  test('R1542 gives no other token than that of its question', async () => {
    const { warnings, logger } = listening();
    const { deps, park } = host();
    const { token } = await park();
    const answers: Confirm[] = [{ park: token }, { park: '' }, {}].map((answer) => () => untyped(answer));
    answers.push(async (_question, context) => {
      await context?.park?.();
      return { park: token };
    });
    for (const confirm of answers) {
      const hooks = await createHooks({
        cwd: '/project',
        hooks: { BeforeTool: [asking] },
        deps: { ...deps(confirm), logger },
      });
      const { calls, run } = tool('x');
      const called = await hooks.callTool('push', {}, run);
      expect([calls, called.blocked?.verdict, called.asked?.parked]).toEqual([[], 'deny', undefined]);
    }
    expect(warnings).toHaveLength(4);
    expect(warnings[0]).toMatch(/only what the park\(\) of this question gives parks a call/);
  });

  test('R1542 is given the same token however often it wants one', async () => {
    const { ran, start } = host();
    const tokens: unknown[] = [];
    const hooks = await start(undefined, async (_question, context) => {
      tokens.push(await context?.park?.(), await context?.park?.());
      return (await context?.park?.()) ?? false;
    });
    const { asked } = await hooks.callTool('push', {}, () => 'x');
    expect(tokens).toEqual([{ park: asked?.parked }, { park: asked?.parked }]);
    await hooks.resume(asked?.parked ?? '', yes);
    expect(ran).toHaveLength(1);
  });

  test('R1542 whose call was cancelled has a token that counts no more', async () => {
    const { ran, start } = host();
    const leaving = new AbortController();
    let token = '';
    const hooks = await start(undefined, async (_question, context) => {
      token = (await context?.park?.())?.park ?? '';
      leaving.abort(new Error('the user left'));
      return { park: token };
    });
    await expect(hooks.callTool('push', {}, () => 'x', { signal: leaving.signal })).rejects.toThrow('the user left');
    expect(await refusal(hooks.resume(token, yes))).toMatchObject({ why: 'used' });
    expect(ran).toEqual([]);
  });

  const never = () => new Promise<never>(() => {});
  const parksAndThen =
    (answer: () => boolean | Promise<boolean>): Confirm =>
    async (_question, context) => {
      await context?.park?.();
      return answer();
    };

  describe.each<[string, Confirm]>([
    ['approves at once after all', parksAndThen(() => true)],
    ['is never answered', parksAndThen(never)],
  ])('and %s, with a store of tokens that does not answer', (_how, confirm) => {
    const silent = { store: { claim: never } };

    test('R1985 ends with the signal of its call', async () => {
      const hooks = await host(silent).start(undefined, confirm);
      const { calls, run } = tool('x');
      await expect(hooks.callTool('push', {}, run, { signal: AbortSignal.timeout(20) })).rejects.toThrow('timeout');
      const config = new Config({
        enableHooks: true,
        hooks: { BeforeTool: [asking] },
        deps: host(silent).deps(confirm),
      });
      const result = await executeToolWithHooks(config, 'push', {}, untyped(run), { signal: AbortSignal.timeout(20) });
      expect([calls, result.error?.type]).toEqual([[], 'hook_refused']);
    });

    test('R1985 ends when the hooks are closed', async () => {
      const hooks = await host(silent).start(undefined, confirm);
      const { calls, run } = tool('x');
      const called = hooks.callTool('push', {}, run);
      setTimeout(() => void hooks.close(), 20);
      await expect(called).rejects.toMatchObject({ code: 'disposed' });
      expect(calls).toEqual([]);
    });
  });

  test('R1985 is resumed no longer than its caller waits, if the store of tokens does not answer', async () => {
    const { ran, start, park, deps } = host();
    const { token } = await park();
    const silent = { store: { claim: never } };
    const hooks = await start(undefined, parks, silent);
    await expect(hooks.resume(token, yes, { signal: AbortSignal.timeout(20) })).rejects.toThrow('timeout');
    const config = new Config({ enableHooks: true, workingDir: '/project', deps: deps(parks, silent) });
    const signal = AbortSignal.timeout(20);
    await expect(resumeToolWithHooks(config, token, yes, { signal })).rejects.toThrow('timeout');
    setTimeout(() => void hooks.close(), 20);
    await expect(hooks.resume(token, yes)).rejects.toMatchObject({ code: 'disposed' });
    expect(ran).toEqual([]);
  });

  test.each([
    ['does not answer', never, 'not ready within 250 ms'],
    ['fails', () => Promise.reject(new Error('no space left')), 'no space left'],
  ])('R1986 says that its token may still be valid, if the store of tokens %s', async (_how, claim, why) => {
    const hooks = await host({ store: { claim } }).start(
      undefined,
      parksAndThen(() => Promise.reject(new Error('the dialog broke'))),
    );
    const { blocked, asked, faults } = await hooks.callTool('push', {}, () => 'x');
    const failed = `The confirmation of push failed and counts as refused: the dialog broke; its token may still be valid: ${why}`;
    expect([blocked?.verdict, asked?.failed, faults]).toEqual([
      'deny',
      failed,
      [{ code: 'internal_error', message: failed }],
    ]);
  });

  test.each<[string, Confirm]>([
    ['approves', () => true],
    ['refuses', () => false],
    ['fails', () => untyped('maybe')],
  ])('R1970 cannot park a call after all once it %s', async (_how, answer) => {
    const { start } = host();
    const parks: (() => Promise<unknown>)[] = [];
    const hooks = await start(undefined, (question, context) => {
      if (context?.park !== undefined) parks.push(context.park);
      return answer(question, context);
    });
    await hooks.callTool('push', {}, () => 'x');
    await expect(parks[0]?.()).rejects.toThrow('park was called after the question was answered: nothing is parked');
  });

  test('R1542 cannot park a result, nor arguments that are no plain JSON', async () => {
    const { start } = host();
    const offered: boolean[] = [];
    const asks: Confirm = (_question, context) => {
      offered.push(context?.park !== undefined);
      return true;
    };
    const hooks = await start({ AfterTool: [asking], BeforeAgent: [asking] }, asks);
    await hooks.callTool('push', {}, () => 'x');
    await hooks.beforeAgent({ prompt: 'hi' });
    expect(offered).toEqual([false, false]);
    const { calls, run } = tool('x');
    const called = await (await start()).callTool('push', { at: new Date(0) }, run);
    expect([calls, called.blocked?.verdict]).toEqual([[], 'deny']);
  });
});

test('R1971 without the time no call is parked and no token is accepted', async () => {
  const { ran, start, park, time } = host();
  const { token } = await park();
  time.now = Number.NaN;
  const clock = 'parkedCalls needs a clock that gives milliseconds since 1970; got NaN';
  expect(await refusal((await start()).resume(token, yes))).toMatchObject({ message: clock });
  const { called } = await park();
  expect(called).toMatchObject({ blocked: { verdict: 'deny' }, asked: { failed: expect.stringContaining(clock) } });
  expect(ran).toEqual([]);
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
