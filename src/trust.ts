/** Entry `hookwright/trust`: lists, grants and revokes approvals of a project's hooks, and writes the trust lock. */
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
