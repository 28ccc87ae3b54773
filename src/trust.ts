/** Approvals of hooks that came with a project: looked at, given, taken back, and kept in a file of the project. */
export {
  approve,
  checkTrustLock,
  type FileState,
  type GoneHook,
  type ReviewableConfig,
  type ReviewedHook,
  reviewTrust,
  revoke,
  type ScriptCoverage,
  type TrustDifference,
  type TrustOptions,
  writeTrustLock,
} from './trust/index.ts';
export type { ScriptText, TrustLockCheck, TrustReview } from './trust/internal.ts';
