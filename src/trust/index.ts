/** The user's approvals of hooks that others wrote: stored, compared, reviewed; and the pause of all hooks. */
export { type Approval, guardIn, isStrict, type KnownGuard } from './approval.ts';
export { createTrustCheck, judgeHooks, placeOfCheck, type TrustPlace } from './approval-check.ts';
export { canaryStore } from './canary-store.ts';
export type { TrustDifference } from './differences.ts';
export { stampOf } from './file-stamps.ts';
export { hookSubject } from './hook-subject.ts';
export { whyWritableByOthers } from './ownership.ts';
export { PauseSwitch, pauseFile, pauseProblems } from './pause-file.ts';
export { approve, checkTrustLock, reviewTrust, revoke, writeTrustLock } from './review/api.ts';
export type { GoneHook, ReviewedHook, ScriptCoverage } from './review/review-data.ts';
export type { ReviewableConfig, TrustOptions } from './review/survey.ts';
export { type HookDirectories, namedFiles } from './scripts/named-files.ts';
export { type ProgramsInProject, programsInProject } from './scripts/program-in-project.ts';
export { type FileTokenStoreOptions, fileTokenStore } from './store/file-token-store.ts';
export { LOCK_PATIENCE_MS, TrustStore, withLockFile } from './store/trust-store.ts';
export type { FileState } from './subject.ts';
