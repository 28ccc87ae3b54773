// Lists the declared ability hooks as rows and as a table.
import { basename } from 'node:path';
import { abilityCatalogue, isAbilityEventType } from '../events/index.ts';
import { summarizeMatch } from '../planner/index.ts';
import type { AbilityHook, HookRow, SkipReason } from '../protocol/index.ts';
import type { AbilityHookSet } from './hook-set.ts';

const UNKNOWN = 'unknown';

/** A declared hook in the listing. */
export interface AbilityHookListing {
  readonly id: string;
  readonly event_type: string;
  /** `unknown` if the file cannot be read. */
  readonly enabled: boolean | typeof UNKNOWN;
  readonly blocking: boolean | typeof UNKNOWN;
  readonly match_summary: string;
  /** Why the hook does not run; absent if it does. */
  readonly status?: 'unapproved' | 'lapsed' | 'unreadable' | 'no such event' | 'id is taken' | 'switched off';
}

const columns = ['id', 'event_type', 'enabled', 'blocking', 'match_summary'] as const;

const marks: Readonly<Partial<Record<SkipReason, NonNullable<AbilityHookListing['status']>>>> = {
  untrusted: 'unapproved',
  'changed-since-trusted': 'lapsed',
  'invalid-config': 'unreadable',
  'unknown-event': 'no such event',
  duplicate: 'id is taken',
};

/** A reason of the hook itself precedes a pause of all hooks. */
const statusOf = ({ reasons = [] }: HookRow): AbilityHookListing['status'] => {
  const [first] = reasons.filter((reason) => reason !== 'hooks-disabled');
  return (first && marks[first]) ?? (reasons.includes('hooks-disabled') ? 'switched off' : undefined);
};

const asTable = (rows: readonly AbilityHookListing[]): string => {
  const shown = rows.some(({ status }) => status !== undefined) ? [...columns, 'status' as const] : columns;
  const cells = [[...shown], ...rows.map((row) => shown.map((column) => String(row[column] ?? '')))];
  const widths = shown.map((_, index) => Math.max(...cells.map((row) => row[index]?.length ?? 0)));
  return cells
    .map((row) =>
      row
        .map((cell, index) => cell.padEnd(widths[index] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
};

export const listingOf = ({ id, eventType: event_type, enabled, blocking, match }: AbilityHook): AbilityHookListing => {
  const match_summary = isAbilityEventType(event_type)
    ? summarizeMatch(match, abilityCatalogue[event_type].everything)
    : 'no such event';
  return { id, event_type, enabled, blocking, match_summary };
};

const unreadable = ({ name, eventName, source: { file } }: HookRow): AbilityHookListing => ({
  id: name === '' ? basename(file ?? '') : name,
  event_type: eventName === '' ? UNKNOWN : eventName,
  enabled: UNKNOWN,
  blocking: UNKNOWN,
  match_summary: UNKNOWN,
});

/**
 * Lists all declared hooks by event and order of execution, as rows and as a table. Unapproved, changed and unreadable
 * hooks are marked.
 */
export const listAbilityHooks = (
  hookSet: Pick<AbilityHookSet, 'hooks' | 'explain'>,
): { readonly rows: AbilityHookListing[]; readonly text: string } => {
  const byFile = new Map(hookSet.hooks.map((hook) => [hook.file, hook]));
  const rows = hookSet.explain().map((row): AbilityHookListing => {
    const { source } = row;
    const hook = source.file === undefined ? undefined : byFile.get(source.file);
    const listed = hook === undefined ? unreadable(row) : listingOf(hook);
    const status = statusOf(row);
    return status === undefined ? listed : { ...listed, status };
  });
  return { rows, text: asTable(rows) };
};
