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
export { createMismatchResult, fitsCondition, isShellToolName, isSkippedByCondition } from './condition.ts';
export { createDuplicateKey } from './duplicates.ts';
export { readExpiredGuardOnFault } from './expired-approval.ts';
export { explainNoMatch, explainUnusedGlob } from './globs.ts';
export { matchRegex, type RegexMatcher } from './match-regex.ts';
export { type CompiledMatcher, compileMatcher } from './matcher.ts';
export {
  findContradiction,
  findMissedCalls,
  findMissedCallsOrContradiction,
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
  createPlanContext,
  type HookExecutionPlan,
  HookPlanner,
  type HookPlannerDeps,
  type PlanContext,
} from './planner.ts';
export { readStartRefusal } from './start-refusal.ts';
