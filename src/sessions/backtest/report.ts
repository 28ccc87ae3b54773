// The report of a backtest: counts of decisions by kind of difference, the decisions, and both as a text table.
import { printable } from '../../kit/index.ts';
import type { BacktestProblem } from './collect-exchanges.ts';
import { type DecisionKind, decisionKinds } from './deciding/compare-decisions.ts';
import type { Decision } from './deciding/decision.ts';

export interface DecisionDiff {
  readonly line: number;
  readonly file?: string;
  readonly correlationId: string;
  readonly eventName: string;
  /** The value that hooks' matchers are compared with, such as the name of a tool. */
  readonly subject?: string;
  /** Kinds of differences, worst first. `unchanged` is never combined with other kinds. */
  readonly kinds: readonly DecisionKind[];
  readonly before: Decision;
  readonly after: Decision;
  readonly details: readonly string[];
}

export interface BacktestReport {
  readonly mode: 'dry' | 'real';
  readonly notice: string;
  readonly total: number;
  readonly counts: Readonly<Record<DecisionKind, number>>;
  /** Decisions in the order of the session. Unchanged decisions are included only with `keepUnchanged`. */
  readonly decisions: readonly DecisionDiff[];
  readonly problems: readonly BacktestProblem[];
  /** A table at most 80 columns wide with the worst decisions first and the counts in the last line. */
  toText(): string;
}

/** Every line of a broken session may be a problem. */
const MAX_REPORTED_PROBLEMS = 1_000;

export class DecisionTally {
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
    if (this.#problems.length >= MAX_REPORTED_PROBLEMS) return;
    const isLast = this.#problems.length === MAX_REPORTED_PROBLEMS - 1;
    this.#problems.push(isLast ? { message: 'further problems are not listed' } : problem);
  };

  report(mode: 'dry' | 'real', notice: string): BacktestReport {
    const decisions = this.#kept.sort((a, b) => a.index - b.index).map(({ diff }) => diff);
    const facts = { mode, notice, total: this.total, counts: this.counts, decisions, problems: this.#problems };
    return { ...facts, toText: () => formatBacktestReport(facts) };
  }
}

const MAX_LINE_WIDTH = 80;

const MAX_TABLE_ROWS = 100;

const NO_BREAK_SPACE = '\u00a0';

const wrapText = (text: string, width: number): string[] => {
  const lines: string[] = [];
  let rest = printable(text).trimEnd();
  while (rest.length > width) {
    const space = rest.lastIndexOf(' ', width);
    const end = space > width / 3 ? space : width;
    lines.push(rest.slice(0, end).trimEnd());
    rest = rest.slice(end).trimStart();
  }
  lines.push(rest);
  return lines.map((line) => line.replaceAll(NO_BREAK_SPACE, ' '));
};

export const wrapWithIndent = (text: string, indent: number, hanging: number = indent): string[] => {
  const [first = '', ...others] = wrapText(text, MAX_LINE_WIDTH - Math.max(indent, hanging));
  return [' '.repeat(indent) + first, ...others.map((line) => ' '.repeat(hanging) + line)];
};

const tableColumns = [
  { title: 'line', width: 10 },
  { title: 'times', width: 5 },
  { title: 'event', width: 27 },
  { title: 'what changed', width: 30 },
] as const;

const formatRow = (cells: readonly string[]): string[] => {
  const wrapped = tableColumns.map(({ width }, index) => wrapText(cells[index] ?? '', width));
  const height = Math.max(...wrapped.map(({ length }) => length));
  return Array.from({ length: height }, (_, at) =>
    `  ${tableColumns.map(({ width }, index) => (wrapped[index]?.[at] ?? '').padEnd(width)).join('  ')}`.trimEnd(),
  );
};

interface DecisionGroup {
  readonly first: DecisionDiff;
  times: number;
}

const rankDiff = ({ kinds }: DecisionDiff): number => decisionKinds.findIndex((kind) => kinds.includes(kind));

const groupDecisions = (decisions: readonly DecisionDiff[]): DecisionGroup[] => {
  const groups = new Map<string, DecisionGroup>();
  for (const diff of decisions) {
    const key = JSON.stringify([diff.eventName, diff.subject, diff.kinds, diff.details]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { first: diff, times: 1 });
    else group.times += 1;
  }
  return [...groups.values()].sort((a, b) => rankDiff(a.first) - rankDiff(b.first));
};

const formatGroup = ({ first, times }: DecisionGroup): string[] => {
  const { line, eventName, subject, kinds, details } = first;
  const about = subject === undefined ? eventName : `${eventName} ${subject}`;
  return [
    ...formatRow([String(line), String(times), about, kinds.join(', ')]),
    ...details.flatMap((detail) => wrapWithIndent(detail, 14, 16)),
  ];
};

const formatCounts = (total: number, counts: Readonly<Record<DecisionKind, number>>): string => {
  const some = decisionKinds.filter((kind) => counts[kind] > 0 || kind === 'unchanged');
  const noun = total === 1 ? 'decision' : 'decisions';
  return `${total} ${noun}: ${some.map((kind) => `${counts[kind]}${NO_BREAK_SPACE}${kind}`).join(', ')}`;
};

const MAX_PRINTED_PROBLEMS = 10;

const formatProblems = (problems: BacktestReport['problems']): string[] => {
  const shown = problems
    .slice(0, MAX_PRINTED_PROBLEMS)
    .flatMap(({ line, message }) => wrapWithIndent(line === undefined ? message : `line ${line}: ${message}`, 2, 4));
  const left = problems.length - MAX_PRINTED_PROBLEMS;
  return left <= 0 ? shown : [...shown, `  and ${left} more problems`];
};

const formatBacktestReport = (report: Omit<BacktestReport, 'toText'>): string => {
  const changed = report.decisions.filter(({ kinds }) => !kinds.includes('unchanged'));
  const groups = groupDecisions(changed);
  const shown = groups.slice(0, MAX_TABLE_ROWS);
  const left = groups.length - shown.length;
  const header = [
    ...formatRow(tableColumns.map(({ title }) => title)),
    ...formatRow(tableColumns.map(({ width }) => '─'.repeat(width))),
  ];
  return [
    ...wrapWithIndent(report.notice, 0),
    '',
    ...(shown.length === 0 ? [] : [...header, ...shown.flatMap(formatGroup), '']),
    ...(left === 0 ? [] : [`  and ${left} more rows, which are in the data`, '']),
    ...(report.problems.length === 0 ? [] : [...formatProblems(report.problems), '']),
    ...wrapWithIndent(formatCounts(report.total, report.counts), 0),
  ].join('\n');
};
