import type { DialectReading, ReadFile } from './entry.ts';

/** What lies elsewhere and holds no hooks may be anything: its mistakes would be told in its own words. */
export const unquoted = (file: ReadFile, title: string, reading: DialectReading): DialectReading => {
  const { strayedTo } = file;
  if (strayedTo === undefined || reading.entries.length > 0) return reading;
  const message = `the file leads to ${strayedTo}, which is outside of the project and no settings of ${title}`;
  const fix = 'put the file itself there, not a link';
  return {
    entries: [],
    problems: [{ severity: 'error', file: file.path, path: '', message, fix, line: 1, column: 1 }],
    void: message,
  };
};
