// Time in tests: what hooks read as `timestamp`, and what stands in traces.
import { createHooks } from 'hookwright';
import { fakeClock, fixtureHook } from 'hookwright/testing';
import { expect, test } from 'vitest';

test('the hook sees the next day', async () => {
  const clock = fakeClock({ start: '2026-03-28T23:59:00.000Z' });
  const diary = fixtureHook.answers();
  const hooks = await createHooks({ deps: { clock }, hooks: { SessionStart: [{ hooks: [diary] }] } });
  await hooks.sessionStart({ source: 'startup' });
  clock.advance(60_000);
  await hooks.sessionStart({ source: 'resume' });
  expect(diary.received.map(({ timestamp }) => timestamp)).toEqual([
    '2026-03-28T23:59:00.000Z',
    '2026-03-29T00:00:00.000Z',
  ]);
  await hooks.close();
});
