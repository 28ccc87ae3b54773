import type { OnFault, SkipReason } from '../protocol/index.ts';
import type { ConfiguredHook } from '../registry/index.ts';
import type { StartRefusal } from './refusal.ts';

const EXPOSED = 'others can write to its settings file, so it may not be what its owner wrote';

const CHANGED = 'it changed after it was approved; review the change and approve it again';

/** Why a guard is not started and refuses: it changed since, or its file may be anybody's. */
export const lapseOf = ({ barriers, lost }: ConfiguredHook): StartRefusal =>
  lost ??
  (barriers.includes('changed-since-trusted')
    ? { code: 'changed-since-trusted', message: CHANGED }
    : { code: 'invalid-config', message: EXPOSED });

/** What a guard that lapsed was approved with; only where nothing else keeps it from running: what is switched off refuses nothing. */
export const lapsedGuard = ({ barriers, approved, lost }: ConfiguredHook): OnFault | undefined => {
  const onFault = lost?.onFault ?? approved?.onFault ?? 'allow';
  return onFault !== 'allow' && barriers.every(isLapse) ? onFault : undefined;
};

const lapses: ReadonlySet<SkipReason> = new Set(['changed-since-trusted', 'untrusted', 'invalid-config']);

export const isLapse = (barrier: SkipReason): boolean => lapses.has(barrier);
