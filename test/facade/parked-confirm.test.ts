import { describe, expect, test } from 'vitest';
import { Config, type Confirm, createHooks, executeToolWithHooks, resumeToolWithHooks } from '../../src/index.ts';
import { untyped } from '../support/untyped.ts';
import { listening, tool } from '../triggers/support.ts';
import { asking, host, parks, refusal, yes } from './parked-support.ts';

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
