import { type OnFault, originOf, type SkipReason } from '../protocol/index.ts';
import type { ConfiguredHook } from '../registry/index.ts';
import type { StartRefusal } from './start-refusal.ts';

const EXPOSED = 'others can write to its settings file, so it may not be what its owner wrote';

const REVIEW = 'Review it: hookwright trust';

const CHANGED = 'it changed after it was approved; review the change and approve it again';

/** Why a hook of the user waits for an approval at all. */
export const whyAsked = ({ config, barriers }: ConfiguredHook): string | undefined => {
  const program = config === undefined ? undefined : originOf(config)?.programInProject;
  if (program === undefined) return undefined;
  if (barriers.includes('changed-since-trusted'))
    return `Its program ${program} lies in this project and changed after it was approved.`;
  return barriers.includes('untrusted')
    ? `Its program ${program} lies in this project and is not approved.`
    : undefined;
};

/** Why a guard is not started and refuses: it changed since its approval, or others can write its file. */
export const lapseOf = (hook: ConfiguredHook): StartRefusal => {
  if (hook.lost !== undefined) return hook.lost;
  const asked = whyAsked(hook);
  const isChanged = hook.barriers.includes('changed-since-trusted');
  if (asked !== undefined && !isChanged) return { code: 'untrusted', message: `${asked} ${REVIEW}` };
  return isChanged
    ? { code: 'changed-since-trusted', message: asked === undefined ? CHANGED : `${asked} ${REVIEW}` }
    : { code: 'invalid-config', message: EXPOSED };
};

/** What a guard that lapsed was approved with; only where nothing else keeps it from running: what is switched off refuses nothing. */
export const lapsedGuard = ({ barriers, approved, lost }: ConfiguredHook): OnFault | undefined => {
  const onFault = lost?.onFault ?? approved?.onFault ?? 'allow';
  return onFault !== 'allow' && barriers.every(isLapse) ? onFault : undefined;
};

const lapses: ReadonlySet<SkipReason> = new Set(['changed-since-trusted', 'untrusted', 'invalid-config']);

export const isLapse = (barrier: SkipReason): boolean => lapses.has(barrier);
