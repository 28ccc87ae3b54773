/** Exports recordings and journals to other folders of `src`. */
export {
  type Journal,
  type JournalScope,
  listProjectJournal,
  openJournal,
  readJournal,
  startJournal,
} from './journal/journal.ts';
export { getJournalDirectory } from './journal/journal-files.ts';
export * from './recorder/index.ts';
export { EntryFilter, filterEntries } from './recorder/reading/filter-entries.ts';
export { parseEntry, parseHeader, type RecordedLine, RecordedLineSplitter } from './recorder/reading/read-session.ts';
export {
  type EncodedMessage,
  encodeEntry,
  encodeHeader,
  isEqualAsShortened,
} from './recorder/recording/encode-lines.ts';
export { EncodingQueue } from './recorder/recording/encoding-queue.ts';
export { callAtExit } from './recorder/recording/record.ts';
export { isEqualExceptMarks, Redactor } from './recorder/recording/redact.ts';
export { toRecordedForm } from './recorder/replaying/drive-player.ts';
export { createSessionHeader, locateEntry, MAX_LINE_BYTES } from './recorder/session-format.ts';
