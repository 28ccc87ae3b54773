/** Entry `hookwright/recorder`: records the messages of a bus into a session file, and replays them. */

export { readSession } from './reading/read-session.ts';
export {
  type Recording,
  type RecordOptions,
  type RecordProblem,
  type RecordSummary,
  record,
} from './recording/record.ts';
export type { RedactOptions } from './recording/redact.ts';
export { type Pace, pacedMessages } from './replaying/pace.ts';
export {
  type EntryOfNoFile,
  type ReplayOptions,
  type ReplayProgress,
  type ReplayReport,
  replay,
  sessionOf,
} from './replaying/replay.ts';
export type { ReplayPair, ReplayProblem, ReplayProblemCode } from './replaying/replay-player.ts';
export type {
  Session,
  SessionEntry,
  SessionFilter,
  SessionHeader,
  SessionProblem,
  SessionProblemCode,
} from './session-format.ts';
