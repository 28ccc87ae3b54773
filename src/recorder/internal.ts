/** The door for the other rooms; index.ts is the one for users. */
export { EntryFilter, filteredEntries } from './reading/filter.ts';
export { MAX_LINE_BYTES, SESSION_VERSION } from './reading/format.ts';
export { type Line, LineSplitter } from './reading/lines.ts';
export { parseEntry, parseHeader } from './reading/parse-line.ts';
export { atExit } from './recording/at-exit.ts';
export { encode } from './recording/encode.ts';
export { sameButForMarks } from './recording/marks.ts';
export { toPlain } from './recording/plain.ts';
export { Redactor } from './recording/redact.ts';
export { Remembered } from './recording/remembered.ts';
export { snapshot } from './recording/snapshot.ts';
export { asRecorded } from './replaying/compare.ts';
