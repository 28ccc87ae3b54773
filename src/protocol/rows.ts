import type { HookOutput } from './output.ts';
import type { FaultCode } from './run.ts';
import type { ConfigSource } from './settings.ts';

/**
 * Why a configured hook would not run, in the order in which the reasons are looked for: the first that applies is the
 * row's `reason`. Each has a line that says how to change it.
 */
export const skipReasons = {
  'hooks-disabled': 'Hooks are switched off: set enableHooks to true, or hooksConfig.enabled in the settings file.',
  'unknown-event': 'No event has this name: use one of the known event names.',
  'invalid-config': 'The entry cannot be read: correct what its problem names.',
  'source-inactive': 'The extension that brings this hook is not active: activate it.',
  disabled: 'The hook is switched off by name: take it from the disabled list or call setHookEnabled(name, true).',
  untrusted: 'The folder or extension that brings this hook is not trusted: trust it.',
  'changed-since-trusted': 'The hook changed after it was approved: look at the change and approve it again.',
  'matcher-mismatch': 'The matcher does not match: change the matcher, or leave it out to match everything.',
  duplicate: 'The same hook is configured before this one: remove one of the two.',
  aborted: 'The request was cancelled before anything was planned: fire it again, with a signal that has not aborted.',
} as const;

export type SkipReason = keyof typeof skipReasons;

const order: readonly string[] = Object.keys(skipReasons);

/** Reasons in their fixed order, each once. */
export const orderedReasons = (reasons: readonly SkipReason[]): SkipReason[] =>
  [...new Set(reasons)].sort((a, b) => order.indexOf(a) - order.indexOf(b));

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

/** One configured hook of an event: whether it would run and why not, and after a run what came of it. */
export interface HookRow {
  readonly hookId: string;
  readonly name: string;
  readonly eventName: string;
  readonly source: RowSource;
  readonly matcher?: string;
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
  readonly signal?: string | undefined;
  readonly stdoutHead?: string | undefined;
  readonly stderrHead?: string | undefined;
  readonly output?: HookOutput | undefined;
  readonly fields?: Readonly<Record<string, FieldFate>> | undefined;
  readonly warnings?: readonly string[] | undefined;
}
