import { catalogue, isHookEventName } from '../../events/index.ts';
import { duplicateKey, type PlanContext } from '../../planner/index.ts';
import type { HookRow } from '../../protocol/index.ts';
import type { ConfiguredHook } from '../../registry/index.ts';

/** An entry of the settings: its row as `explain` gives it, and what is behind it. */
export interface ConfiguredEntry {
  readonly row: HookRow;
  readonly hook: ConfiguredHook | undefined;
}

const matcherOf = ({ matcher = '' }: HookRow): string => matcher.trim().replace(/^\*$/, '');

const hasSubject = ({ eventName }: HookRow, about: PlanContext | undefined): boolean => {
  const rule = isHookEventName(eventName) ? catalogue[eventName].subject : undefined;
  return rule === undefined || about?.[rule.from] !== undefined;
};

const isSameHook = (one: ConfiguredEntry, other: ConfiguredEntry): boolean =>
  one.hook?.config !== undefined &&
  other.hook?.config !== undefined &&
  one.row.eventName === other.row.eventName &&
  duplicateKey(one.hook.config) === duplicateKey(other.hook.config);

/**
 * Asked about no tool in particular, every matcher counts as matching, and a hook that stands under two of them is taken
 * for a duplicate of itself. Each of the two runs for tools of its own, so here they are what they are: two hooks.
 */
export const withoutApparentDuplicates = (
  hooks: readonly ConfiguredEntry[],
  about: PlanContext | undefined,
): readonly ConfiguredEntry[] =>
  hooks.map((one, index) => {
    const { row } = one;
    if (row.reason !== 'duplicate' || hasSubject(row, about)) return one;
    const stands = hooks
      .slice(0, index)
      .some((other) => isSameHook(one, other) && matcherOf(other.row) === matcherOf(row));
    if (stands) return one;
    const { reason: _reason, reasons: _reasons, hint: _hint, ...rest } = row;
    return { ...one, row: { ...rest, planned: 'run' } };
  });
