// The public functions of reviews, which load their implementation when they are called.
import type { TrustLockCheck } from './lock-file.ts';
import type { ApproveOptions, TrustReview } from './review.ts';
import type { ReviewedHook } from './review-data.ts';
import type { ReviewableConfig, TrustOptions } from './survey.ts';

// Loaded on demand: most agents never review.
const loadReview = () => import('./review.ts');
const loadLockFile = () => import('./lock-file.ts');

/**
 * Returns every hook that files of the project and of extensions contain, compared with the user's approvals. Runs and
 * approves nothing.
 */
export const reviewTrust = async (config: ReviewableConfig, options?: TrustOptions): Promise<TrustReview> =>
  (await loadReview()).reviewTrust(config, options);

/**
 * Approves hooks by the `id` of their review. An id stands for the reviewed content: hooks that changed since are
 * refused. `secrets` names the secrets that hooks get if they request them.
 */
export const approve = async (
  config: ReviewableConfig,
  ids: readonly string[],
  options?: TrustOptions & ApproveOptions,
): Promise<ReviewedHook[]> => (await loadReview()).approve(config, ids, options);

/** Revokes approvals by `id` or `hookId`, including those of removed hooks. Returns their number. */
export const revoke = async (
  config: ReviewableConfig,
  ids: readonly string[],
  options?: TrustOptions,
): Promise<number> => (await loadReview()).revoke(config, ids, options);

/** Compares a project's hooks with the lock file in its repository, for CI. The lock file approves nothing. */
export const checkTrustLock = async (config: ReviewableConfig, options?: TrustOptions): Promise<TrustLockCheck> =>
  (await loadLockFile()).checkTrustLock(config, options);

/** Writes the lock file: every hook of the project that this user approved, with its approved version. */
export const writeTrustLock = async (config: ReviewableConfig, options?: TrustOptions): Promise<ReviewedHook[]> =>
  (await loadLockFile()).writeTrustLock(config, options);
