// Lists the declared ability hooks as rows and as a table.
import { basename } from 'node:path';
import { abilityCatalogue, isAbilityEventType } from '../events/index.ts';
import { omitUndefined } from '../kit/index.ts';
import { summarizeMatch } from '../planner/index.ts';
import type { AbilityHook, HookRow, SkipReason } from '../protocol/index.ts';
import type { AbilityHookSet } from './hook-set.ts';

const UNKNOWN_VALUE = 'unknown';

export interface AbilityHookListing {
  readonly id: string;
  readonly event_type: string;
  readonly enabled: boolean | typeof UNKNOWN_VALUE;
  readonly blocking: boolean | typeof UNKNOWN_VALUE;
  readonly match_summary: string;
  /** Why the hook does not run; absent if it does. */
  readonly status?: 'unapproved' | 'lapsed' | 'unreadable' | 'no such event' | 'id is taken' | 'switched off';
}

const listedColumns = ['id', 'event_type', 'enabled', 'blocking', 'match_summary'] as const;

const statusByReason: Readonly<Partial<Record<SkipReason, NonNullable<AbilityHookListing['status']>>>> = {
  untrusted: 'unapproved',
  'changed-since-trusted': 'lapsed',
  'invalid-config': 'unreadable',
  'unknown-event': 'no such event',
  duplicate: 'id is taken',
};

const findStatus = ({ reasons = [] }: HookRow): AbilityHookListing['status'] => {
  const first = reasons.find((reason) => reason !== 'hooks-disabled');
  return (first && statusByReason[first]) ?? (reasons.includes('hooks-disabled') ? 'switched off' : undefined);
};

const formatTable = (rows: readonly AbilityHookListing[]): string => {
  const shown = rows.some(({ status }) => status !== undefined) ? [...listedColumns, 'status' as const] : listedColumns;
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

export const toHookListing = ({
  id,
  eventType: event_type,
  enabled,
  blocking,
  match,
}: AbilityHook): AbilityHookListing => {
  const match_summary = isAbilityEventType(event_type)
    ? summarizeMatch(match, abilityCatalogue[event_type].everything)
    : 'no such event';
  return { id, event_type, enabled, blocking, match_summary };
};

const toUnreadableListing = ({ name, eventName, source: { file } }: HookRow): AbilityHookListing => ({
  id: name === '' ? basename(file ?? '') : name,
  event_type: eventName === '' ? UNKNOWN_VALUE : eventName,
  enabled: UNKNOWN_VALUE,
  blocking: UNKNOWN_VALUE,
  match_summary: UNKNOWN_VALUE,
});

/** Lists all declared hooks by event and order of execution, with the reason if a hook does not run. */
export const listAbilityHooks = (
  hookSet: Pick<AbilityHookSet, 'hooks' | 'explain'>,
): { readonly rows: AbilityHookListing[]; readonly text: string } => {
  const byFile = new Map(hookSet.hooks.map((hook) => [hook.file, hook]));
  const rows = hookSet.explain().map((row): AbilityHookListing => {
    const hook = byFile.get(row.source.file ?? '');
    const listing = hook === undefined ? toUnreadableListing(row) : toHookListing(hook);
    return omitUndefined({ ...listing, status: findStatus(row) });
  });
  return { rows, text: formatTable(rows) };
};
