// `races`: runs the hooks of an event in many orders and at many start times, and reports pairs that race.
import type { TriggerConfig } from '../../../config.ts';
import { createInvalidArgument, HookwrightError } from '../../../errors.ts';
import { catalogue, type HookEventName, type PayloadOf } from '../../../events/index.ts';
import { describeValue, expectKnown, isPositiveNumber, isRecord } from '../../../kit/index.ts';
import { type HookRow, isUnapproved } from '../../../protocol/index.ts';
import { formatPreview } from '../compare-fields.ts';
import { wrapWithIndent } from '../report.ts';
import {
  expectEventName,
  expectPositiveCount,
  openTrialEngine,
  type PlannedRequest,
  planRequest,
  type TrialEngine,
  throwIfAborted,
} from '../trial-engine.ts';
import { RaceRunner } from './race-runner.ts';
import { type RaceFinding, RaceSearch } from './race-search.ts';

export interface RaceEvent<E extends HookEventName = HookEventName> {
  readonly eventName: E;
  /** Payload of the event with its wire names, such as `{tool_name: 'Bash', tool_input: {…}}`. */
  readonly payload: PayloadOf<E>;
}

export interface RaceOptions {
  /** Number of orders to try, including the configured one. Default: 24, all orders of four hooks. */
  readonly orders?: number | undefined;
  /**
   * Milliseconds between the starts of two hooks. Each value is tried with other start orders; 0 starts all hooks at
   * once. Default: `[0, 20]`. Use values above the duration of the hooks.
   */
  readonly latencies?: readonly number[] | undefined;
  /** Called and awaited before each run, to undo side effects of the hooks. */
  readonly reset?: (() => unknown) | undefined;
  /** Deadline of one run in milliseconds, not counting delayed starts. */
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface RaceReport {
  readonly runs: number;
  readonly findings: readonly RaceFinding[];
  readonly unsteady: readonly string[];
  readonly notice: string;
  toText(): string;
}

const DEFAULT_ORDERS = 24;
const DEFAULT_LATENCIES_MS: readonly number[] = [0, 20];

const MAX_LATENCY_MS = 60_000;

const isLatencyMs = (value: unknown): boolean =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 && value <= MAX_LATENCY_MS;

const raceOptionNames = ['orders', 'latencies', 'reset', 'timeoutMs', 'signal'] satisfies (keyof RaceOptions)[];

const checkArguments = (event: RaceEvent, options: RaceOptions): void => {
  expectKnown('races', options, raceOptionNames);
  const { orders, latencies, timeoutMs } = options;
  if (!isRecord(event))
    throw createInvalidArgument(`races needs an event, {eventName, payload}; got ${describeValue(event)}`);
  expectEventName(event.eventName);
  expectPositiveCount('orders', orders);
  if (latencies !== undefined && !(Array.isArray(latencies) && latencies.every(isLatencyMs))) {
    throw createInvalidArgument(
      `latencies must be a list of milliseconds up to ${MAX_LATENCY_MS}, got ${describeValue(latencies)}`,
    );
  }
  if (timeoutMs !== undefined && !isPositiveNumber(timeoutMs)) {
    throw createInvalidArgument(`timeoutMs must be milliseconds over 0, got ${describeValue(timeoutMs)}`);
  }
};

const formatFinding = ({ hooks: [a, b], field, results: [first, second], how }: RaceFinding): string[] => {
  const [one, other] = how === 'order' ? ['configured', 'order'] : ['started', 'start'];
  return [
    ...wrapWithIndent(`${a} and ${b}: ${field}, by ${other}`, 2, 4),
    ...wrapWithIndent(`${a} ${one} first: ${formatPreview(first)}`, 6, 8),
    ...wrapWithIndent(`${b} ${one} first: ${formatPreview(second)}`, 6, 8),
  ];
};

const createRaceReport = (facts: Omit<RaceReport, 'toText'>): RaceReport => {
  const { findings, notice } = facts;
  const count = findings.length === 0 ? 'No races were found.' : `${findings.length} found:`;
  const toText = () => [...wrapWithIndent(notice, 0), '', count, ...findings.flatMap(formatFinding)].join('\n');
  return { ...facts, toText };
};

const describeUnapproved = (rows: readonly HookRow[]): string => {
  const unapproved = rows.filter(({ reasons = [] }) => reasons.length > 0 && reasons.every(isUnapproved));
  return unapproved.length === 0
    ? ''
    : ` Not approved, so not tried: ${unapproved.map(({ name }) => name).join(', ')}.`;
};

const createEmptyReport = (eventName: string, { hooks, rows }: Pick<PlannedRequest, 'hooks' | 'rows'>): RaceReport => {
  const what = hooks.length === 0 ? 'no hook would run' : 'only one hook would run';
  const notice = `Nothing was run: for this ${eventName} ${what}, so there are no two that could race.${describeUnapproved(rows)}`;
  return createRaceReport({ runs: 0, findings: [], unsteady: [], notice });
};

const createNotice = (names: readonly string[], runs: number, search: RaceSearch<HookEventName>): string => {
  const sentences = [
    `Real runs: ${names.join(', ')} were run ${runs} times, all or some of them, with real side effects.`,
  ];
  for (const [field, name] of search.varying) sentences.push(`Not compared: ${field}, which ${name} varies by itself.`);
  for (const field of search.unsteady)
    sentences.push(`Unexplained: ${field} differs between two runs of the same order.`);
  return sentences.join(' ');
};

const searchRaces = async <E extends HookEventName>(
  engine: TrialEngine,
  { eventName, payload }: RaceEvent<E>,
  planned: PlannedRequest,
  options: RaceOptions,
  signal: AbortSignal,
): Promise<RaceReport> => {
  const { orders = DEFAULT_ORDERS, latencies = DEFAULT_LATENCIES_MS, timeoutMs, reset } = options;
  const names = planned.hooks.map(({ row }) => row.name);
  const runs = new RaceRunner(engine, eventName, payload, planned, { timeoutMs, reset, signal });
  const search = new RaceSearch(runs, { names, sequential: planned.sequential, orders, latencies, signal });
  try {
    await search.search();
  } finally {
    await runs.dispose();
  }
  const { findings, unsteady } = search;
  const notice = createNotice(names, runs.count, search) + describeUnapproved(planned.rows);
  return createRaceReport({ runs: runs.count, findings, unsteady: [...unsteady], notice });
};

/**
 * Really runs the hooks of an event many times, in other orders and at other times than configured. Reports pairs of
 * hooks whose order or timing changes the merged answer. Rejects for invalid arguments, if hooks cannot be loaded, and
 * when cancelled.
 */
export const races = async <E extends HookEventName>(
  config: TriggerConfig,
  event: RaceEvent<E>,
  options: RaceOptions = {},
): Promise<RaceReport> => {
  checkArguments(event, options);
  const { eventName } = event;
  const read = catalogue[eventName].read(event.payload);
  if (!read.ok) throw new HookwrightError('validation_failure', `${eventName}: ${read.message}`);
  const { signal } = options;
  throwIfAborted(signal, 'The search for races');
  const engine = await openTrialEngine(config);
  if (engine === undefined) return createEmptyReport(eventName, { hooks: [], rows: [] });
  const planned = planRequest(engine.planner, eventName, read.payload);
  if (planned.hooks.length < 2) return createEmptyReport(eventName, planned);
  // A separate signal, because Node warns if many hooks listen to the host's signal.
  const ending = AbortSignal.any(signal === undefined ? [] : [signal]);
  return searchRaces(engine, { eventName, payload: read.payload }, planned, options, ending);
};
