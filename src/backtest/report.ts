import type { BacktestProblem } from './collect.ts';
import type { Decision } from './deciding/decision.ts';
import type { DecisionKind } from './deciding/diff.ts';
import { reportText } from './table.ts';

/** One recorded decision, and what it would be under the other configuration. */
export interface DecisionDiff {
  /** The line of the request. */
  readonly line: number;
  /** The file of the line, where a recording has several. */
  readonly file?: string;
  readonly correlationId: string;
  readonly eventName: string;
  /** What matchers were compared with, such as the name of a tool. */
  readonly subject?: string;
  /** The worst first; `unchanged` stands alone. */
  readonly kinds: readonly DecisionKind[];
  readonly before: Decision;
  readonly after: Decision;
  /** What differs, to be read: `tool_input.command: "a" → "b"`. */
  readonly details: readonly string[];
}

export interface BacktestReport {
  readonly mode: 'dry' | 'real';
  /** What was run and what was not. */
  readonly notice: string;
  /** How many decisions were compared. */
  readonly total: number;
  /** How many decisions are of each kind. One decision can be of several. */
  readonly counts: Readonly<Record<DecisionKind, number>>;
  /** In the order of the session; those that are unchanged only with `keepUnchanged`. */
  readonly decisions: readonly DecisionDiff[];
  /** What of the session could not be compared or read. */
  readonly problems: readonly BacktestProblem[];
  /** A table of at most 80 columns, the worst first, with the counts in its last line. */
  toText(): string;
}

/** A session of which every line is a problem must not fill the memory with them. */
const MAX_PROBLEMS = 1_000;

/** Counts everything and keeps what is worth showing. */
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
