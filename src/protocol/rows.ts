import type { FaultCode, SkipReason } from './codes.ts';
import type { Notice } from './notices.ts';
import type { HookOutput } from './output.ts';
import type { ConfigSource } from './settings.ts';

export { orderedReasons, type SkipReason, skipReasons } from './codes.ts';

export interface RowSource {
  readonly kind: ConfigSource;
  readonly extension?: string;
  readonly file?: string;
  readonly line?: number;
}

/** What became of one field a hook returned. */
export type FieldFate =
  | { readonly fate: 'applied' }
  | { readonly fate: 'overridden'; readonly by: string }
  | { readonly fate: 'unsupported'; readonly note: string }
  | { readonly fate: 'malformed'; readonly note: string };

export const rowOutcomes = ['answered', 'silent', 'faulted', 'background'] as const;
export type RowOutcome = (typeof rowOutcomes)[number];

/** Whether a hook counts in an answer: it runs, or it was a guard before it changed and its fault is heard instead. */
export const takesPart = ({ planned, outcome }: Pick<HookRow, 'planned' | 'outcome'>): boolean =>
  planned === 'run' || outcome === 'faulted';

/** One configured hook of an event: whether it would run and why not, and after a run what came of it. */
export interface HookRow {
  readonly hookId: string;
  readonly name: string;
  readonly eventName: string;
  readonly source: RowSource;
  readonly matcher?: string;
  /** The agent it was written for, where that is another. */
  readonly dialect?: string;
  readonly planned: 'run' | 'skip';
  readonly reason?: SkipReason;
  readonly reasons?: readonly SkipReason[];
  /** How to make a skipped hook run. */
  readonly hint?: string;
  readonly outcome?: RowOutcome | undefined;
  readonly code?: FaultCode | undefined;
  /** What went wrong, in words, where there is a code. */
  readonly message?: string | undefined;
  readonly startedAt?: string | undefined;
  readonly durationMs?: number | undefined;
  readonly exitCode?: number | undefined;
  /** Of a warm hook: whether a process that was started ahead served this run. */
  readonly warm?: 'hit' | 'miss' | undefined;
  readonly signal?: string | undefined;
  readonly stdoutHead?: string | undefined;
  readonly stderrHead?: string | undefined;
  readonly output?: HookOutput | undefined;
  readonly fields?: Readonly<Record<string, FieldFate>> | undefined;
  readonly warnings?: readonly Notice[] | undefined;
  /** The hook was asked once more, because the call was another by then; this row tells of the second answer. */
  readonly recheck?: true | undefined;
}
