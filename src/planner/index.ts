/** Decides which hooks run for an event, in which mode, and why the others do not. Reads no file and no clock. */

export {
  type AbilityPlan,
  AbilityPlanner,
  type ConfiguredAbilityHook,
  compileAbilityMatch,
  findIgnoredKeys,
  type MissingGuard,
  type PlannedAbilityHook,
  summarizeMatch,
} from './ability-planner.ts';
export { createMismatchResult, fitsCondition, isShellName, isSkippedByCondition } from './condition.ts';
export { createDuplicateKey } from './duplicates.ts';
export { onFaultOfExpiredGuard } from './expired-approval.ts';
export { explainNoMatch, explainUnusedGlob } from './globs.ts';
export { matchRegex, type RegexMatcher } from './match-regex.ts';
export { type CompiledMatcher, compileMatcher } from './matcher.ts';
export {
  findCallsMissedBehind,
  findContradiction,
  findMissedCalls,
  findUnknownTools,
  findUnreachedHook,
  formatToolNameFix,
  type HostTool,
  type KnownTools,
  type MissedCalls,
  matchesAny,
  shellTools,
  suggestName,
  suggestTools,
  type UnknownTool,
  wellKnownTools,
} from './missed-calls.ts';
export {
  type HookExecutionPlan,
  HookPlanner,
  type HookPlannerDeps,
  type PlanContext,
  planContextOf,
} from './planner.ts';
export { startRefusalOf } from './start-refusal.ts';
