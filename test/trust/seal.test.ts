import { utimesSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { readFileStamp } from '../../src/trust/index.ts';
import { trustBench } from './support.ts';

test('F62 the stamp of a script that changed just now is never the same, so that a second change cannot hide', async () => {
  const path = trustBench().write('a.sh', 'good');
  expect(readFileStamp(path)).not.toEqual(readFileStamp(path));
  await sleep(250);
  expect(readFileStamp(path)).toEqual(readFileStamp(path));
});

test('F62 setting the time of a script back does not bring its stamp back', async () => {
  const path = trustBench().write('a.sh', 'good');
  utimesSync(path, 1, 1);
  await sleep(250);
  const before = readFileStamp(path);
  writeFileSync(path, 'evil');
  utimesSync(path, 1, 1);
  await sleep(250);
  expect(readFileStamp(path)).not.toEqual(before);
});
