// Creates the trace row of a hook: it runs, or it is skipped with a reason.
import {
  type HookRow,
  type Notice,
  orderedReasons,
  type RowSource,
  type SkipReason,
  skipReasons,
} from '../protocol/index.ts';

/** The part of a configured hook that its row repeats. */
export interface RowSubject {
  readonly hookId: string;
  readonly name: string;
  readonly eventName: string;
  readonly source: RowSource;
  readonly matcher?: string;
  readonly dialect?: string;
}

export interface PlannedRow {
  readonly reasons: readonly SkipReason[];
  readonly warnings?: readonly Notice[];
  /** What is special about the reason of this hook; the general advice follows. */
  readonly detail?: string | undefined;
}

/** Joins two sentences, with a full stop if the first has none. */
const sentences = (first: string, second: string): string => `${first}${/[.!?]$/.test(first) ? '' : '.'} ${second}`;

export const plannedRow = (
  { hookId, name, eventName, source, matcher, dialect }: RowSubject,
  { reasons, warnings = [], detail }: PlannedRow,
): HookRow => {
  const [reason, ...others] = orderedReasons(reasons);
  const base = {
    hookId,
    name,
    eventName,
    source,
    ...(matcher === undefined ? {} : { matcher }),
    ...(dialect === undefined ? {} : { dialect }),
  };
  const noted = warnings.length === 0 ? {} : { warnings };
  if (reason === undefined) return { ...base, planned: 'run', ...noted };
  const hint = detail === undefined ? skipReasons[reason] : sentences(detail, skipReasons[reason]);
  return { ...base, planned: 'skip', reason, reasons: [reason, ...others], hint, ...noted };
};
