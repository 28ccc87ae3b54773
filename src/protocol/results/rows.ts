// Rows of a trace: one per configured hook of an event, with plan and result.
import * as z from 'zod/mini';
import { once } from '../../kit/index.ts';
import { faultCodes } from '../fault-and-notice-codes.ts';
import { isHookOutput } from '../hooks/output.ts';
import { noticeSchema, schemaFromGuard } from '../notices.ts';
import { conditionTexts } from '../settings/call-pattern.ts';
import { ConfigSource, type HookConfig } from '../settings/settings.ts';
import { type SkipReason, skipReasons } from '../skip-reasons.ts';

export { orderedReasons, type SkipReason, skipReasons } from '../skip-reasons.ts';

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

/** What happened to one field of an answer: applied, or overruled by another hook, for example. */
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
  const reason = schemaFromGuard(isSkipReason, 'a reason of the list');
  return z.object({
    hookId: z.string(),
    name: z.string(),
    eventName: z.string(),
    source: z.readonly(sourceSchema()),
    matcher: z.optional(z.string()),
    /** The agent for which the hook was written, if another one. */
    dialect: z.optional(z.string()),
    planned: z.enum(['run', 'skip']),
    reason: z.optional(reason),
    reasons: z.optional(z.readonly(z.array(reason))),
    /** How to make a skipped hook run. */
    hint: z.optional(z.string()),
    outcome: z.optional(z.enum(rowOutcomes)),
    code: z.optional(z.enum(faultCodes)),
    /** Describes the fault or the skip, if there is a code. */
    message: z.optional(z.string()),
    startedAt: z.optional(z.string()),
    durationMs: z.optional(z.number()),
    /** Part of `durationMs` until the process was started; for commands on this machine. */
    startupMs: z.optional(z.number()),
    exitCode: z.optional(z.number()),
    /** For a warm hook: whether a process started in advance served this run. */
    warm: z.optional(z.enum(['hit', 'miss'])),
    signal: z.optional(z.string()),
    stdoutHead: z.optional(z.string()),
    stderrHead: z.optional(z.string()),
    output: z.optional(schemaFromGuard(isHookOutput, 'an answer of a hook')),
    fields: z.optional(z.readonly(z.record(z.string(), fateSchema()))),
    warnings: z.optional(z.readonly(z.array(z.readonly(noticeSchema())))),
    /** This row is the second run of the hook, because other hooks changed the call. */
    recheck: z.optional(z.literal(true)),
    /** The end of a background hook; its row in the event has the outcome `background`. */
    background: z.optional(z.literal(true)),
    /** The hook has no effect, because hooks are only observed. */
    observed: z.optional(z.literal(true)),
  });
});

/** One configured hook of an event: whether it runs and why not, and the result of its run. */
export type HookRow = Readonly<z.infer<ReturnType<typeof rowSchema>>>;

/** Marks a row as observe-only: the hook runs, but its verdict has no effect. Rows of skipped hooks stay the same. */
export const observedRow = (row: HookRow): HookRow => (takesPart(row) ? { ...row, observed: true } : row);

/** The row of a hook whose `if` does not match this event. */
export const skippedRow = (row: HookRow, reason: SkipReason, { if: condition = [] }: HookConfig): HookRow => ({
  ...row,
  planned: 'skip',
  reason,
  reasons: [reason],
  hint: `It runs only if ${conditionTexts(condition).join(' or ')}. ${skipReasons[reason]}`,
});

/** Whether a hook counts in the answer: it runs, or it is a changed guard whose fault counts instead. */
export const takesPart = ({ planned, outcome }: Pick<HookRow, 'planned' | 'outcome'>): boolean =>
  planned === 'run' || outcome === 'faulted';
