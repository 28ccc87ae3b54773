/** The door to recordings and journals for other folders of src, which must not import deeper. */
export {
  type Journal,
  type JournalScope,
  journalOf,
  openJournal,
  readJournal,
  startJournal,
} from './journal/journal.ts';
export { journalDirectory } from './journal/journal-files.ts';
export { MAX_LINE_BYTES, SESSION_VERSION } from './recorder/format.ts';
export * from './recorder/index.ts';
export { EntryFilter, filteredEntries } from './recorder/reading/filter.ts';
export { parseEntry, parseHeader, type RecordedLine, RecordedLineSplitter } from './recorder/reading/read-session.ts';
export { type EncodedMessage, encode, headerLine } from './recorder/recording/encode.ts';
export { EncodingQueue } from './recorder/recording/encoding-queue.ts';
export { atExit } from './recorder/recording/record.ts';
export { equalExceptMarks, Redactor } from './recorder/recording/redact.ts';
export { asRecordedResponse } from './recorder/replaying/drive.ts';
