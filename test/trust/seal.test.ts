import { utimesSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { readStamps } from '../../src/trust/judge-subjects.ts';
import { trustBench } from './support.ts';

const subjectOf = (path: string) => ({
  hookId: 'x',
  name: 'x',
  content: {},
  files: [{ named: 'a.sh', path }],
  roots: [],
  notCovered: [],
  kin: [],
});

test('F62 the stamp of a script that changed just now is never the same, so that a second change cannot hide', async () => {
  const path = trustBench().write('a.sh', 'good');
  expect(readStamps(subjectOf(path))).not.toEqual(readStamps(subjectOf(path)));
  await sleep(250);
  expect(readStamps(subjectOf(path))).toEqual(readStamps(subjectOf(path)));
});

test('F62 setting the time of a script back does not bring its stamp back', async () => {
  const path = trustBench().write('a.sh', 'good');
  utimesSync(path, 1, 1);
  await sleep(250);
  const before = readStamps(subjectOf(path));
  writeFileSync(path, 'evil');
  utimesSync(path, 1, 1);
  await sleep(250);
  expect(readStamps(subjectOf(path))).not.toEqual(before);
});
