/** The configured hooks, their sources, and whether they are enabled and trusted. */

export {
  type CanaryRecord,
  type CanaryStage,
  canaryStages,
  type EarlierCanaryResult,
  type LostDenial,
} from './canary-record.ts';
export { type ConfiguredHook, copyWithOwnConfig } from './configured-hook.ts';
export { HookIds } from './hook-id.ts';
export type { HookSource } from './hook-source.ts';
export { isHookwrightLine, startsHookwright } from './launch-checks.ts';
export { END_PAUSE_COMMAND, formatPausedUntil, PauseFollower } from './pause.ts';
export {
  containsGuard,
  type HookReading,
  type HooksOrigin,
  olderSwitchNames,
  readEntries,
  readHooks,
} from './read-hooks.ts';
export type { RegisterOptions } from './registration.ts';
export type { HookRegistryEntry } from './registry.ts';
export { findHookChanges, type HookChanges, HookRegistry, type HookRegistryDeps } from './registry.ts';
export { findMissingGuards, formatMissingGuard } from './required-guards.ts';
export {
  callTrustCheck,
  createApprovalProblem,
  type TrustCheck,
  type TrustQuestion,
  type TrustVerdict,
  toTrustQuestion,
  toTrustReasons,
  withVerdict,
} from './trust-check.ts';
