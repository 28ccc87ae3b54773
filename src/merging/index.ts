/**
 * Merges the answers of all hooks of an event into one, by the event's rule or an agent's, and reports which fields had
 * an effect. Pure.
 */

export { type AbilityHookResult, findAbilityFates, mergeAbilityResults } from './ability-results.ts';
export { isMergedByAgent, mergeByAgents } from './agent-merging.ts';
export { type Answer, mergeByAgentRule, type Said } from './agent-rules.ts';
export { addConflictWarnings, denyOnConflict } from './conflicts.ts';
export { findOutputFates } from './fates.ts';
export { createEmptyResult, HookAggregator, type HookAggregatorDeps } from './merge.ts';
export { mergeRules } from './merge-rules.ts';
export { createCutNotice, limitModelText, TextBudget } from './model-text.ts';
