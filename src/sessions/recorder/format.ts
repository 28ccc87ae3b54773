// The format of a session file: its header, its entries, its limits.
import * as z from 'zod/mini';
import { isRecord, once } from '../../kit/index.ts';
import type { HookMessage } from '../../protocol/index.ts';

/** Larger files are neither written nor read. */
export const MAX_SESSION_BYTES = 2 ** 31;

export const SESSION_VERSION = 1;

/** Longer lines are neither written nor read. */
export const MAX_LINE_BYTES = 8 * 2 ** 20;

export const headerSchema = once(() =>
  z.object({
    hookwright: z.literal('session'),
    version: z.number(),
    /** When the recording began. The offsets of all its parts count from this time. */
    startedAt: z.string(),
    /** From 1. A recording that outgrows a file continues in another part. */
    part: z.number(),
    session: z.optional(z.string()),
    /** False if secrets were kept on purpose. */
    redacted: z.optional(z.boolean()),
    /** In a journal: the project directory of the decisions. */
    project: z.optional(z.string()),
  }),
);

export type SessionHeader = Readonly<z.infer<ReturnType<typeof headerSchema>>>;

export const entrySchema = once(() =>
  z.object({
    /** Milliseconds since the recording began, by a monotonic clock. */
    at: z.number(),
    message: z.custom<Record<string, unknown>>(isRecord, 'an object'),
    /** Paths in the message at which a mark replaces a secret. */
    redacted: z.optional(z.array(z.string())),
    /** Paths of texts that were cut to keep the line within its limit. */
    shortened: z.optional(z.array(z.string())),
  }),
);

/** One message of a session. Errors and outputs are plain data. */
export interface SessionEntry {
  readonly at: number;
  /** Line number in the file, from 1. */
  readonly line: number;
  readonly message: HookMessage;
  readonly redacted?: readonly string[];
  readonly shortened?: readonly string[];
  /** File of the line, if it is an older part of the recording. */
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

/** A problem of one line. The other lines are still used. */
export interface SessionProblem {
  readonly line: number;
  readonly code: SessionProblemCode;
  readonly message: string;
  /** File of the line, if it is an older part of the recording. */
  readonly file?: string;
}

/** Selects messages. All given conditions must hold; a match includes all messages with its correlation id. */
export interface SessionFilter {
  readonly events?: readonly string[] | undefined;
  readonly tools?: readonly string[] | undefined;
  readonly hooks?: readonly string[] | undefined;
}

/** A recorded session. Each iteration reads it again. */
export interface Session extends AsyncIterable<SessionEntry> {
  readonly file: string;
  /** Rejects with a `HookwrightError` if the file cannot be read or has no header. */
  header(): Promise<SessionHeader>;
  entries(filter?: SessionFilter): AsyncIterable<SessionEntry>;
  /** Problems that the latest iteration has found so far. */
  readonly problems: readonly SessionProblem[];
}
