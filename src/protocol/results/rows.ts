import * as z from 'zod/mini';
import { once } from '../../kit/index.ts';
import { isHookOutput } from '../hooks/output.ts';
import { faultCodes, type SkipReason, skipReasons } from '../notice-codes.ts';
import { guarded, noticeSchema } from '../notices.ts';
import { conditionTexts } from '../settings/call-pattern.ts';
import { ConfigSource, type HookConfig } from '../settings/settings.ts';

export { orderedReasons, type SkipReason, skipReasons } from '../notice-codes.ts';

export const rowOutcomes = ['answered', 'silent', 'faulted', 'background'] as const;
export type RowOutcome = (typeof rowOutcomes)[number];

const isSkipReason = (value: unknown): value is SkipReason =>
  typeof value === 'string' && Object.hasOwn(skipReasons, value);

const fateSchema = once(() =>
  z.discriminatedUnion('fate', [
    z.object({ fate: z.literal('applied') }),
    z.object({ fate: z.literal('overridden'), by: z.string() }),
    z.object({ fate: z.literal('unsupported'), note: z.string() }),
    z.object({ fate: z.literal('malformed'), note: z.string() }),
  ]),
);

/** What became of one field a hook returned. */
export type FieldFate = Readonly<z.infer<ReturnType<typeof fateSchema>>>;

const sourceSchema = once(() =>
  z.object({
    kind: z.enum(ConfigSource),
    extension: z.optional(z.string()),
    file: z.optional(z.string()),
    line: z.optional(z.number()),
  }),
);

export type RowSource = Readonly<z.infer<ReturnType<typeof sourceSchema>>>;

export const rowSchema = once(() => {
  const reason = guarded(isSkipReason, 'a reason of the list');
  return z.object({
    hookId: z.string(),
    name: z.string(),
    eventName: z.string(),
    source: z.readonly(sourceSchema()),
    matcher: z.optional(z.string()),
    /** The agent it was written for, where that is another. */
    dialect: z.optional(z.string()),
    planned: z.enum(['run', 'skip']),
    reason: z.optional(reason),
    reasons: z.optional(z.readonly(z.array(reason))),
    /** How to make a skipped hook run. */
    hint: z.optional(z.string()),
    outcome: z.optional(z.enum(rowOutcomes)),
    code: z.optional(z.enum(faultCodes)),
    /** What went wrong, in words, where there is a code. */
    message: z.optional(z.string()),
    startedAt: z.optional(z.string()),
    durationMs: z.optional(z.number()),
    /** How much of `durationMs` passed until the process of the hook was there; of commands that run on this machine. */
    startupMs: z.optional(z.number()),
    exitCode: z.optional(z.number()),
    /** Of a warm hook: whether a process that was started ahead served this run. */
    warm: z.optional(z.enum(['hit', 'miss'])),
    signal: z.optional(z.string()),
    stdoutHead: z.optional(z.string()),
    stderrHead: z.optional(z.string()),
    output: z.optional(guarded(isHookOutput, 'an answer of a hook')),
    fields: z.optional(z.readonly(z.record(z.string(), fateSchema()))),
    warnings: z.optional(z.readonly(z.array(z.readonly(noticeSchema())))),
    /** The hook was asked once more, because the call was another by then; this row tells of the second answer. */
    recheck: z.optional(z.literal(true)),
    /** How a hook ended that the event did not wait for; the row of the event says `background`. */
    background: z.optional(z.literal(true)),
    /** Nothing of it counts, because hooks are only observed: the row tells what would have been. */
    observed: z.optional(z.literal(true)),
  });
});

/** One configured hook of an event: whether it would run and why not, and after a run what came of it. */
export type HookRow = Readonly<z.infer<ReturnType<typeof rowSchema>>>;

/** The row of a hook that is only observed. One that does not run has nothing to observe. */
export const observedRow = (row: HookRow): HookRow => (takesPart(row) ? { ...row, observed: true } : row);

/** The row of a hook that would run and that its `if` kept from one event. */
export const skippedRow = (row: HookRow, reason: SkipReason, { if: condition = [] }: HookConfig): HookRow => ({
  ...row,
  planned: 'skip',
  reason,
  reasons: [reason],
  hint: `It runs only if ${conditionTexts(condition).join(' or ')}. ${skipReasons[reason]}`,
});

/** Whether a hook counts in an answer: it runs, or it was a guard before it changed and its fault is heard instead. */
export const takesPart = ({ planned, outcome }: Pick<HookRow, 'planned' | 'outcome'>): boolean =>
  planned === 'run' || outcome === 'faulted';
