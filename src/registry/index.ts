/** The configured hooks, their sources, and whether they are enabled and trusted. */

export {
  type CanaryLoss,
  type CanaryPast,
  type CanaryRecord,
  type CanaryStage,
  canaryStages,
} from './canary-record.ts';
export { type ConfiguredHook, ownConfig } from './configured-hook.ts';
export { HookIds } from './hook-id.ts';
export type { HookSource } from './hook-source.ts';
export { isOwnLine } from './launch-checks.ts';
export { END_PAUSE, PauseFollower, pausedUntil } from './pause.ts';
export {
  containsGuard,
  type HookReading,
  type HooksOrigin,
  olderSwitches,
  readEntries,
  readHooks,
} from './read-hooks.ts';
export type { RegisterOptions } from './registration.ts';
export type { HookRegistryEntry } from './registry.ts';
export { type HookChanges, HookRegistry, type HookRegistryDeps, hookChanges } from './registry.ts';
export { missingGuards, missingGuardText } from './required-guards.ts';
export {
  askTrustCheck,
  awaitingApproval,
  type TrustCheck,
  type TrustQuestion,
  type TrustVerdict,
  trustBarriers,
  trustQuestion,
  withVerdict,
} from './trust-check.ts';
