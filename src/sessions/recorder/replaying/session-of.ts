import { filteredEntries } from '../reading/filter.ts';
import {
  SESSION_VERSION,
  type Session,
  type SessionEntry,
  type SessionFilter,
  type SessionHeader,
} from '../reading/format.ts';

/** An entry that was never in a file may have no line. */
export type EntryOfNoFile = Omit<SessionEntry, 'line'> & { readonly line?: number };

/** A session that is there at once, so that a scheduler of virtual time can drive it. */
export class MemorySession implements Session {
  readonly file = 'memory';
  readonly problems = [];
  readonly list: readonly SessionEntry[];

  constructor(entries: readonly EntryOfNoFile[]) {
    // The line it would have in a file, behind the header.
    this.list = entries.map((entry, index) => ({ ...entry, line: entry.line ?? index + 2 }));
  }

  header(): Promise<SessionHeader> {
    const startedAt = new Date(0).toISOString();
    return Promise.resolve({ hookwright: 'session', version: SESSION_VERSION, startedAt, part: 1 });
  }

  entries(filter?: SessionFilter): AsyncIterable<SessionEntry> {
    return filteredEntries(filter, () => this[Symbol.asyncIterator]());
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<SessionEntry, void, undefined> {
    yield* this.list;
  }
}

/** A session made of entries, for tests and for virtual time. */
export const sessionOf = (entries: readonly EntryOfNoFile[]): Session => new MemorySession(entries);
