import { basename } from 'node:path';
import { abilityCatalogue, isAbilityEventType } from '../events/index.ts';
import { matchSummary } from '../planner/index.ts';
import type { AbilityHook, HookRow, SkipReason } from '../protocol/index.ts';
import type { AbilityHookSet } from './hook-set.ts';

const UNKNOWN = 'unknown';

/** One declaration, as the listing shows it. */
export interface AbilityHookListing {
  readonly id: string;
  readonly event_type: string;
  /** `unknown` if the file cannot be read. */
  readonly enabled: boolean | typeof UNKNOWN;
  readonly blocking: boolean | typeof UNKNOWN;
  readonly match_summary: string;
  /** Why it is not run although it is there. Absent where nothing is the matter. */
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

/** What is the matter with the hook itself comes before what a person said of all of them for a while. */
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

/** What the file of one hook declares. */
export const listingOf = ({ id, eventType: event_type, enabled, blocking, match }: AbilityHook): AbilityHookListing => {
  const match_summary = isAbilityEventType(event_type)
    ? matchSummary(match, abilityCatalogue[event_type].everything)
    : 'no such event';
  return { id, event_type, enabled, blocking, match_summary };
};

/** What is known of a file that cannot be read: that it is there. */
const unreadable = ({ name, eventName, source: { file } }: HookRow): AbilityHookListing => ({
  id: name === '' ? basename(file ?? '') : name,
  event_type: eventName === '' ? UNKNOWN : eventName,
  enabled: UNKNOWN,
  blocking: UNKNOWN,
  match_summary: UNKNOWN,
});

/**
 * Lists all declared hooks by event and order of execution, as rows and as a table. Hooks that are not approved, changed
 * since their approval or unreadable are marked.
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
