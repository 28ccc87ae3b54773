import type { TrustLockCheck } from './lock-file.ts';
import type { Allowing, TrustReview } from './review.ts';
import type { ReviewedHook } from './review-data.ts';
import type { ReviewableConfig, TrustOptions } from './survey.ts';

// What reads and writes files is loaded when it is needed: an agent that never asks does not pay for it.
const reviewing = () => import('./review.ts');
const locking = () => import('./lock-file.ts');

/**
 * Looks at every hook that files of the project and of extensions bring, and at what the user approved of them. Nothing
 * is executed, and nothing is approved by looking.
 */
export const reviewTrust = async (config: ReviewableConfig, options?: TrustOptions): Promise<TrustReview> =>
  (await reviewing()).reviewTrust(config, options);

/**
 * Approves hooks by the `id` of their review. An id stands for the content that was reviewed: what changed since then is
 * refused. `secrets` names what hooks that ask for it may be told.
 */
export const approve = async (
  config: ReviewableConfig,
  ids: readonly string[],
  options?: TrustOptions & Allowing,
): Promise<ReviewedHook[]> => (await reviewing()).approve(config, ids, options);

/** Takes approvals back, by `id` or `hookId`, also of hooks that are gone. Says how many there were. */
export const revoke = async (
  config: ReviewableConfig,
  ids: readonly string[],
  options?: TrustOptions,
): Promise<number> => (await reviewing()).revoke(config, ids, options);

/** Compares a project's hooks with the lock file in its repository, for CI. The lock file grants nothing. */
export const checkTrustLock = async (config: ReviewableConfig, options?: TrustOptions): Promise<TrustLockCheck> =>
  (await locking()).checkTrustLock(config, options);

/** Writes the lock file: every hook of the project that this user approved, as it was approved. */
export const writeTrustLock = async (config: ReviewableConfig, options?: TrustOptions): Promise<ReviewedHook[]> =>
  (await locking()).writeTrustLock(config, options);
