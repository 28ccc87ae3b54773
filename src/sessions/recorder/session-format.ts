// The format of a session file: its header line, its entry lines, and their limits.
import * as z from 'zod/mini';
import { isRecord, once } from '../../kit/index.ts';
import type { HookMessage } from '../../protocol/index.ts';

export const MAX_SESSION_BYTES = 2 ** 31;

export const SESSION_VERSION = 1;

export const MAX_LINE_BYTES = 8 * 2 ** 20;

export const headerSchema = once(() =>
  z.object({
    hookwright: z.literal('session'),
    version: z.number(),
    /** Offsets (`at`) in all parts of a recording count from this time. */
    startedAt: z.string(),
    /** 1 for the first part. A recording that outgrows its file continues in a file with the next part number. */
    part: z.number(),
    session: z.optional(z.string()),
    /** False if the recording was made with `redact: false`. */
    redacted: z.optional(z.boolean()),
    project: z.optional(z.string()),
  }),
);

export type SessionHeader = Readonly<z.infer<ReturnType<typeof headerSchema>>>;

export const createSessionHeader = (startedAt: Date, more: Partial<SessionHeader> = {}): SessionHeader => ({
  hookwright: 'session',
  version: SESSION_VERSION,
  startedAt: startedAt.toISOString(),
  part: 1,
  ...more,
});

export const entrySchema = once(() =>
  z.object({
    /** Milliseconds since the recording began, measured with a monotonic clock. */
    at: z.number(),
    message: z.custom<Record<string, unknown>>(isRecord, 'an object'),
    /** Paths of redacted secrets in the message. */
    redacted: z.optional(z.array(z.string())),
    shortened: z.optional(z.array(z.string())),
  }),
);

export interface SessionEntry {
  readonly at: number;
  readonly line: number;
  readonly message: HookMessage;
  readonly redacted?: readonly string[];
  readonly shortened?: readonly string[];
  readonly file?: string;
}

export type SessionProblemCode =
  | 'not-a-session'
  | 'unsupported-version'
  | 'torn-line'
  | 'invalid-json'
  | 'line-too-long'
  | 'unknown-message'
  | 'invalid-message'
  | 'response-without-request';

export interface SessionProblem {
  readonly line: number;
  readonly code: SessionProblemCode;
  readonly message: string;
  readonly file?: string;
}

/**
 * Selects messages by event, tool and hook; all given conditions must hold. If a message matches, all messages of its
 * request are selected.
 */
export interface SessionFilter {
  readonly events?: readonly string[] | undefined;
  readonly tools?: readonly string[] | undefined;
  readonly hooks?: readonly string[] | undefined;
}

/** A recorded session. Each iteration reads the session again. */
export interface Session extends AsyncIterable<SessionEntry> {
  readonly file: string;
  /** Rejects with a `HookwrightError` if the file cannot be read or has no header. */
  header(): Promise<SessionHeader>;
  entries(filter?: SessionFilter): AsyncIterable<SessionEntry>;
  /** Problems that the latest iteration has found so far. */
  readonly problems: readonly SessionProblem[];
}

export type EntryLocation = Pick<SessionEntry, 'line' | 'file'>;

export const locateEntry = ({ line, file }: { line: number; file?: string | undefined }): EntryLocation =>
  file === undefined ? { line } : { line, file };
