export type {
  Session,
  SessionEntry,
  SessionFilter,
  SessionHeader,
  SessionProblem,
  SessionProblemCode,
} from './format.ts';
export { type Pace, pacedMessages } from './pace.ts';
export type { ReplayPair, ReplayProblem, ReplayProblemCode } from './player.ts';
export { readSession } from './read-session.ts';
export { type Recording, type RecordOptions, type RecordProblem, type RecordSummary, record } from './record.ts';
export type { RedactOptions } from './redact.ts';
export { type ReplayOptions, type ReplayProgress, type ReplayReport, replay } from './replay.ts';
export { type EntryOfNoFile, sessionOf } from './session-of.ts';
