import type { TriggerConfig } from '../../../config.ts';
import { HookwrightError, invalidArgument } from '../../../errors.ts';
import { catalogue, type HookEventName, type PayloadOf } from '../../../events/index.ts';
import { describeValue, isRecord, onAbort } from '../../../kit/index.ts';
import { expectCount, expectEvent, type Lab, openLab, type Planned, planFor, refuseAborted } from '../lab.ts';
import { indented } from '../report.ts';
import { shown } from '../values.ts';
import { RaceRuns } from './race-runs.ts';
import { type RaceFinding, RaceSearch } from './race-search.ts';

export interface RaceEvent<E extends HookEventName = HookEventName> {
  readonly eventName: E;
  /** As for any request: only the fields of the event, under their wire names. */
  readonly payload: PayloadOf<E>;
}

export interface RaceOptions {
  /** In how many orders all hooks are tried, the configured one included; 24 by default, which is all of four hooks. */
  readonly orders?: number | undefined;
  /**
   * Milliseconds between the start of one hook and that of the next, each tried in permuted orders of starts; 0 starts
   * all at once. `[0, 20]` by default. Take more than the hooks need for their work, should they need long.
   */
  readonly latencies?: readonly number[] | undefined;
  /** Called before each run and waited for: the place to put back what hooks leave behind. */
  readonly reset?: (() => unknown) | undefined;
  /** Deadline of one run; what starts are held back comes on top. */
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface RaceReport {
  readonly runs: number;
  readonly findings: readonly RaceFinding[];
  /** Fields that change from run to run for a reason that was not found. */
  readonly unsteady: readonly string[];
  readonly notice: string;
  toText(): string;
}

const DEFAULT_ORDERS = 24;
const DEFAULT_LATENCIES: readonly number[] = [0, 20];

/** A longer delay is probably a mistake of units. */
const MAX_LATENCY_MS = 60_000;

const isLatency = (value: unknown): boolean =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 && value <= MAX_LATENCY_MS;

const check = (event: RaceEvent, { orders, latencies, timeoutMs }: RaceOptions): void => {
  if (!isRecord(event))
    throw invalidArgument(`races needs an event, {eventName, payload}; got ${describeValue(event)}`);
  expectEvent(event.eventName);
  expectCount('orders', orders);
  if (latencies !== undefined && !(Array.isArray(latencies) && latencies.every(isLatency))) {
    throw invalidArgument(
      `latencies must be a list of milliseconds up to ${MAX_LATENCY_MS}, got ${describeValue(latencies)}`,
    );
  }
  if (timeoutMs !== undefined && !(typeof timeoutMs === 'number' && timeoutMs > 0)) {
    throw invalidArgument(`timeoutMs must be milliseconds over 0, got ${describeValue(timeoutMs)}`);
  }
};

type Facts = Omit<RaceReport, 'toText'>;

const findingLines = ({ hooks: [a, b], field, results: [first, second], how }: RaceFinding): string[] => {
  const [one, other] = how === 'order' ? ['configured', 'order'] : ['started', 'start'];
  return [
    ...indented(`${a} and ${b}: ${field}, by ${other}`, 2, 4),
    ...indented(`${a} ${one} first: ${shown(first)}`, 6, 8),
    ...indented(`${b} ${one} first: ${shown(second)}`, 6, 8),
  ];
};

const reportText = ({ findings, notice }: Facts): string => {
  const count = findings.length === 0 ? 'No races were found.' : `${findings.length} found:`;
  return [...indented(notice, 0), '', count, ...findings.flatMap(findingLines)].join('\n');
};

const reportOf = (facts: Facts): RaceReport => ({ ...facts, toText: () => reportText(facts) });

const nothingToTry = (eventName: string, { hooks }: Pick<Planned, 'hooks'>): RaceReport => {
  const what = hooks.length === 0 ? 'no hook would run' : 'only one hook would run';
  const notice = `Nothing was run: for this ${eventName} ${what}, so there are no two that could race.`;
  return reportOf({ runs: 0, findings: [], unsteady: [], notice });
};

const noticeOf = (names: readonly string[], runs: number, search: RaceSearch<HookEventName>): string => {
  const sentences = [
    `Real runs: ${names.join(', ')} were run ${runs} times, all or some of them, with real side effects.`,
  ];
  for (const [field, name] of search.varying) sentences.push(`Not compared: ${field}, which ${name} varies by itself.`);
  for (const field of search.unsteady)
    sentences.push(`Unexplained: ${field} differs between two runs of the same order.`);
  return sentences.join(' ');
};

const searchIn = async <E extends HookEventName>(
  lab: Lab,
  { eventName, payload }: RaceEvent<E>,
  planned: Planned,
  options: RaceOptions,
  signal: AbortSignal,
): Promise<RaceReport> => {
  const { orders = DEFAULT_ORDERS, latencies = DEFAULT_LATENCIES, timeoutMs, reset } = options;
  const names = planned.hooks.map(({ row }) => row.name);
  const runs = new RaceRuns(lab, eventName, payload, planned, { timeoutMs, reset, signal });
  const search = new RaceSearch(runs, { names, sequential: planned.sequential, orders, latencies, signal });
  try {
    await search.search();
  } finally {
    await runs.dispose();
  }
  const { findings, unsteady } = search;
  const notice = noticeOf(names, runs.count, search);
  return reportOf({ runs: runs.count, findings, unsteady: [...unsteady], notice });
};

/**
 * Runs the hooks of an event again and again, for real, in other orders and at other times than configured, and says which
 * two of them decide by their order or timing what comes of it. Rejects when it is called wrongly, when the hooks cannot
 * be loaded and when it is cancelled.
 */
export const races = async <E extends HookEventName>(
  config: TriggerConfig,
  event: RaceEvent<E>,
  options: RaceOptions = {},
): Promise<RaceReport> => {
  check(event, options);
  const { eventName } = event;
  const read = catalogue[eventName].read(event.payload);
  if (!read.ok) throw new HookwrightError('validation_failure', `${eventName}: ${read.message}`);
  const { signal } = options;
  refuseAborted(signal, 'The search for races');
  const lab = await openLab(config);
  if (lab === undefined) return nothingToTry(eventName, { hooks: [] });
  const planned = planFor(lab.planner, eventName, read.payload);
  if (planned.hooks.length < 2) return nothingToTry(eventName, planned);
  const closing = new AbortController();
  const stopListening = signal === undefined ? undefined : onAbort(signal, () => closing.abort(signal.reason));
  try {
    return await searchIn(lab, { eventName, payload: read.payload }, planned, options, closing.signal);
  } finally {
    stopListening?.();
  }
};
