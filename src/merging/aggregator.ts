import { catalogue, createHookOutput, type HookEventName, type OutputOf } from '../events/index.ts';
import type { AnyHookTranslator } from '../models/index.ts';
import { type AggregatedHookResult, type HookExecutionResult, type HookOpinion, saidIn } from '../protocol/index.ts';
import { mergeOutputs } from './merge.ts';

export interface HookAggregatorDeps {
  readonly translator?: AnyHookTranslator | undefined;
}

/** The result of an event for which nothing ran: a fresh one each time, since callers own what they get. */
export const emptyResult = <E extends HookEventName>(): AggregatedHookResult<OutputOf<E>> => ({
  success: true,
  finalOutput: undefined,
  allOutputs: [],
  errors: [],
  totalDuration: 0,
});

/** Turns how the hooks of one event ended into one result. Pure: the same results give the same answer. */
export class HookAggregator {
  readonly #translator: AnyHookTranslator | undefined;

  constructor(deps: HookAggregatorDeps = {}) {
    this.#translator = deps.translator;
  }

  /** Results come in configured order, and that order alone decides what replaces what. */
  aggregateResults<E extends HookEventName>(
    results: readonly HookExecutionResult[],
    eventName: E,
    isSequence = false,
  ): AggregatedHookResult<OutputOf<E>> {
    const aggregated = emptyResult<E>();
    const contributions: HookOpinion[] = [];
    for (const result of results) {
      if (!result.success) aggregated.success = false;
      if (result.error !== undefined) aggregated.errors.push(result.error);
      aggregated.totalDuration += result.duration;
      const contribution = saidIn(result);
      if (contribution === undefined) continue;
      aggregated.allOutputs.push(contribution.output);
      contributions.push(contribution);
    }
    const merged = mergeOutputs(contributions, catalogue[eventName].merge, undefined, isSequence);
    if (merged !== undefined) aggregated.finalOutput = createHookOutput(eventName, merged, this.#translator);
    return aggregated;
  }
}
