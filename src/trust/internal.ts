/** Functions of trust for other folders of hookwright; index.ts exports the public ones. */
export { MAX_PAUSE_MS, readPause, writePause } from './pause-file.ts';
export { checkTrustLock, lockFileOf, type TrustLockCheck, writeTrustLock } from './review/lock-file.ts';
export type { ScriptText } from './review/review.ts';
export { reviewTrust, type TrustReview } from './review/review.ts';
