import type { AbilityRun } from '../aggregator/ability-results.ts';
import type { AbilityPlan } from '../planner/ability-planner.ts';
import { faultResult } from '../runners/faults.ts';

/**
 * What became of hooks that have a say and could not be asked: because another file has their id, or because their
 * declaration cannot be read or is not what was approved. They were not started, and that fails the event: whoever can
 * write a file must not switch off a guard by it.
 */
export const missingRuns = ({ missing }: Pick<AbilityPlan, 'missing'>, eventType: string): AbilityRun[] =>
  missing.map(({ id: hookId, code, message }) => ({
    hookId,
    blocking: true,
    onFault: 'fail',
    result: faultResult({ name: hookId }, eventType, { code, message }),
  }));
