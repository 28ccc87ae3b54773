import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { run } from '../../../src/handlers/stages/run.ts';
import { first, hook, partsWith, watched } from './support.ts';

test('the stage run has every hook run to its end, and gives the results in configured order', async () => {
  const slow = hook('slow', () => sleep(20, { decision: 'allow' }));
  const parts = partsWith([slow, hook('quick', () => ({ decision: 'deny' }))]);
  const { told, watched: running } = watched(parts);
  const results = await first(run(parts, running));
  expect(results.map(({ hookConfig, output }) => [hookConfig.name, output?.decision])).toEqual([
    ['slow', 'allow'],
    ['quick', 'deny'],
  ]);
  expect(told).toEqual(['started 0', 'started 1', 'ended 1', 'ended 0']);
});
