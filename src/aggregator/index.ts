/** Many answers become one, and every returned field gets its fate. Pure. */

export { type AbilityRun, abilityFates, mergeAbilityResults } from './ability-results.ts';
export { emptyResult, HookAggregator, type HookAggregatorDeps } from './aggregator.ts';
export { fatesOf } from './fates.ts';
