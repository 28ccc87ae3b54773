import type { SkipReason } from './notice-codes.ts';

const whys = {
  untrusted: 'it is not approved',
  'changed-since-trusted': 'it changed after it was approved',
} as const;

/** What keeps a hook from running until the user approves it. */
export type MissingApproval = keyof typeof whys;

/** Whether it is an approval that the hook waits for. */
export const isUnapproved = (reason: SkipReason | undefined): reason is MissingApproval =>
  reason !== undefined && Object.hasOwn(whys, reason);

/** Why a hook waits, in the words of every report of it; `detail` names what changed, or whose program it is. */
export const unapprovedWhy = (reason: MissingApproval, detail?: string): string =>
  `${whys[reason]}${detail === undefined ? '' : ` (${detail})`}`;

export const REVIEW = 'review it: hookwright trust';

/** The same with what to do. */
export const unapprovedText = (reason: MissingApproval, detail?: string): string =>
  `${unapprovedWhy(reason, detail)}; ${REVIEW}`;
