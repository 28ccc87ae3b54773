import type { ExaminedHook } from './diagnosis.ts';

/** What comes of a hook that cannot do its work, with the key that changes it as its kind of file writes it. */
export const failing = ({ isAbility, failsAs, config }: ExaminedHook): string => {
  if (failsAs !== undefined) return failsAs;
  if (!isAbility && config?.onFault === 'deny')
    return 'Each run fails, and its onFault denies: everything that it guards is denied.';
  if (!isAbility && config?.onFault === 'ask') return 'Each run fails, and its onFault asks a person each time.';
  const more = isAbility ? ', unless on_fault says otherwise' : '; onFault: "deny" in its entry would refuse instead';
  return `Each run fails, and the agent goes on as if the hook had no opinion${more}.`;
};
