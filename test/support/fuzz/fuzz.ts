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
  /** The name of a target; all of them where there is none. */
  readonly only?: string | undefined;
}

/** A text that takes long does so every time; what a busy machine takes from us by chance it does not. */
const TRIES = 3;

const shortest = async (run: () => unknown): Promise<number> => {
  let least = Number.POSITIVE_INFINITY;
  for (let count = 0; count < TRIES && least > MAX_CASE_MS; count += 1) {
    const startedAt = performance.now();
    await run();
    least = Math.min(least, performance.now() - startedAt);
  }
  return least;
};

/** Feeds every place that takes somebody else's text with texts that follow from the seed. */
export const fuzz = async ({ seed, cases, msEach, only }: FuzzOptions): Promise<FuzzReport[]> => {
  const reports: FuzzReport[] = [];
  for (const { name, corpus, run } of allTargets.filter((target) => only === undefined || target.name === only)) {
    const next = numbersFrom(seed);
    const findings: string[] = [];
    const until = performance.now() + msEach;
    let done = 0;
    let slowestMs = 0;
    for (; done < cases && performance.now() < until && findings.length < 5; done += 1) {
      const text = mutated(corpus, next);
      try {
        const took = await shortest(() => run(text));
        slowestMs = Math.max(slowestMs, took);
        if (took > MAX_CASE_MS) findings.push(`case ${done} took ${Math.round(took)} ms: ${JSON.stringify(text)}`);
      } catch (error) {
        findings.push(
          `case ${done}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}: ${JSON.stringify(text)}`,
        );
      }
    }
    reports.push({ name, cases: done, slowestMs: Math.round(slowestMs), findings });
  }
  return reports;
};
