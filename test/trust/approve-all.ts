import { reviewTrust } from '../../src/index.ts';
import type { Place } from '../settings/support.ts';

/** Approves all that a place brings, as it is now. */
export const approveAll = async ({ load }: Place): Promise<void> => {
  const { config } = await load();
  const review = await reviewTrust(config);
  await review.approve(review.hooks.map(({ id }) => id));
};
