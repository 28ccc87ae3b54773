/** Many answers become one, and every returned field gets its fate. Pure. */

export { type AbilityHookResult, abilityFates, mergeAbilityResults } from './ability-results.ts';
export { isMergedByAgent, mergedByAgents } from './agent-merging.ts';
export { emptyResult, HookAggregator, type HookAggregatorDeps } from './aggregator.ts';
export { withConflicts, withDenial } from './conflict-marks.ts';
export { fatesOf } from './fates.ts';
