// The public functions of reviews, which load their implementation when they are called: most agents never review.
import { onFirstUse } from '../../kit/index.ts';

const loadReview = () => import('./review.ts');
const loadLockFile = () => import('./lock-file.ts');

/**
 * Returns every hook that files of the project and of extensions contain, compared with the user's approvals. Runs and
 * approves nothing.
 */
export const reviewTrust = onFirstUse(async () => (await loadReview()).reviewTrust);

/**
 * Approves hooks by the `id` of their review. An id stands for the reviewed content: hooks that changed since are
 * refused. `secrets` names the secrets that hooks get if they request them.
 */
export const approve = onFirstUse(async () => (await loadReview()).approve);

/** Revokes approvals by `id` or `hookId`, including those of removed hooks. Returns their number. */
export const revoke = onFirstUse(async () => (await loadReview()).revoke);

/** Compares a project's hooks with the lock file in its repository, for CI. The lock file approves nothing. */
export const checkTrustLock = onFirstUse(async () => (await loadLockFile()).checkTrustLock);

/** Writes the lock file: every hook of the project that this user approved, with its approved version. */
export const writeTrustLock = onFirstUse(async () => (await loadLockFile()).writeTrustLock);
