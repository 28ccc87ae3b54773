import { targets as allTargets } from './targets.ts';
import { mutated, type Numbers, numbersFrom } from './texts.ts';

/** More of a processor than this nobody spends on one text of at most 20,000 characters. */
const MAX_CASE_MS = 1_000;

/** And longer than this nobody waits for it. Of a busy machine, where reading a file may take a second, it says nothing. */
const MAX_WAIT_MS = 5_000;

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

const usedMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
};

/** What a case costs at least, of several tries where the first cost too much. */
const costOf = async (run: () => unknown): Promise<{ readonly ms: number; readonly isTooMuch: boolean }> => {
  let least = { ms: Number.POSITIVE_INFINITY, isTooMuch: true };
  for (let count = 0; count < TRIES && least.isTooMuch; count += 1) {
    const startedAt = performance.now();
    const before = usedMs();
    await run();
    const ms = performance.now() - startedAt;
    const isTooMuch = ms > MAX_WAIT_MS || Math.min(ms, usedMs() - before) > MAX_CASE_MS;
    if (ms < least.ms) least = { ms, isTooMuch };
  }
  return least;
};

/** Feeds every place that takes somebody else's text with texts that follow from the seed. */
export const fuzz = async ({ seed, cases, msEach, only }: FuzzOptions): Promise<FuzzReport[]> => {
  const reports: FuzzReport[] = [];
  for (const { name, corpus = [], make = (next: Numbers) => mutated(corpus, next), run } of allTargets.filter(
    (target) => only === undefined || target.name === only,
  )) {
    const next = numbersFrom(seed);
    const findings: string[] = [];
    const until = performance.now() + msEach;
    let done = 0;
    let slowestMs = 0;
    for (; done < cases && performance.now() < until && findings.length < 5; done += 1) {
      const text = make(next);
      try {
        const { ms, isTooMuch } = await costOf(() => run(text));
        slowestMs = Math.max(slowestMs, ms);
        if (isTooMuch) findings.push(`case ${done} took ${Math.round(ms)} ms: ${JSON.stringify(text)}`);
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
