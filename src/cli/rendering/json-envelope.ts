import * as z from 'zod/mini';
import { once } from '../../kit/index.ts';

/** Raised if readers of the old form would misread the new one; new members do not raise it. */
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

/** The output of `--json`. */
export const envelopeSchema = once(() =>
  z.object({
    hookwright: z.literal(ENVELOPE_VERSION),
    /** Empty if no command was recognised. */
    command: z.string(),
    /** True exactly when the process ends with 0. */
    ok: z.boolean(),
    /** In a form of the command's own; absent beside an `error`. */
    data: z.optional(z.unknown()),
    /** Why there is no `data`. */
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

/** One line of a command that streams; the envelope comes last. */
export const itemSchema = once(() =>
  z.object({ hookwright: z.literal(ENVELOPE_VERSION), command: z.string(), item: z.unknown() }),
);

export type CommandEnvelope = Readonly<z.infer<ReturnType<typeof envelopeSchema>>>;
export type EnvelopeError = NonNullable<CommandEnvelope['error']>;
