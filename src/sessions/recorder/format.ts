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
    /** When the recording began: what the offsets of all its parts count from. */
    startedAt: z.string(),
    /** From 1; a recording that outgrows its file goes on in another part. */
    part: z.number(),
    session: z.optional(z.string()),
    /** False when secrets were left in on purpose. */
    redacted: z.optional(z.boolean()),
    /** In a journal, the directory of the project whose decision it is. */
    project: z.optional(z.string()),
  }),
);

export type SessionHeader = Readonly<z.infer<ReturnType<typeof headerSchema>>>;

export const entrySchema = once(() =>
  z.object({
    /** Milliseconds since the recording began, by a clock that never goes back. */
    at: z.number(),
    message: z.custom<Record<string, unknown>>(isRecord, 'an object'),
    /** Paths in the message where a mark stands instead of a secret. */
    redacted: z.optional(z.array(z.string())),
    /** Paths of texts that were cut because the line would have been too long. */
    shortened: z.optional(z.array(z.string())),
  }),
);

/** One message of a session. Errors and outputs in it are plain data, as on any wire. */
export interface SessionEntry {
  readonly at: number;
  /** Where it stands in the file, from 1. */
  readonly line: number;
  readonly message: HookMessage;
  readonly redacted?: readonly string[];
  readonly shortened?: readonly string[];
  /** The file of the line, where it is an older part of the recording. */
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

/** What is wrong with a line. The other lines are used all the same. */
export interface SessionProblem {
  readonly line: number;
  readonly code: SessionProblemCode;
  readonly message: string;
  /** The file of the line, where it is an older part of the recording. */
  readonly file?: string;
}

/** Which messages are wanted. What is given must all apply; a message comes with all others of its correlation id. */
export interface SessionFilter {
  readonly events?: readonly string[] | undefined;
  readonly tools?: readonly string[] | undefined;
  /** Names or ids of hooks that ran. */
  readonly hooks?: readonly string[] | undefined;
}

/** A recorded session. Every iteration reads it afresh. */
export interface Session extends AsyncIterable<SessionEntry> {
  readonly file: string;
  /** Rejects with a `HookwrightError` when the file cannot be read or does not begin like a session. */
  header(): Promise<SessionHeader>;
  entries(filter?: SessionFilter): AsyncIterable<SessionEntry>;
  /** What the last iteration that began has met so far. */
  readonly problems: readonly SessionProblem[];
}
