import type { AbilityRun } from '../aggregator/ability-results.ts';
import type { AbilityPlan } from '../planner/ability-planner.ts';
import { faultResult } from '../runners/faults.ts';

/**
 * What became of blocking hooks whose id another file has: they were not started, and that fails the event, whatever they
 * declare about faults. Whoever adds a file must not switch off a guard by it.
 */
export const displacedRuns = ({ displaced }: Pick<AbilityPlan, 'displaced'>, eventType: string): AbilityRun[] =>
  displaced.map(({ hook: { id: hookId, config }, message }) => ({
    hookId,
    blocking: true,
    onFault: 'fail',
    result: faultResult(config, eventType, { code: 'not-supported', message }),
  }));
