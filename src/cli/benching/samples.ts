/** What several runs of one thing took. */
export interface Samples {
  readonly runs: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
}

/** A hundredth of a millisecond is more than a clock that is shared with other programs knows. */
export const roundedMs = (ms: number): number => Math.round(ms * 100) / 100;

const at = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;

export const samplesOf = (durations: readonly number[]): Samples => {
  const sorted = [...durations].sort((a, b) => a - b);
  const middle = sorted.length % 2 === 0 ? at(sorted, 0.5) : (sorted[(sorted.length - 1) / 2] ?? 0);
  return { runs: sorted.length, p50Ms: roundedMs(middle), p95Ms: roundedMs(at(sorted, 0.95)) };
};
