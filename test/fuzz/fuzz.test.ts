import { expect, test } from 'vitest';
import { fuzz } from '../support/fuzz/fuzz.ts';

test('R681 nothing that takes the text of others crashes or waits, whatever it is', { timeout: 60_000 }, async () => {
  const reports = await fuzz({ seed: 681, cases: 1_500, msEach: 6_000 });
  expect(reports.flatMap(({ name, findings }) => findings.map((finding) => `${name}: ${finding}`))).toEqual([]);
  for (const { cases } of reports) expect(cases).toBeGreaterThan(100);
});
