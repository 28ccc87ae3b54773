// Types that both modes of a replay share: the player of a mode, and the pairs and problems that it reports.
import type { AnswerMessage } from '../../../protocol/index.ts';
import type { SessionEntry, SessionProblem, SessionProblemCode } from '../session-format.ts';

/**
 * `no-response`: in `drive` mode, nothing answered a request. `duplicate-response`: in `observe` mode, a handler
 * answered a request again.
 */
export type ReplayProblemCode = SessionProblemCode | 'no-response' | 'duplicate-response';

export interface ReplayProblem extends Omit<SessionProblem, 'code'> {
  readonly code: ReplayProblemCode;
}

export interface ReplayPair {
  readonly eventName: string;
  /** The value that hooks' matchers are compared with, such as the name of a tool. */
  readonly subject?: string;
  readonly line: number;
  /** Absent if the session has no answer to the request. */
  readonly recorded?: AnswerMessage;
  readonly replayed: AnswerMessage;
  /** True if the answers are equal except for times, durations and ids. */
  readonly same: boolean;
  /** Paths at which the answers differ, such as `result.finalOutput.decision`. */
  readonly differences: readonly string[];
  /** Paths in the request at which hooks read `[redacted: …]` instead of a secret. */
  readonly redacted?: readonly string[];
  readonly file?: string;
}

export interface ReplayPlayer {
  takes(entry: SessionEntry): boolean;
  /** Publishes an entry. A returned promise resolves when the next entry may follow, and rejects if the replay is aborted. */
  play(entry: SessionEntry): Promise<void> | undefined;
  finish(): Promise<{ readonly pairs: readonly ReplayPair[]; readonly problems: readonly ReplayProblem[] }>;
  end(): void;
}
