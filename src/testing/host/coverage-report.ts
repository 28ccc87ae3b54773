import type { HookEventName } from '../../events/index.ts';
import { printable } from '../../kit/index.ts';
import { tableOf } from '../text-table.ts';

/** What came of one path. */
export interface PathReport {
  readonly path: string;
  /** The events it has to fire. */
  readonly expected: readonly HookEventName[];
  /** The events that were fired while it was walked. */
  readonly seen: readonly string[];
  readonly ok: boolean;
  /** What is wrong, in sentences that begin with the path. */
  readonly problems: readonly string[];
}

export interface CoverageReport {
  readonly paths: readonly PathReport[];
  /** The names of paths that were not walked, because the driver has no means to. */
  readonly uncovered: readonly string[];
  /** True when paths were walked and nothing is wrong with any; `uncovered` paths do not count. */
  readonly ok: boolean;
  toText(): string;
}

/** A path that was not walked, and what it would take. */
export interface Uncovered {
  readonly path: string;
  readonly why: string;
}

const seenText = (seen: readonly string[]): string => {
  const counts = new Map<string, number>();
  for (const event of seen) counts.set(event, (counts.get(event) ?? 0) + 1);
  return [...counts].map(([event, count]) => (count === 1 ? event : `${event} × ${count}`)).join(', ');
};

const summaryOf = (paths: readonly PathReport[]): string => {
  if (paths.length === 0) return 'Host coverage: no path was walked, so nothing is known about this agent.';
  const good = paths.filter(({ ok }) => ok).length;
  return `Host coverage: ${good} of ${paths.length} paths produce the events they must.`;
};

/** By what stands in the way: giving the driver one thing often opens several paths. */
const uncoveredText = (uncovered: readonly Uncovered[]): readonly string[] => {
  const byReason = new Map<string, string[]>();
  for (const { path, why } of uncovered) byReason.set(why, [...(byReason.get(why) ?? []), path]);
  return [...byReason].map(([why, paths]) => `  ${why}: ${paths.join('; ')}`);
};

const reportText = (paths: readonly PathReport[], uncovered: readonly Uncovered[]): string => {
  const problems = paths.flatMap((path) => path.problems);
  const table = tableOf(
    ['path', '', 'events'],
    paths.map(({ path, ok, seen }) => [path, ok ? 'ok' : 'WRONG', seenText(seen)]),
    Number.POSITIVE_INFINITY,
  );
  const lines = [
    summaryOf(paths),
    ...(paths.length === 0 ? [] : ['', table]),
    ...(problems.length === 0 ? [] : ['', 'What is wrong:', ...problems.map((problem) => `  ${problem}`)]),
    ...(uncovered.length === 0 ? [] : ['', 'Not covered:', ...uncoveredText(uncovered)]),
  ];
  return printable(lines.join('\n'), 'lines');
};

export const reportOf = (paths: readonly PathReport[], uncovered: readonly Uncovered[]): CoverageReport => ({
  paths,
  uncovered: uncovered.map(({ path }) => path),
  ok: paths.length > 0 && paths.every(({ ok }) => ok),
  toText: () => reportText(paths, uncovered),
});
