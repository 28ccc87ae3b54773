import { join } from 'node:path';
import { expect, test } from 'vitest';
import { hashScript } from '../../../src/config/trust/scripts/read-script.ts';
import { trustBench } from './support.ts';

test('R820 what is read of scripts in one look at the machine has an end: so many files, and so many bytes', async () => {
  const bench = trustBench();
  const files = ['a', 'b', 'c', 'd'].map((name) => bench.write(name, name.repeat(600)));
  const left = { files: 3, bytes: 1_500 };
  const read = [];
  for (const file of files) read.push(await hashScript(file, left));
  const known = { sha256: expect.stringMatching(/^[0-9a-f]{64}$/) };
  expect(read).toEqual([known, known, { not: 'small-enough' }, { not: 'small-enough' }]);
  expect(await hashScript(join(bench.project, 'd'), { files: 1, bytes: 1_500 })).toEqual(known);
  expect(await hashScript(join(bench.project, 'd'), { files: 0, bytes: 1_500 })).toEqual({ not: 'small-enough' });
});
