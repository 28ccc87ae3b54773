/** Decides which hooks run for an event, in which mode, and why the others do not. Pure. */

export {
  type AbilityPlan,
  AbilityPlanner,
  type ConfiguredAbilityHook,
  compileMatch,
  ignoredKeys,
  type MissingGuard,
  matchSummary,
  type PlannedAbilityHook,
} from './ability-planner.ts';
export { conditionMismatch, fitsCondition, isShellName, isSkippedByCondition } from './conditions/condition.ts';
export { duplicateKey } from './duplicates.ts';
export { whyNeverMatches, whyNotGlob } from './globs.ts';
export { onFaultOfExpiredGuard } from './lapse.ts';
export { matchRegex, type RegexMatcher } from './match-regex.ts';
export { type CompiledMatcher, compileMatcher } from './matcher.ts';
export {
  excludedCalls,
  findMissedCalls,
  findMissedHost,
  type HostTool,
  type KnownTools,
  type MissedCalls,
  matchesAny,
  missedCallsBehind,
  nameMeantBy,
  shellTools,
  toolNameFix,
  toolsMeant,
  type UnknownTool,
  unknownTools,
  wellKnownTools,
} from './missed-calls.ts';
export {
  type HookExecutionPlan,
  HookPlanner,
  type HookPlannerDeps,
  type PlanContext,
  planContextOf,
} from './planner.ts';
export { refusalOf } from './start-refusal.ts';
