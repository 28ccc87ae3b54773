import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { engineOf, groupOf } from '../support/engine.ts';

/** As many at once, so many calls, but no longer than this. */
const AT_ONCE = 16;
const CALLS = 1_600;
const NO_LONGER_THAN_MS = 8_000;

const SAYS_NO = `printf '{"decision":"deny","reason":"no"}'; exit 0`;

const payload = { tool_name: 'ls', tool_input: {} };

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;

test('P4 whenever the deadline or a cancel falls around the end of a guard, its word is heard or its silence is a fault', {
  timeout: 60_000,
}, async () => {
  const system = await engineOf({
    host: { getWorkingDir: tmpdir },
    hooks: { BeforeTool: groupOf({ command: SAYS_NO, onFault: 'deny' }) },
  });
  const handler = system.getEventHandler();
  /** Without a limit, or ended after so long: by its deadline, or by whoever fired it. */
  const call = async (endsAfterMs?: number, how: 'deadline' | 'cancelled' = 'deadline') => {
    const cancel = new AbortController();
    const timer =
      endsAfterMs === undefined || how === 'deadline' ? undefined : setTimeout(() => cancel.abort(), endsAfterMs);
    const startedAt = performance.now();
    const { result, results } = await handler.fireDetailed('BeforeTool', payload, {
      signal: cancel.signal,
      ...(endsAfterMs === undefined || how === 'cancelled' ? {} : { timeoutMs: Math.max(1, endsAfterMs) }),
    });
    clearTimeout(timer);
    return { result, run: results[0], ms: performance.now() - startedAt };
  };
  const together = async <T>(make: () => Promise<T>): Promise<T[]> =>
    Promise.all(Array.from({ length: AT_ONCE }, make));

  await together(() => call());
  let aim = median((await together(() => call())).map(({ ms }) => ms));
  const until = performance.now() + NO_LONGER_THAN_MS;
  const ends = { answered: 0, deadline: 0, cancelled: 0 };
  for (let calls = 0; calls < CALLS && performance.now() < until; calls += AT_ONCE) {
    const how = calls % (2 * AT_ONCE) === 0 ? 'deadline' : 'cancelled';
    let heard = 0;
    for (const { result, run } of await together(() => call(aim * (0.5 + Math.random()), how))) {
      expect(result.finalOutput?.isBlockingDecision(), JSON.stringify(run)).toBe(true);
      if (run?.code === undefined) {
        expect(run?.output).toEqual({ decision: 'deny', reason: 'no' });
        ends.answered += 1;
        heard += 1;
      } else {
        expect(run.code).toBe(how);
        ends[how] += 1;
      }
    }
    // Closer to where as many are heard as not, whatever else the machine does.
    aim *= heard > AT_ONCE / 2 ? 0.8 : 1.25;
  }
  // Otherwise nothing was near.
  expect(Math.min(ends.answered, ends.deadline + ends.cancelled), JSON.stringify(ends)).toBeGreaterThan(50);
});
