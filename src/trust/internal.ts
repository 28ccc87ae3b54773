/** Door for the other rooms; index.ts is for users. */
export { MAX_PAUSE_MS, readPause, writePause } from './pause-file.ts';
export { checkTrustLock, lockFileOf, type TrustLockCheck, writeTrustLock } from './review/lock-file.ts';
export type { ScriptText } from './review/review.ts';
export { reviewTrust, type TrustReview } from './review/review.ts';
