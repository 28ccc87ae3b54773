// Decides a recorded request again, from recorded answers or by really running hooks.
import type { ErrorCode } from '../../../errors.ts';
import type { HookEventName, PayloadOf } from '../../../events/index.ts';
import type { DetailedResult, FireOptions, HookEventHandler } from '../../../handlers/index.ts';
import type { HookExecutionResult, HookRow } from '../../../protocol/index.ts';
import { defaultLimits, type HookRunner, type RunnerLimits } from '../../../runners/index.ts';
import type { RecordedExchange } from '../collect-exchanges.ts';
import {
  createTrialHandler,
  listFaults,
  type PlannedRequest,
  planRequest,
  type TrialEngine,
  type TrialStepRunner,
} from '../trial-engine.ts';
import {
  createDecision,
  createEmptyOutcome,
  type DecisionRun,
  getRunRows,
  readLateOutputs,
  type TrialOutcome,
} from './decision.ts';
import { findRecordedAnswers } from './recorded-answers.ts';

const wasRequestRefused = ({ response, trace }: RecordedExchange): boolean => {
  const code = response.error?.code;
  if (code === undefined || code === 'internal_error' || code === 'no_handler') return false;
  return trace === undefined || trace.rows.every(({ planned }) => planned === 'skip');
};

/** A request that was cancelled or timed out when recorded ends in the same error unless the planned hooks changed. */
const findRepeatedError = (
  recorded: RecordedExchange,
  planned: PlannedRequest,
  results: readonly HookExecutionResult[],
): ErrorCode | undefined => {
  const error = recorded.response.error?.code;
  if (error !== 'deadline_exceeded' && error !== 'cancelled' && error !== 'disposed') return undefined;
  const ids = new Set(planned.hooks.map(({ row }) => row.hookId));
  const isPlannedAsBefore = getRunRows(recorded).every(({ hookId }) => ids.has(hookId));
  const isLate = results.some(({ code }) => code === 'deadline' || code === 'cancelled');
  return isPlannedAsBefore || isLate ? error : undefined;
};

const createDecisionRun = (
  { hooks, sequential }: PlannedRequest,
  results: readonly (HookExecutionResult | undefined)[],
): Pick<DecisionRun, 'order' | 'sequential' | 'faults'> => ({
  order: hooks.flatMap(({ row }, index) => (results[index]?.skipped === undefined ? [row.name] : [])),
  sequential,
  faults: listFaults(hooks, results),
});

const decideEvent = <E extends HookEventName>(
  handler: HookEventHandler,
  eventName: E,
  payload: PayloadOf<E>,
  recorded: RecordedExchange,
  options?: FireOptions,
): Promise<DetailedResult<E>> => {
  for (const output of readLateOutputs(recorded)) {
    handler.hearLater({ hookConfig: {}, eventName, success: true, output, outputFormat: 'json', duration: 0 });
  }
  return handler.fireDetailed(eventName, payload, options);
};

/** Recorded texts for the model have been cut already. */
const createDryRunLimits = (): RunnerLimits => ({ ...defaultLimits(), modelTextBytes: Number.POSITIVE_INFINITY });

export const decideFromRecording = async <E extends HookEventName>(
  engine: TrialEngine | undefined,
  eventName: E,
  payload: PayloadOf<E>,
  recorded: RecordedExchange,
): Promise<TrialOutcome> => {
  if (wasRequestRefused(recorded)) return createEmptyOutcome(recorded.response.error?.code);
  if (engine === undefined) return createEmptyOutcome();
  const planned = planRequest(engine.planner, eventName, payload);
  const answers = findRecordedAnswers(engine, eventName, payload, planned, recorded);
  const answer: TrialStepRunner = ({ hook, input }) => answers.answer(hook, input);
  const handler = createTrialHandler(engine, planned.plan, answer, createDryRunLimits());
  const { result, results } = await decideEvent(handler, eventName, payload, recorded);
  const error = findRepeatedError(recorded, planned, results);
  const run = { ...createDecisionRun(planned, results), error, unknown: answers.unknown };
  return { decision: createDecision(eventName, payload, result.finalOutput, run), notes: answers.notes };
};

export interface RealHookRunnerOptions {
  readonly only?: readonly string[] | undefined;
  readonly signal: AbortSignal;
}

export class RealHookRunner {
  readonly #engine: TrialEngine;
  readonly #options: RealHookRunnerOptions;
  readonly #runner: HookRunner;
  readonly runs = new Map<string, number>();

  constructor(engine: TrialEngine, options: RealHookRunnerOptions) {
    this.#engine = engine;
    this.#options = options;
    this.#runner = engine.createRunner();
  }

  async decide<E extends HookEventName>(
    eventName: E,
    payload: PayloadOf<E>,
    recorded: RecordedExchange,
  ): Promise<TrialOutcome> {
    const planned = planRequest(this.#engine.planner, eventName, payload);
    if (planned.hooks.length === 0) return createEmptyOutcome();
    const answers = findRecordedAnswers(this.#engine, eventName, payload, planned, recorded);
    const rows = new Map(planned.hooks.map(({ config, row }) => [config, row]));
    const runOrRecall: TrialStepRunner = ({ hook, eventName: name, input, signal }) => {
      const row = rows.get(hook);
      if (row === undefined || !this.#mayRun(row) || answers.isUnsureMismatch(hook, input))
        return answers.answer(hook, input);
      this.runs.set(row.name, (this.runs.get(row.name) ?? 0) + 1);
      return this.#runner.executeHook(hook, name, input, signal);
    };
    const handler = createTrialHandler(this.#engine, planned.plan, runOrRecall, this.#runner.limits);
    const options = { timeoutMs: recorded.request.timeoutMs, signal: this.#options.signal };
    const { result, results, error } = await decideEvent(handler, eventName, payload, recorded, options);
    const run = { ...createDecisionRun(planned, results), error: error?.code, unknown: answers.unknown };
    const decision = createDecision(eventName, payload, result.finalOutput, run);
    const notes = [...answers.notes];
    if (recorded.isRedacted) notes.push('hooks read marks where secrets were taken out of the recording');
    if (recorded.isRequestShortened) notes.push('hooks read texts that were cut when this was recorded');
    return { decision, notes };
  }

  #mayRun({ name, hookId }: HookRow): boolean {
    const { only } = this.#options;
    return only === undefined || only.includes(name) || only.includes(hookId);
  }

  dispose(): Promise<void> {
    return this.#runner.dispose();
  }
}
