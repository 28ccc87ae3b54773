import type { BacktestProblem } from './collect.ts';
import type { DecisionKind } from './deciding/diff.ts';
import type { BacktestReport, DecisionDiff } from './report-text.ts';
import { reportText } from './report-text.ts';

export type { BacktestReport, DecisionDiff } from './report-text.ts';

/** A broken session must not fill the memory with problems. */
const MAX_PROBLEMS = 1_000;

export class Tally {
  total = 0;
  readonly counts: Record<DecisionKind, number> = {
    'newly-allowed': 0,
    unknown: 0,
    'newly-blocked': 0,
    faults: 0,
    'changed-input': 0,
    'changed-verdict': 0,
    'changed-context': 0,
    'changed-order': 0,
    unchanged: 0,
  };
  readonly #keepUnchanged: boolean;
  readonly #kept: { readonly index: number; readonly diff: DecisionDiff }[] = [];
  readonly #problems: BacktestProblem[] = [];

  constructor(keepUnchanged: boolean) {
    this.#keepUnchanged = keepUnchanged;
  }

  add(index: number, diff: DecisionDiff): void {
    this.total += 1;
    for (const kind of diff.kinds) this.counts[kind] += 1;
    if (this.#keepUnchanged || !diff.kinds.includes('unchanged')) this.#kept.push({ index, diff });
  }

  readonly addProblem = (problem: BacktestProblem): void => {
    if (this.#problems.length >= MAX_PROBLEMS) return;
    const isLast = this.#problems.length === MAX_PROBLEMS - 1;
    this.#problems.push(isLast ? { message: 'further problems are not listed' } : problem);
  };

  report(mode: 'dry' | 'real', notice: string): BacktestReport {
    const decisions = this.#kept.sort((a, b) => a.index - b.index).map(({ diff }) => diff);
    const facts = { mode, notice, total: this.total, counts: this.counts, decisions, problems: this.#problems };
    return { ...facts, toText: () => reportText(facts) };
  }
}
