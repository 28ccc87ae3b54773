/** The door for the other rooms; index.ts is the one for users. */
export { MAX_PAUSE_MS, readPause, writePause } from './trust/pause/pause-file.ts';
export { checkTrustLock, lockFileOf, type TrustLockCheck, writeTrustLock } from './trust/review/lock-file.ts';
export type { ScriptText } from './trust/review/review.ts';
export { reviewTrust, type TrustReview } from './trust/review/review.ts';
