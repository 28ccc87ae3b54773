/** The user's approvals of hooks that others wrote: stored, compared, reviewed; and the pause of all hooks. */
export { type Approval, isStrictOnFault, type KnownGuard, toKnownGuard } from './approval.ts';
export { createTrustCheck, getScopeOfTrustCheck, judgeHooks, type TrustScope } from './approval-check.ts';
export { createCanaryStore } from './canary-store.ts';
export type { TrustDifference } from './differences.ts';
export { readFileStamp } from './file-stamps.ts';
export { describeHookSubject } from './hook-subject.ts';
export { whyWritableByOthers } from './ownership.ts';
export { getPauseFilePath, PauseSwitch, pauseProblems } from './pause-file.ts';
export { approve, checkTrustLock, reviewTrust, revoke, writeTrustLock } from './review/api.ts';
export type { GoneHook, ReviewedHook, ScriptCoverage } from './review/review-data.ts';
export type { ReviewableConfig, TrustOptions } from './review/survey.ts';
export { findNamedFiles } from './scripts/named-files.ts';
export { createProjectProgramFinder, type ProjectProgramFinder } from './scripts/program-in-project.ts';
export { type FileTokenStoreOptions, fileTokenStore } from './store/file-token-store.ts';
export { MAX_LOCK_WAIT_MS, TrustStore, withLockFile } from './store/trust-store.ts';
export type { FileState } from './subject.ts';
