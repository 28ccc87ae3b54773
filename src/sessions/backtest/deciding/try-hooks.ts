// Decides a recorded request again, from recorded answers or by really running hooks.
import type { ErrorCode } from '../../../errors.ts';
import type { HookEventName, PayloadOf } from '../../../events/index.ts';
import { HookEventHandler } from '../../../handlers/index.ts';
import type { HookExecutionResult, HookRow } from '../../../protocol/index.ts';
import { type HookRunner, inputAfter } from '../../../runners/index.ts';
import type { RecordedDecision } from '../collect.ts';
import {
  faultsOfResults,
  firstInput,
  type PlannedRequest,
  planFor,
  StepRunner,
  type TrialEngine,
  type TrialOutcome,
} from '../lab.ts';
import { decisionFrom, noDecision, rowsThatRan } from './decision.ts';
import { type RecordedAnswers, recordedAnswers } from './recorded-answers.ts';

const wasRefused = ({ response, trace }: RecordedDecision): boolean => {
  const code = response.error?.code;
  if (code === undefined || code === 'internal_error' || code === 'no_handler') return false;
  return trace === undefined || trace.rows.every(({ planned }) => planned === 'skip');
};

/** A recorded request that was cancelled or timed out ends so again unless the planned hooks changed. */
const errorOf = (
  recorded: RecordedDecision,
  planned: PlannedRequest,
  results: readonly HookExecutionResult[],
): ErrorCode | undefined => {
  const error = recorded.response.error?.code;
  if (error !== 'deadline_exceeded' && error !== 'cancelled' && error !== 'disposed') return undefined;
  const ids = new Set(planned.hooks.map(({ row }) => row.hookId));
  const isPlannedAsBefore = rowsThatRan(recorded).every(({ hookId }) => ids.has(hookId));
  const isLate = results.some(({ code }) => code === 'deadline' || code === 'cancelled');
  return isPlannedAsBefore || isLate ? error : undefined;
};

const answersOf = <E extends HookEventName>(
  { translator }: TrialEngine,
  eventName: E,
  payload: PayloadOf<E>,
  { hooks, sequential }: PlannedRequest,
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

export const dryRun = <E extends HookEventName>(
  lab: TrialEngine | undefined,
  eventName: E,
  payload: PayloadOf<E>,
  recorded: RecordedDecision,
): TrialOutcome => {
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
    faults: faultsOfResults(rows, results),
    error: errorOf(recorded, planned, results),
    unknown: answers.unknown,
  });
  return { decision, notes: answers.notes };
};

export interface RealRunOptions {
  readonly only?: readonly string[] | undefined;
  readonly signal: AbortSignal;
}

export class RealRun {
  readonly #lab: TrialEngine;
  readonly #options: RealRunOptions;
  readonly #runner: HookRunner;
  readonly runs = new Map<string, number>();

  constructor(lab: TrialEngine, options: RealRunOptions) {
    this.#lab = lab;
    this.#options = options;
    this.#runner = lab.createRunner();
  }

  async decide<E extends HookEventName>(
    eventName: E,
    payload: PayloadOf<E>,
    recorded: RecordedDecision,
  ): Promise<TrialOutcome> {
    const planned = planFor(this.#lab.planner, eventName, payload);
    if (planned.hooks.length === 0) return { decision: noDecision(), notes: [] };
    const rows = planned.hooks.map(({ row }) => row);
    const answers = recordedAnswers(this.#lab, eventName, payload, planned, recorded);
    const { signal } = this.#options;
    const { timeoutMs } = recorded.request;
    const handler = this.#handlerFor(rows, planned, answers);
    const { result, results, error } = await handler.fireDetailed(eventName, payload, { timeoutMs, signal });
    const decision = decisionFrom(eventName, payload, result.finalOutput, {
      order: rows.map(({ name }) => name),
      sequential: planned.sequential,
      faults: faultsOfResults(rows, results),
      error: error?.code,
      unknown: answers.unknown,
    });
    const marks = 'hooks read marks where secrets were taken out of the recording';
    return { decision, notes: recorded.isRedacted ? [...answers.notes, marks] : answers.notes };
  }

  #mayRun({ name, hookId }: HookRow): boolean {
    const { only } = this.#options;
    return only === undefined || only.includes(name) || only.includes(hookId);
  }

  #handlerFor(rows: readonly HookRow[], planned: PlannedRequest, answers: RecordedAnswers): HookEventHandler {
    const { config, aggregator, deps } = this.#lab;
    const runner = new StepRunner(({ hook, index, eventName, input, signal }) => {
      const row = rows[index];
      if (row === undefined || !this.#mayRun(row)) return Promise.resolve(answers.answer(index, input));
      this.runs.set(row.name, (this.runs.get(row.name) ?? 0) + 1);
      return this.#runner.executeHook(hook, eventName, input, signal);
    });
    const planner = { createExecutionPlan: () => planned.plan };
    return new HookEventHandler(config, planner, runner, aggregator, undefined, { ...deps, warnings: false });
  }

  dispose(): Promise<void> {
    return this.#runner.dispose();
  }
}
