import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createHooks } from '../../src/index.ts';
import { untyped } from '../support/untyped.ts';
import { day, host, parks, refusal, yes } from './parked-support.ts';

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
