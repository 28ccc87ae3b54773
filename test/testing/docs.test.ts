import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { Config, MessageBus } from '../../src/index.ts';
import { hostCoverage } from '../../src/testing/index.ts';

test('the page about testing names every path of the coverage kit, and no other', async () => {
  const { uncovered: known } = await hostCoverage({ config: new Config({ enableHooks: true, bus: new MessageBus() }) });
  const page = readFileSync('docs/testing-your-hooks.md', 'utf8');
  const table = page.slice(page.indexOf('| Path |')).split('\n\n')[0] ?? '';
  const cells = table
    .split('\n')
    .slice(2)
    .flatMap((line) => line.split(' | ')[0]?.replace(/^\| /, '') ?? []);
  const named = cells.flatMap((cell) => cell.split('; '));
  expect(named.toSorted()).toEqual(known.toSorted());
});
