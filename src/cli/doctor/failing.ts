import type { ExaminedHook } from './check.ts';

/** What comes of a hook that cannot do its work, with the key that changes it as its kind of file writes it. */
export const failing = ({ isAbility, failsAs }: ExaminedHook): string => {
  if (failsAs !== undefined) return failsAs;
  const key = isAbility ? 'on_fault' : 'onFault';
  return `Each run fails, and the agent goes on as if the hook had no opinion, unless ${key} says otherwise.`;
};
