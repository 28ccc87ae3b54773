import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writeTrustLock } from '../../src/index.ts';
import { one, trustBench } from './support.ts';

const invisible = /[\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/u;

test('R680 the store and the lock file have nothing in them that cannot be seen', async () => {
  const bench = trustBench();
  const hooks = one({ name: 'a\u202eb\u200b\u{e0041}', command: './x.sh \u2066' });
  bench.write('.hookwright/settings.json', '{}');
  await bench.approveAll(hooks);
  await writeTrustLock(bench.configOf(hooks));
  const store = readFileSync(join(bench.home, '.hookwright/trust.json'), 'utf8');
  const lock = readFileSync(join(bench.project, '.hookwright/trust.lock.json'), 'utf8');
  expect([invisible.test(store), invisible.test(lock)]).toEqual([false, false]);
  expect(store).toContain('\\u202e');
  expect(await bench.verdicts(hooks)).toEqual(['run']);
});
