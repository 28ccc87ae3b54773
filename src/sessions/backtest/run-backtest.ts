// `backtest`: decides the requests of a recording again under another configuration, and reports the differences.
import type { TriggerConfig } from '../../config.ts';
import { createInvalidArgument } from '../../errors.ts';
import { catalogue, type HookEventName, hookEventNames, isHookEventName, type PayloadOf } from '../../events/index.ts';
import { describeValue, expectKnown, isRecord, omitUndefined, waitForNextTurn } from '../../kit/index.ts';
import type { HookExecutionRequest } from '../../protocol/index.ts';
import { locateEntry } from '../index.ts';
import {
  collectExchanges,
  countRequests,
  hookExchangeGuards,
  type RecordedExchange,
  type RecordedSession,
} from './collect-exchanges.ts';
import { compareDecisions } from './deciding/compare-decisions.ts';
import { decideFromRecording, RealHookRunner } from './deciding/decide-again.ts';
import { createEmptyOutcome, extractDecision, getRecordedPayload, type TrialOutcome } from './deciding/decision.ts';
import { type BacktestReport, type DecisionDiff, DecisionTally } from './report.ts';
import { expectKnownNames, expectNames, expectPositiveCount, openTrialEngine, throwIfAborted } from './trial-engine.ts';

export interface BacktestOptions {
  /**
   * True (default): recorded answers are merged again and no hook runs. False: the configured hooks run, with all their
   * side effects.
   */
  readonly dry?: boolean | undefined;
  /** Names or ids of the hooks that may run; all other hooks give their recorded answers. Needs `dry: false`. */
  readonly only?: readonly string[] | undefined;
  /** Number of requests decided at the same time, 4 by default; 1 keeps the recorded order. Needs `dry: false`. */
  readonly concurrency?: number | undefined;
  readonly events?: readonly string[] | undefined;
  readonly tools?: readonly string[] | undefined;
  /** Unchanged decisions are always counted; true also lists them in the report. */
  readonly keepUnchanged?: boolean | undefined;
  /**
   * Called after each decision that ran hooks, from time to time in a dry run, and at the end. `total` is known before
   * the end only if hooks run and the session can be read twice.
   */
  readonly onProgress?: ((progress: BacktestProgress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

const backtestOptionNames = [
  'dry',
  'only',
  'concurrency',
  'events',
  'tools',
  'keepUnchanged',
  'onProgress',
  'signal',
] satisfies (keyof BacktestOptions)[];

export interface BacktestProgress {
  readonly done: number;
  readonly total?: number;
}

const DEFAULT_CONCURRENCY = 4;

const DECISIONS_PER_TURN = 500;

const readToolName = ({ payload, input }: HookExecutionRequest): unknown => {
  const fields = payload ?? input;
  return isRecord(fields) ? fields.tool_name : undefined;
};

const createRequestFilter =
  ({ events, tools }: BacktestOptions) =>
  (request: HookExecutionRequest): boolean => {
    if (events !== undefined && !events.includes(request.eventName)) return false;
    const tool = readToolName(request);
    return tools === undefined || (typeof tool === 'string' && tools.includes(tool));
  };

const checkArguments = (session: RecordedSession, options: BacktestOptions): void => {
  const isSession = isRecord(session) || Array.isArray(session);
  if (!isSession || !(Symbol.asyncIterator in session || Symbol.iterator in session)) {
    throw createInvalidArgument(
      `backtest needs a session, such as readSession(file) gives; got ${describeValue(session)}`,
    );
  }
  expectKnown('backtest', options, backtestOptionNames);
  const { dry, only, events, tools, concurrency } = options;
  if (dry !== undefined && typeof dry !== 'boolean')
    throw createInvalidArgument(`dry must be true or false, got ${describeValue(dry)}`);
  expectNames('only', only);
  expectNames('events', events);
  expectNames('tools', tools);
  expectKnownNames('no event', events, hookEventNames);
  expectPositiveCount('concurrency', concurrency);
  if (only !== undefined && dry !== false) {
    throw createInvalidArgument(
      'only says which hooks may really run; give it together with dry: false, or leave it out',
    );
  }
};

type RequestDecider = <E extends HookEventName>(
  eventName: E,
  payload: PayloadOf<E>,
  recorded: RecordedExchange,
) => TrialOutcome | Promise<TrialOutcome>;

const hooksOffNotice = 'Hooks are off in this configuration, so it decides nothing. ';
const dryRunNotice = 'Dry run: no hook was run; their recorded answers were merged anew.';

const createRealRunNotice = (runs: ReadonlyMap<string, number>): string => {
  if (runs.size === 0) return 'Real run: no hook matched, so none was run.';
  const times = [...runs].map(([name, count]) => `${name} ${count === 1 ? 'once' : `${count} times`}`);
  return `Real run: hooks were run and had their real side effects: ${times.join(', ')}.`;
};

const createAbilitiesNotice = (count: number): string =>
  `Not compared: ${count} ${count === 1 ? 'event' : 'events'} of abilities; backtestAbilities compares them.`;

const MAX_SHOWN_NOTES = 5;

const appendNotes = (notice: string, notes: ReadonlySet<string>): string => {
  const shown = [...notes].slice(0, MAX_SHOWN_NOTES);
  const left = notes.size - shown.length;
  const listed = left === 0 ? shown : [...shown, `and ${left} more of this kind`];
  return listed.length === 0 ? notice : `${notice} Note: ${listed.join('; ')}.`;
};

const findDifference = (
  recorded: RecordedExchange,
  subject: string | undefined,
  { decision: after, notes }: TrialOutcome,
  mode: BacktestReport['mode'],
): DecisionDiff => {
  const { request, trace, isShortened } = recorded;
  const { eventName, correlationId } = request;
  const before = extractDecision(recorded);
  const { kinds, details } = compareDecisions(before, after, {
    payload: getRecordedPayload(recorded),
    isTraced: trace !== undefined,
    isReal: mode === 'real',
  });
  if (isShortened) details.push('long texts were cut when this was recorded');
  details.push(...notes);
  const about = { correlationId, eventName, ...omitUndefined({ subject }) };
  return { ...locateEntry(recorded), ...about, kinds, before, after, details };
};

/** `undefined` if the request was cut so much when it was recorded that it cannot be decided again. */
const decideExchange = async (
  decide: RequestDecider,
  recorded: RecordedExchange,
): Promise<{ readonly subject?: string | undefined; readonly outcome: TrialOutcome } | undefined> => {
  const { eventName } = recorded.request;
  return isHookEventName(eventName)
    ? decideEvent(decide, recorded, eventName)
    : { outcome: createEmptyOutcome('unsupported_event') };
};

const decideEvent = async <E extends HookEventName>(
  decide: RequestDecider,
  recorded: RecordedExchange,
  eventName: E,
) => {
  const read = catalogue[eventName].read(getRecordedPayload(recorded));
  if (!read.ok && recorded.isRequestShortened) return undefined;
  if (!read.ok) return { outcome: createEmptyOutcome('validation_failure') };
  const outcome = await decide(eventName, read.payload, recorded);
  return { subject: catalogue[eventName].subject?.of(read.payload), outcome };
};

/**
 * Decides recorded requests again under another configuration and reports decisions that differ. No hook runs unless
 * `dry` is false. Rejects if the session or the hooks cannot be read, for invalid arguments, and when cancelled.
 * Problems of single requests are listed in the report.
 */
export const backtest = async (
  session: RecordedSession,
  config: TriggerConfig,
  options: BacktestOptions = {},
): Promise<BacktestReport> => {
  checkArguments(session, options);
  const { dry = true, only, concurrency = DEFAULT_CONCURRENCY, onProgress, signal } = options;
  throwIfAborted(signal, 'The backtest');
  const engine = await openTrialEngine(config);
  const hooks = engine?.registry.getConfiguredHooks().flatMap(({ hookId, name }) => [name, hookId]);
  if (hooks !== undefined) expectKnownNames('no hook', only, hooks);
  const accepts = createRequestFilter(options);
  const tally = new DecisionTally(options.keepUnchanged === true);
  const total = dry || onProgress === undefined ? undefined : await countRequests(session, accepts);
  const closing = new AbortController();
  const ending = AbortSignal.any(signal === undefined ? [closing.signal] : [signal, closing.signal]);
  const mode = dry ? 'dry' : 'real';
  const run = dry || engine === undefined ? undefined : new RealHookRunner(engine, { only, signal: ending });
  const decide: RequestDecider = (eventName, payload, recorded) => {
    if (dry) return decideFromRecording(engine, eventName, payload, recorded);
    return run?.decide(eventName, payload, recorded) ?? createEmptyOutcome();
  };
  const notes = new Set<string>();

  const add = async (recorded: RecordedExchange): Promise<void> => {
    throwIfAborted(signal, 'The backtest');
    const decided = await decideExchange(decide, recorded);
    throwIfAborted(signal, 'The backtest');
    if (decided === undefined) {
      const message = `${recorded.request.eventName} was cut when it was recorded and is not compared`;
      tally.addProblem({ ...locateEntry(recorded), message });
      return;
    }
    const { subject, outcome } = decided;
    for (const note of outcome.notes) notes.add(note);
    if (recorded.isShortened) notes.add('texts that were cut in the recording are compared by their beginnings');
    tally.add(recorded.index, findDifference(recorded, subject, outcome, mode));
    if (dry && tally.total % DECISIONS_PER_TURN !== 0) return;
    onProgress?.({ done: tally.total, ...omitUndefined({ total }) });
    if (dry) await waitForNextTurn();
  };
  let abilityEvents = 0;
  const onOtherRequest = (): void => {
    abilityEvents += 1;
  };
  const collecting = { accepts, onProblem: tally.addProblem, onOtherRequest };
  const exchanges = collectExchanges(session, hookExchangeGuards, collecting);
  try {
    await forEachInParallel(exchanges, dry ? 1 : concurrency, add);
  } finally {
    closing.abort();
    await run?.dispose();
  }
  for (const problem of session.problems ?? []) tally.addProblem(problem);
  onProgress?.({ done: tally.total, total: tally.total });
  const ran = dry ? dryRunNotice : createRealRunNotice(run?.runs ?? new Map());
  const isFiltered = options.events !== undefined || options.tools !== undefined;
  const left = isFiltered || abilityEvents === 0 ? '' : ` ${createAbilitiesNotice(abilityEvents)}`;
  return tally.report(mode, appendNotes(`${engine === undefined ? hooksOffNotice : ''}${ran}${left}`, notes));
};

export const forEachInParallel = async <Item>(
  items: Iterable<Item> | AsyncIterable<Item>,
  limit: number,
  work: (item: Item) => Promise<void>,
): Promise<void> => {
  const running = new Set<Promise<void>>();
  let failure: { readonly error: unknown } | undefined;
  for await (const item of items) {
    const job: Promise<void> = work(item).then(
      () => void running.delete(job),
      (error: unknown) => {
        running.delete(job);
        failure ??= { error };
      },
    );
    running.add(job);
    if (running.size >= limit) await Promise.race(running);
    if (failure !== undefined) break;
  }
  await Promise.all(running);
  if (failure !== undefined) throw failure.error;
};
