import { describe, expect, test } from 'vitest';
import { fuzz } from '../support/fuzz/fuzz.ts';

test('R681 nothing that takes the text of others crashes or waits, whatever it is', { timeout: 60_000 }, async () => {
  const reports = await fuzz({ seed: 681, cases: 1_500, msEach: 6_000 });
  expect(reports.flatMap(({ name, findings }) => findings.map((finding) => `${name}: ${finding}`))).toEqual([]);
  for (const { cases } of reports) expect(cases).toBeGreaterThan(100);
});

describe('R1012 outputs that follow from a seed', () => {
  const findings = async (only: string, seed: number): Promise<string[]> => {
    const reports = await fuzz({ seed, cases: 4_000, msEach: 20_000, only });
    expect(reports).toMatchObject([{ name: only, cases: expect.toSatisfy((cases: number) => cases > 500) }]);
    return reports.flatMap((report) => [...report.findings]);
  };

  test.each([1, 2, 3])(
    'around a denial are never no opinion and never an allow (seed %i)',
    { timeout: 60_000 },
    async (seed) => {
      expect(await findings('denials', seed)).toEqual([]);
    },
  );

  test.each([1, 2])('without a denial are no verdict and no fault (seed %i)', { timeout: 60_000 }, async (seed) => {
    expect(await findings('no denials', seed)).toEqual([]);
  });
});
