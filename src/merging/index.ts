/**
 * Merges the answers of all hooks of an event into one, by the event's rule or an agent's, and reports which fields had
 * an effect. Pure.
 */

export { type AbilityHookResult, abilityFates, mergeAbilityResults } from './ability-results.ts';
export type { Answer, Said } from './agent-answer.ts';
export { isMergedByAgent, mergedByAgents } from './agent-merging.ts';
export { mergeByAgentRule } from './agent-rules.ts';
export { denyOnConflict, markConflicts } from './conflicts.ts';
export { outputFatesOf } from './fates.ts';
export { emptyResult, HookAggregator, type HookAggregatorDeps } from './merge.ts';
export { mergeRules } from './merge-rules.ts';
export { cutNotice, TextRoom, withinModelText } from './model-text.ts';
