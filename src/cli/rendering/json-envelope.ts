/** The schemas of the `--json` output that all commands share. */
import * as z from 'zod/mini';
import { once } from '../../kit/index.ts';

/** Raised if programs that read the last version would misread the output. New members do not need a new version. */
const ENVELOPE_VERSION = 1;

const createProblemSchema = () =>
  z.object({
    severity: z.enum(['error', 'warning']),
    message: z.string(),
    file: z.optional(z.string()),
    line: z.optional(z.number()),
    column: z.optional(z.number()),
    hint: z.optional(z.string()),
  });

export const envelopeSchema = once(() =>
  z.object({
    hookwright: z.literal(ENVELOPE_VERSION),
    command: z.string(),
    ok: z.boolean(),
    data: z.optional(z.unknown()),
    error: z.optional(
      z.object({
        code: z.enum(['usage', 'nothing-there', 'internal', 'interrupted']),
        message: z.string(),
        hint: z.optional(z.string()),
      }),
    ),
    problems: z.array(createProblemSchema()),
  }),
);

export const itemSchema = once(() =>
  z.object({ hookwright: z.literal(ENVELOPE_VERSION), command: z.string(), item: z.unknown() }),
);

export type CommandEnvelope = Readonly<z.infer<ReturnType<typeof envelopeSchema>>>;
export type CommandItem = Readonly<z.infer<ReturnType<typeof itemSchema>>>;
export type EnvelopeError = NonNullable<CommandEnvelope['error']>;
