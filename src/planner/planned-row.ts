import {
  type HookRow,
  type Notice,
  orderedReasons,
  type RowSource,
  type SkipReason,
  skipReasons,
} from '../protocol/index.ts';

/** What a row repeats of a configured hook. */
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
  /** What is particular to this hook about its reason; what to do follows. */
  readonly detail?: string | undefined;
}

/** Two sentences, whether or not the first has a full stop already. */
const sentences = (first: string, second: string): string => `${first}${/[.!?]$/.test(first) ? '' : '.'} ${second}`;

/** The row of a hook that was looked at: it runs, or the first of its reasons says why not. */
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
