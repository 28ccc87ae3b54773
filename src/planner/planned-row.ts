// Creates the row of a hook in a trace or in `explain`: the hook runs, or it is skipped with a reason.
import { omitUndefined } from '../kit/index.ts';
import {
  type HookRow,
  type Notice,
  type RowSource,
  type SkipReason,
  skipReasons,
  sortReasons,
} from '../protocol/index.ts';

export interface RowHook {
  readonly hookId: string;
  readonly name: string;
  readonly eventName: string;
  readonly source: RowSource;
  readonly matcher?: string;
  readonly dialect?: string;
}

interface RowDetails {
  readonly reasons: readonly SkipReason[];
  readonly warnings?: readonly Notice[];
  /** A hint for this hook, shown before the general hint for the skip reason. */
  readonly detail?: string | undefined;
}

const joinSentences = (first: string, second: string): string => `${first}${/[.!?]$/.test(first) ? '' : '.'} ${second}`;

export const createPlannedRow = (
  { hookId, name, eventName, source, matcher, dialect }: RowHook,
  { reasons, warnings = [], detail }: RowDetails,
): HookRow => {
  const [reason, ...others] = sortReasons(reasons);
  const base = omitUndefined({ hookId, name, eventName, source, matcher, dialect });
  const noted = warnings.length === 0 ? {} : { warnings };
  if (reason === undefined) return { ...base, planned: 'run', ...noted };
  const hint = detail === undefined ? skipReasons[reason] : joinSentences(detail, skipReasons[reason]);
  return { ...base, planned: 'skip', reason, reasons: [reason, ...others], hint, ...noted };
};
