// Rows of a trace: the plan and the result of each configured hook of an event.
import * as z from 'zod/mini';
import { once } from '../../kit/index.ts';
import { faultCodes } from '../fault-and-notice-codes.ts';
import { isHookOutput } from '../hooks/output.ts';
import { noticeSchema, toGuardSchema } from '../notices.ts';
import { listConditionTexts } from '../settings/call-pattern.ts';
import { ConfigSource, type HookConfig } from '../settings/settings.ts';
import { type SkipReason, skipReasons } from '../skip-reasons.ts';

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
  const reason = toGuardSchema(isSkipReason, 'a reason of the list');
  return z.object({
    hookId: z.string(),
    name: z.string(),
    eventName: z.string(),
    source: z.readonly(sourceSchema()),
    matcher: z.optional(z.string()),
    dialect: z.optional(z.string()),
    planned: z.enum(['run', 'skip']),
    reason: z.optional(reason),
    reasons: z.optional(z.readonly(z.array(reason))),
    hint: z.optional(z.string()),
    outcome: z.optional(z.enum(rowOutcomes)),
    code: z.optional(z.enum(faultCodes)),
    message: z.optional(z.string()),
    startedAt: z.optional(z.string()),
    durationMs: z.optional(z.number()),
    /** The part of `durationMs` before the process was started. */
    startupMs: z.optional(z.number()),
    exitCode: z.optional(z.number()),
    /** `hit` if a process that was started in advance served the run. */
    warm: z.optional(z.enum(['hit', 'miss'])),
    signal: z.optional(z.string()),
    stdoutHead: z.optional(z.string()),
    stderrHead: z.optional(z.string()),
    output: z.optional(toGuardSchema(isHookOutput, 'an answer of a hook')),
    fields: z.optional(z.readonly(z.record(z.string(), fateSchema()))),
    warnings: z.optional(z.readonly(z.array(z.readonly(noticeSchema())))),
    /** The second run of a guard, after other hooks changed the call. */
    recheck: z.optional(z.literal(true)),
    /** A later row of a background hook, whose first row has the outcome `background`. */
    background: z.optional(z.literal(true)),
    /** The verdict has no effect, because the host has the mode `observe`. */
    observed: z.optional(z.literal(true)),
  });
});

export type HookRow = Readonly<z.infer<ReturnType<typeof rowSchema>>>;

export const toObservedRow = (row: HookRow): HookRow => (ranOrFaulted(row) ? { ...row, observed: true } : row);

export const toSkippedRow = (row: HookRow, reason: SkipReason, { if: condition = [] }: HookConfig): HookRow => ({
  ...row,
  planned: 'skip',
  reason,
  reasons: [reason],
  hint: `It runs only if ${listConditionTexts(condition).join(' or ')}. ${skipReasons[reason]}`,
});

/** Includes guards that changed since their approval: they do not run, but their `onFault` decides. */
export const ranOrFaulted = ({ planned, outcome }: Pick<HookRow, 'planned' | 'outcome'>): boolean =>
  planned === 'run' || outcome === 'faulted';
