import * as z from 'zod/mini';
import { once } from '../../kit/index.ts';

/** Raised when a reader of the old form would misread the new one. New members do not raise it. */
const ENVELOPE_VERSION = 1;

const problem = () =>
  z.object({
    severity: z.enum(['error', 'warning']),
    message: z.string(),
    file: z.optional(z.string()),
    line: z.optional(z.number()),
    column: z.optional(z.number()),
    hint: z.optional(z.string()),
  });

/** What `--json` prints. */
export const envelopeSchema = once(() =>
  z.object({
    hookwright: z.literal(ENVELOPE_VERSION),
    /** Empty when no command was recognised. */
    command: z.string(),
    /** True exactly when the process ends with 0. */
    ok: z.boolean(),
    /** What the command found; its form is the command's own. Absent when there is an `error`. */
    data: z.optional(z.unknown()),
    /** Why there is no answer: the command line was wrong, what it asks about is not there, or hookwright itself failed. */
    error: z.optional(
      z.object({
        code: z.enum(['usage', 'nothing-there', 'internal', 'interrupted']),
        message: z.string(),
        hint: z.optional(z.string()),
      }),
    ),
    problems: z.array(problem()),
  }),
);

/** One line of a command that streams; an envelope comes last. */
export const itemSchema = once(() =>
  z.object({ hookwright: z.literal(ENVELOPE_VERSION), command: z.string(), item: z.unknown() }),
);

export type CommandEnvelope = Readonly<z.infer<ReturnType<typeof envelopeSchema>>>;
export type EnvelopeError = NonNullable<CommandEnvelope['error']>;
