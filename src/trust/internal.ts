/** Door for the other rooms: trust that index.ts does not export to users. */
export { MAX_PAUSE_MS, readPause, writePause } from './pause-file.ts';
export { checkTrustLock, lockFileOf, type TrustLockCheck, writeTrustLock } from './review/lock-file.ts';
export type { ScriptText } from './review/review.ts';
export { reviewTrust, type TrustReview } from './review/review.ts';
