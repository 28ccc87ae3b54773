/** The decisions of a project that a journal has, as one session. */
import { existsSync } from 'node:fs';
import type { Session } from '../recorder/format.ts';
import { readTogether } from '../recorder/reading/read-session.ts';
import type { JournalPlace } from './journal.ts';
import { type JournalFile, journalDirectory, journalFiles, projectKey } from './journal-files.ts';

/** The files of a project, the oldest first; since then, if a time is given. */
export const journalOf = ({ home, project }: JournalPlace, sinceMs = 0): readonly JournalFile[] => {
  const key = projectKey(project);
  return journalFiles(home).filter((file) => file.project === key && file.atMs >= sinceMs);
};

/** Reads them anew each time it is iterated. What made room for others meanwhile is left out. */
export const readJournal = (place: JournalPlace, sinceMs?: number): Session =>
  readTogether(journalDirectory(place.home), () => {
    const paths = journalOf(place, sinceMs).map(({ path }) => path);
    return Promise.resolve(paths.filter((path) => existsSync(path)));
  });
