import type { AnswerMessage } from '../../../protocol/index.ts';
import type { SessionEntry, SessionProblem, SessionProblemCode } from '../format.ts';

/** Beside what is wrong with the session: a driven request without a response, an observed one with a second one. */
export type ReplayProblemCode = SessionProblemCode | 'no-response' | 'duplicate-response';

export interface ReplayProblem extends Omit<SessionProblem, 'code'> {
  readonly code: ReplayProblemCode;
}

/** A request of the session, how it was answered when it was recorded, and how it was answered now. Plain data, both. */
export interface ReplayPair {
  readonly eventName: string;
  /** What matchers were compared with: the tool, the trigger. */
  readonly subject?: string;
  /** Where the request stands in the file. */
  readonly line: number;
  /** Absent when the session has no answer to this request. */
  readonly recorded?: AnswerMessage;
  readonly replayed: AnswerMessage;
  /** Whether they say the same, times, durations and ids aside. */
  readonly same: boolean;
  /** Where they differ: `result.finalOutput.decision`. */
  readonly differences: readonly string[];
  /** Where the hooks now found a mark in the request instead of a secret. */
  readonly redacted?: readonly string[];
  /** The file of the line, where it is an older part of the recording. */
  readonly file?: string;
}

/** What becomes of the entries of a session. */
export interface Player {
  /** Whether this entry is to be played when it is due. What is only to be known is noted here. */
  takes(entry: SessionEntry): boolean;
  /** Publishes. The promise, where there is one, resolves when the next may follow; it rejects on abort. */
  play(entry: SessionEntry): Promise<void> | undefined;
  /** Called when all have been played. */
  finish(): Promise<{ readonly pairs: readonly ReplayPair[]; readonly problems: readonly ReplayProblem[] }>;
  /** Called in any case. */
  end(): void;
}

/** Where an entry stands. */
export type LineOfSession = Pick<SessionEntry, 'line' | 'file'>;

export const lineOfSession = ({ line, file }: SessionEntry): LineOfSession =>
  file === undefined ? { line } : { line, file };

export const problemAt = (place: LineOfSession, code: ReplayProblemCode, message: string): ReplayProblem => ({
  ...place,
  code,
  message,
});
