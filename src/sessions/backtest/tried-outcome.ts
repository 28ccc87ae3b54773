import type { HookExecutionResult, HookRow } from '../../protocol/index.ts';
import type { Decision, DecisionFault } from './deciding/decision.ts';

/** What a request comes to under the configuration that is tried. */
export interface TriedOutcome {
  readonly decision: Decision;
  /** What the reader of the decision should know. */
  readonly notes: readonly string[];
}

export const faultsIn = (
  rows: readonly HookRow[],
  results: readonly (HookExecutionResult | undefined)[],
): DecisionFault[] =>
  rows.flatMap(({ name }, index) => {
    const code = results[index]?.code;
    return code === undefined ? [] : [{ hook: name, code }];
  });
