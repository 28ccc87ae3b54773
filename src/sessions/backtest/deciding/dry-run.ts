import type { ErrorCode } from '../../../errors.ts';
import type { HookEventName, PayloadOf } from '../../../events/index.ts';
import type { HookExecutionResult } from '../../../protocol/index.ts';
import { inputAfter } from '../../../runners/index.ts';
import type { RecordedDecision } from '../collect.ts';
import { firstInput } from '../inputs.ts';
import type { Lab } from '../lab.ts';
import { type Planned, planFor } from '../planned.ts';
import { faultsIn, type TriedOutcome } from '../tried-outcome.ts';
import { decisionFrom, noDecision } from './decision.ts';
import { type RecordedAnswers, recordedAnswers } from './recorded-answers.ts';
import { ranIn } from './recorded-decision.ts';

/** Requests that were refused or ended before any hook was planned. No configuration of hooks would change that. */
const wasRefused = ({ response, trace }: RecordedDecision): boolean => {
  const code = response.error?.code;
  if (code === undefined || code === 'internal_error' || code === 'no_handler') return false;
  return trace === undefined || trace.rows.every(({ planned }) => planned === 'skip');
};

/** A request can be ended before its hooks are; whether it would be again depends on the hooks that were late. */
const errorOf = (
  recorded: RecordedDecision,
  planned: Planned,
  results: readonly HookExecutionResult[],
): ErrorCode | undefined => {
  const error = recorded.response.error?.code;
  if (error !== 'deadline_exceeded' && error !== 'cancelled' && error !== 'disposed') return undefined;
  const ids = new Set(planned.hooks.map(({ row }) => row.hookId));
  const isPlannedAsBefore = ranIn(recorded).every(({ hookId }) => ids.has(hookId));
  const isLate = results.some(({ code }) => code === 'deadline' || code === 'cancelled');
  return isPlannedAsBefore || isLate ? error : undefined;
};

const answersOf = <E extends HookEventName>(
  { translator }: Lab,
  eventName: E,
  payload: PayloadOf<E>,
  { hooks, sequential }: Planned,
  answers: RecordedAnswers,
): HookExecutionResult[] => {
  if (!answers.dependOnInput) return hooks.map((_hook, index) => answers.answer(index));
  let input = firstInput(eventName, payload, translator);
  return hooks.map((_hook, index) => {
    const result = answers.answer(index, input);
    if (sequential) input = inputAfter(eventName, input, result);
    return result;
  });
};

/** Decides anew from recorded answers. Nothing is run. */
export const dryRun = <E extends HookEventName>(
  lab: Lab | undefined,
  eventName: E,
  payload: PayloadOf<E>,
  recorded: RecordedDecision,
): TriedOutcome => {
  if (wasRefused(recorded)) return { decision: noDecision(recorded.response.error?.code), notes: [] };
  if (lab === undefined) return { decision: noDecision(), notes: [] };
  const planned = planFor(lab.planner, eventName, payload);
  const rows = planned.hooks.map(({ row }) => row);
  const answers = recordedAnswers(lab, eventName, payload, planned, recorded);
  const results = answersOf(lab, eventName, payload, planned, answers);
  const { finalOutput } = lab.aggregator.aggregateResults(results, eventName, planned.sequential);
  const decision = decisionFrom(eventName, payload, finalOutput, {
    order: rows.map(({ name }) => name),
    sequential: planned.sequential,
    faults: faultsIn(rows, results),
    error: errorOf(recorded, planned, results),
    unknown: answers.unknown,
  });
  return { decision, notes: answers.notes };
};
