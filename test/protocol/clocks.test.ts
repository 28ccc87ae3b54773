import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { computePlanDeadlineMs } from '../../src/protocol/index.ts';

const limits = { concurrency: 2, killGraceMs: 500, drainMs: 100 };
describe('the longest a plan can take', () => {
  test.each<[title: string, timeouts: (number | undefined)[], sequential: boolean, ms: number]>([
    ['one hook', [1_000], false, 1_600],
    ['the default timeout', [undefined], false, 60_600],
    ['two at once: the longer one', [1_000, 3_000], false, 3_600],
    ['three with two places: two rounds of the longest', [1_000, 3_000, 1_000], false, 6_600],
    ['in sequence: the sum', [1_000, 3_000, 1_000], true, 5_600],
    ['no longer than a timer can wait', [2_147_483_647, 2_147_483_647], true, 2_147_483_647],
  ])('%s', (_title, timeouts, sequential, ms) => {
    expect(computePlanDeadlineMs(timeouts, sequential, limits)).toBe(ms);
  });

  test('is never shorter than the longest hook with its end', () => {
    const timeouts = fc.array(fc.integer({ min: 1, max: 100_000 }), { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(timeouts, fc.boolean(), fc.integer({ min: 1, max: 16 }), (all, sequential, concurrency) => {
        const ms = computePlanDeadlineMs(all, sequential, { ...limits, concurrency });
        expect(ms).toBeGreaterThanOrEqual(Math.max(...all) + 600);
      }),
    );
  });
});
