// Backtests ability hooks: plans other hooks for recorded events and merges their recorded results. Runs no hook.
import { type AbilityEventType, abilityCatalogue, describeDecision, isAbilityEventType } from '../events/index.ts';
import { omitUndefined, printable } from '../kit/index.ts';
import { type AbilityHookResult, mergeAbilityResults } from '../merging/index.ts';
import type { AbilityPlan } from '../planner/index.ts';
import {
  type AbilityEventRequest,
  type AbilityEventResponse,
  type AbilityEventResult,
  createMessageGuards,
  type HookRow,
  MessageBusType,
  ranOrFaulted,
} from '../protocol/index.ts';
import { createFaultResult } from '../runners/index.ts';
import {
  type BacktestProblem,
  collectExchanges,
  createResultFromRow,
  matchRecordedRows,
  type RecordedExchange,
  type RecordedSession,
  type UnknownAnswer,
} from '../sessions/backtest.ts';
import { locateEntry } from '../sessions/index.ts';
import type { AbilityHookSet } from './hook-set.ts';

/** How today's decision differs from the recorded decision, worst first. */
export type AbilityDiffKind = 'newly-allowed' | 'unknown' | 'newly-blocked' | 'changed' | 'unchanged';

export interface AbilityDecisionDiff {
  readonly line: number;
  readonly file?: string;
  readonly correlationId: string;
  readonly eventType: string;
  readonly subject?: string;
  readonly kind: AbilityDiffKind;
  readonly before: string;
  readonly after: string;
  /** Today's hooks without a recorded answer. */
  readonly unknown: readonly UnknownAnswer[];
}

export interface AbilityBacktestReport {
  readonly total: number;
  readonly counts: Readonly<Record<AbilityDiffKind, number>>;
  /** The changed and unknown decisions, in the order of the session. */
  readonly decisions: readonly AbilityDecisionDiff[];
  readonly problems: readonly BacktestProblem[];
  toText(): string;
}

type RecordedAbilityEvent = RecordedExchange<AbilityEventRequest, AbilityEventResponse>;

const abilityExchangeGuards = createMessageGuards(MessageBusType.ABILITY_EVENT_REQUEST);

const mergeRecordedAnswers = (
  hookSet: AbilityHookSet,
  eventType: AbilityEventType,
  plan: AbilityPlan,
  recorded: readonly HookRow[] | undefined,
): { readonly result: AbilityEventResult; readonly unknown: readonly UnknownAnswer[] } => {
  const rows = plan.rows();
  const running = rows.filter(ranOrFaulted);
  const hooks = plan.hooks.flatMap(({ hook, config, missing }, index) => {
    const row = running[index];
    return row === undefined || !hook.blocking ? [] : [{ hook, config, missing, row }];
  });
  const recalled = matchRecordedRows(recorded, { plan: null, hooks, sequential: false, rows });
  const unknown: UnknownAnswer[] = [];
  const runs = hooks.map(({ hook, config, missing }, index): AbilityHookResult => {
    const known = recalled[index];
    const base = { hookId: hook.id, blocking: true, onFault: hook.onFault ?? hookSet.onFault };
    // A hook that cannot run today fails, even if an answer of it was recorded.
    if (missing !== undefined) return { ...base, result: createFaultResult(config, eventType, missing) };
    if (known?.isKnown === true) return { ...base, result: createResultFromRow(config, eventType, known.row) };
    unknown.push({ hook: hook.id, why: known?.why ?? 'it is unknown' });
    return { ...base, result: { hookConfig: config, eventName: eventType, success: true, duration: 0 } };
  });
  return { result: mergeAbilityResults(eventType, runs), unknown };
};

type DescribedDecision = ReturnType<typeof describeDecision>;

const classifyDiff = (before: DescribedDecision, after: DescribedDecision, unknown: number): AbilityDiffKind => {
  // An unknown answer can only make a decision stricter, so it matters unless the decision is a refusal (2).
  if (unknown > 0 && after.strictness < 2) return 'unknown';
  if (after.strictness < before.strictness) return 'newly-allowed';
  if (after.strictness > before.strictness) return 'newly-blocked';
  return after.text === before.text ? 'unchanged' : 'changed';
};

const compareDecision = (
  hookSet: AbilityHookSet,
  recorded: RecordedAbilityEvent,
  eventType: AbilityEventType,
): AbilityDecisionDiff | string => {
  const { request, response, trace } = recorded;
  const read = abilityCatalogue[eventType].read(request.context);
  if (!read.ok) return read.message;
  const plan = hookSet.plan(eventType, read.payload, request.blockingOnly);
  const { result, unknown } = mergeRecordedAnswers(hookSet, eventType, plan, trace?.rows);
  const [before, after] = [describeDecision(response.result), describeDecision(result)];
  return omitUndefined({
    ...locateEntry(recorded),
    correlationId: request.correlationId,
    eventType,
    subject: trace?.subject,
    kind: classifyDiff(before, after, unknown.length),
    before: before.text,
    after: after.text,
    unknown,
  });
};

const formatDiff = ({ line, eventType, subject = '', kind, before, after, unknown }: AbilityDecisionDiff): string => {
  const about = [`line ${line}`, eventType, subject].filter((part) => part !== '').join(' ');
  const why = unknown.map((one) => `; ${one.hook}: ${one.why}`).join('');
  return printable(`${kind}: ${about}: ${before} → ${after}${why}`);
};

/** Compares recorded decisions with the decisions of other hooks, using recorded answers. Runs no hook. */
export const backtestAbilities = async (
  session: RecordedSession,
  hookSet: AbilityHookSet,
): Promise<AbilityBacktestReport> => {
  const counts = { 'newly-allowed': 0, unknown: 0, 'newly-blocked': 0, changed: 0, unchanged: 0 };
  const decisions: AbilityDecisionDiff[] = [];
  const problems: BacktestProblem[] = [];
  const onProblem = (problem: BacktestProblem): unknown => problems.push(problem);
  let total = 0;
  for await (const recorded of collectExchanges(session, abilityExchangeGuards, { accepts: () => true, onProblem })) {
    const { eventType } = recorded.request;
    if (!isAbilityEventType(eventType) || recorded.response.error !== undefined) continue;
    const diff = compareDecision(hookSet, recorded, eventType);
    if (typeof diff === 'string') {
      problems.push({ ...locateEntry(recorded), message: `${eventType} cannot be compared: ${diff}` });
      continue;
    }
    total += 1;
    counts[diff.kind] += 1;
    if (diff.kind !== 'unchanged') decisions.push(diff);
  }
  const summary = Object.entries(counts)
    .map(([kind, count]) => `${count} ${kind}`)
    .join(', ');
  const toText = (): string => [...decisions.map(formatDiff), `${total} decisions: ${summary}`].join('\n');
  return { total, counts, decisions, problems: [...problems, ...(session.problems ?? [])], toText };
};
