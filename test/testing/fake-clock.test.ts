import { describe, expect, test } from 'vitest';
import { createHooks } from '../../src/index.ts';
import { captureTraffic, fakeClock, fixtureHook } from '../../src/testing/index.ts';

describe('fakeClock', () => {
  test('stands still until it is moved, forwards by time, both ways by hand', () => {
    const clock = fakeClock({ start: 1_000 });
    expect([clock.now(), clock.now()]).toEqual([1_000, 1_000]);
    clock.advance(500);
    expect(clock.now()).toBe(1_500);
    clock.jump(-1_400);
    expect(clock.now()).toBe(100);
    clock.jump(10);
    expect(clock.now()).toBe(110);
  });

  test.each([
    ['a date', new Date(Date.UTC(2030, 1, 3))],
    ['an ISO text', '2030-02-03T00:00:00.000Z'],
    ['a number', Date.UTC(2030, 1, 3)],
  ])('starts at %s', (_form, start) => {
    expect(new Date(fakeClock({ start }).now()).toISOString()).toBe('2030-02-03T00:00:00.000Z');
  });

  test('starts at the same time in every test', () => {
    expect(new Date(fakeClock().now()).toISOString()).toBe('2026-01-01T00:00:00.000Z');
  });

  test('says what it cannot do', () => {
    const clock = fakeClock();
    expect(() => clock.advance(-1)).toThrow('advance needs milliseconds from 0; to go back, jump, got -1');
    expect(() => clock.jump(Number.NaN)).toThrow('jump needs milliseconds, got NaN');
    expect(() => fakeClock({ start: 'soon' })).toThrow('start needs a time, got "soon"');
  });

  test('is the time hooks read and traces show', async () => {
    const clock = fakeClock({ start: '2030-02-03T04:05:06.000Z' });
    const hook = fixtureHook.answers();
    const hooks = await createHooks({ deps: { clock }, hooks: { SessionStart: [{ hooks: [hook] }] } });
    const traffic = captureTraffic(hooks.bus);
    await hooks.sessionStart({ source: 'startup' });
    clock.advance(86_400_000);
    await hooks.sessionStart({ source: 'resume' });
    const times = ['2030-02-03T04:05:06.000Z', '2030-02-04T04:05:06.000Z'];
    expect(hook.received.map(({ timestamp }) => timestamp)).toEqual(times);
    expect(traffic.traces.map(({ startedAt }) => startedAt)).toEqual(times);
    expect(traffic.rows().map(({ startedAt }) => startedAt)).toEqual(times);
  });

  test('neither ends a hook nor keeps it alive: deadlines are measured with another clock', async () => {
    const clock = fakeClock();
    const { hangs, answers } = fixtureHook;
    const patient = answers(() => new Promise((resolve) => setTimeout(() => resolve({ decision: 'allow' }), 60)));
    const hooks = await createHooks({
      deps: { clock },
      hooks: { SessionEnd: [{ hooks: [hangs({ timeout: 40 }), patient] }] },
    });
    const traffic = captureTraffic(hooks.bus);
    const asked = hooks.sessionEnd({ reason: 'exit' });
    clock.jump(365 * 86_400_000);
    clock.jump(-2 * 365 * 86_400_000);
    await asked;
    expect(traffic).toHaveRun('hangs', { outcome: 'faulted' });
    expect(traffic).toHaveRun('answers', { outcome: 'answered' });
    expect(traffic.rows()[0]).toMatchObject({ code: 'timeout' });
  });
});
