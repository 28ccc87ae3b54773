import { contentOf } from './hook-id.ts';
import type { HookRegistryEntry } from './registry.ts';

/** What a reload changed, by the ids of the hooks. */
export interface HookChanges {
  readonly added: string[];
  readonly removed: string[];
  readonly changed: string[];
}

/** Two loads compared. A hook that was only moved within its file is not changed. */
export const hookChanges = (before: readonly HookRegistryEntry[], after: readonly HookRegistryEntry[]): HookChanges => {
  const earlier = new Map(before.map((entry) => [entry.hookId, contentOf(entry)]));
  const later = new Map(after.map((entry) => [entry.hookId, contentOf(entry)]));
  const added = [...later.keys()].filter((hookId) => !earlier.has(hookId));
  const removed = [...earlier.keys()].filter((hookId) => !later.has(hookId));
  const changed = [...later].flatMap(([hookId, content]) => {
    const previous = earlier.get(hookId);
    return previous === undefined || previous === content ? [] : [hookId];
  });
  return { added, removed, changed };
};
