import { reviewTrust } from '../../config/internal.ts';
import type { Context } from '../context.ts';
import { loadSettings } from '../sources/load-settings.ts';

/**
 * Approves a hook that this command has just written, as it wrote it: whoever asked for it has said that it may run. What
 * its author changes in it later is looked at as any other change.
 */
export const approveOwn = async (name: string, command: string, context: Context): Promise<boolean> => {
  const { config } = await loadSettings(context);
  const review = await reviewTrust(config);
  const own = review.hooks.filter((hook) => {
    const entry = hook.entry.hook;
    const isSame = typeof entry === 'object' && entry !== null && 'command' in entry && entry.command === command;
    return hook.name === name && isSame;
  });
  if (own.length > 0) await review.approve(own.map(({ id }) => id));
  return own.length > 0;
};
