import { abilityCatalogue, abilityEventTypes, isAbilityEventType } from '../events/ability-catalogue.ts';
import { matchSummary } from '../planner/ability-match.ts';
import type { AbilityHook } from '../protocol/ability-hook.ts';
import type { AbilityHookSet } from './hook-set.ts';

/** One declaration, as the listing shows it. */
export interface AbilityHookListing {
  readonly id: string;
  readonly event_type: string;
  readonly enabled: boolean;
  readonly blocking: boolean;
  readonly match_summary: string;
}

const columns = ['id', 'event_type', 'enabled', 'blocking', 'match_summary'] as const;

const asTable = (rows: readonly AbilityHookListing[]): string => {
  const cells = [[...columns], ...rows.map((row) => columns.map((column) => String(row[column])))];
  const widths = columns.map((_, index) => Math.max(...cells.map((row) => row[index]?.length ?? 0)));
  return cells
    .map((row) =>
      row
        .map((cell, index) => cell.padEnd(widths[index] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
};

/** What the file of one hook declares. */
export const listingOf = ({ id, eventType: event_type, enabled, blocking, match }: AbilityHook): AbilityHookListing => {
  const match_summary = isAbilityEventType(event_type)
    ? matchSummary(match, abilityCatalogue[event_type].everything)
    : 'no such event';
  return { id, event_type, enabled, blocking, match_summary };
};

/** Where an event stands in the course of a session; unknown ones come last. */
const placeOf = ({ eventType }: AbilityHook): number => {
  const place = abilityEventTypes.indexOf(eventType);
  return place === -1 ? abilityEventTypes.length : place;
};

/**
 * All hooks that are declared, by event and then in the order in which they run: as rows, and as a table for people.
 * Files that cannot be read are among the problems of the hook set.
 */
export const listAbilityHooks = ({
  hooks,
}: Pick<AbilityHookSet, 'hooks'>): { readonly rows: AbilityHookListing[]; readonly text: string } => {
  const rows = hooks.toSorted((a, b) => placeOf(a) - placeOf(b)).map(listingOf);
  return { rows, text: asTable(rows) };
};
