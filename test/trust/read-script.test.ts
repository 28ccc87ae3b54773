import { truncateSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FileStateReader, hashScript } from '../../src/trust/scripts/file-state-reader.ts';
import { type Bench, trustBench } from './support.ts';

test('R820 a look at the machine reads 10,000 scripts and no more', { timeout: 60_000 }, async () => {
  const bench = trustBench();
  const paths = Array.from({ length: 10_001 }, (_, index) => bench.write(`${index}`, ''));
  expect(await statesIn(bench, paths)).toEqual({ covered: 10_000, 'too-large': 1 });
});

test('R820 a look at the machine reads 256 MiB of scripts and no more', { timeout: 60_000 }, async () => {
  const bench = trustBench();
  const paths = Array.from({ length: 17 }, (_, index) => bench.write(`${index}`, ''));
  for (const path of paths.slice(1)) truncateSync(path, 16 * 2 ** 20);
  truncateSync(paths[0] ?? '', 1);
  expect(await statesIn(bench, paths)).toEqual({ covered: 16, 'too-large': 1 });
});

/** How many of some files are in each state, by one look. */
const statesIn = async ({ project }: Bench, paths: readonly string[]): Promise<Record<string, number>> => {
  const named = paths.map((path) => ({ named: path, path, runs: true as const }));
  const counts: Record<string, number> = {};
  for (const { state } of await new FileStateReader().statesOf(named, [{ label: '', directory: project }])) {
    counts[state] = (counts[state] ?? 0) + 1;
  }
  return counts;
};

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
