/** The second door of trust, only for other folders of `src`: exports reviews, the lock file and the pause file. */
export { MAX_PAUSE_MS, readPause, writePause } from './pause-file.ts';
export { checkTrustLock, getLockFilePath, type TrustLockCheck, writeTrustLock } from './review/lock-file.ts';
export type { ScriptText } from './review/review.ts';
export { reviewTrust, type TrustReview } from './review/review.ts';
