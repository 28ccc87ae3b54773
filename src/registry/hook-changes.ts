import type { ConfiguredHook } from './configured-hook.ts';
import { contentOf } from './hook-id.ts';

/** What a reload changed, by the ids of the hooks. */
export interface HookChanges {
  readonly added: string[];
  readonly removed: string[];
  readonly changed: string[];
}

const neverRuns = (barrier: string): boolean =>
  ['unknown-event', 'event-not-fired', 'source-inactive'].includes(barrier);

/** What counts of every hook that is one, by its id: what it does, and whether it may. */
const contents = (hooks: readonly ConfiguredHook[]): Map<string, string> => {
  const found = new Map<string, string>();
  for (const { hookId, config, matcher, sequential, barriers } of hooks) {
    if (config === undefined || barriers.some(neverRuns)) continue;
    found.set(hookId, `${barriers.join()} ${contentOf({ config, matcher, sequential })}`);
  }
  return found;
};

/** Two loads compared. A hook that was only moved within its file is not changed; one that is no longer trusted is. */
export const hookChanges = (before: readonly ConfiguredHook[], after: readonly ConfiguredHook[]): HookChanges => {
  const earlier = contents(before);
  const later = contents(after);
  const added = [...later.keys()].filter((hookId) => !earlier.has(hookId));
  const removed = [...earlier.keys()].filter((hookId) => !later.has(hookId));
  const changed = [...later].flatMap(([hookId, content]) => {
    const previous = earlier.get(hookId);
    return previous === undefined || previous === content ? [] : [hookId];
  });
  return { added, removed, changed };
};
