import { targets as allTargets } from './targets.ts';
import { mutated, numbersFrom } from './texts.ts';

/** Longer than this nobody waits for one text of at most 20,000 characters. */
const MAX_CASE_MS = 1_000;

export interface FuzzReport {
  readonly name: string;
  readonly cases: number;
  readonly slowestMs: number;
  /** What broke, with the text that did it. */
  readonly findings: readonly string[];
}

export interface FuzzOptions {
  readonly seed: number;
  /** Whichever comes first, for each target. */
  readonly cases: number;
  readonly msEach: number;
}

/** Feeds every place that takes somebody else's text with texts that follow from the seed. */
export const fuzz = async ({ seed, cases, msEach }: FuzzOptions): Promise<FuzzReport[]> => {
  const reports: FuzzReport[] = [];
  for (const { name, corpus, run } of allTargets) {
    const next = numbersFrom(seed);
    const findings: string[] = [];
    const until = performance.now() + msEach;
    let done = 0;
    let slowestMs = 0;
    for (; done < cases && performance.now() < until && findings.length < 5; done += 1) {
      const text = mutated(corpus, next);
      const startedAt = performance.now();
      try {
        await run(text);
      } catch (error) {
        findings.push(
          `case ${done}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}: ${JSON.stringify(text)}`,
        );
      }
      const took = performance.now() - startedAt;
      slowestMs = Math.max(slowestMs, took);
      if (took > MAX_CASE_MS) findings.push(`case ${done} took ${Math.round(took)} ms: ${JSON.stringify(text)}`);
    }
    reports.push({ name, cases: done, slowestMs: Math.round(slowestMs), findings });
  }
  return reports;
};
