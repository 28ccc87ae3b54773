// Keeps the latest decisions of a user's hooks on disk. Writing never delays or changes an answer.

import { existsSync } from 'node:fs';
import { createId } from '../../bus/internal.ts';
import type { HookSystem } from '../../hook-system.ts';
import { describeThrown, once } from '../../kit/index.ts';
import type { HookMessage, Logger } from '../../protocol/index.ts';
import { readFilesAsSession } from '../recorder/reading/read-session.ts';
import { encodeHeader } from '../recorder/recording/encode-lines.ts';
import { callAtExit } from '../recorder/recording/record.ts';
import { Redactor } from '../recorder/recording/redact.ts';
import { createSessionHeader, type Session } from '../recorder/session-format.ts';
import {
  addToJournal,
  getJournalDirectory,
  hashProject,
  type JournalFile,
  listJournalFiles,
  MAX_JOURNAL_DECISIONS,
} from './journal-files.ts';
import { copyForJournal, encodeJournalLine, type JournalMessage } from './journal-message.ts';

export interface JournalScope {
  readonly home: string;
  readonly project: string;
}

export interface Journal {
  readonly add: (messages: readonly HookMessage[]) => void;
  /** Writes all queued decisions. Never throws, and may be called again. */
  readonly close: () => void;
}

const JOURNAL_WRITE_DELAY_MS = 200;

/** A full journal removes its oldest file, so small files lose few decisions at once. */
const MAX_DECISIONS_PER_FILE = 50;
const MAX_JOURNAL_FILE_BYTES = 2 ** 20;

class DecisionJournal implements Journal {
  readonly #scope: JournalScope;
  readonly #onTrouble: (why: string) => void;
  readonly #redactor = once(() => new Redactor());
  #waiting: { readonly atMs: number; readonly messages: readonly JournalMessage[] }[] = [];
  #timer: NodeJS.Timeout | undefined;
  #forgetExit: (() => void) | undefined;
  #hasFailed = false;

  constructor(scope: JournalScope, onTrouble: (why: string) => void) {
    this.#scope = scope;
    this.#onTrouble = onTrouble;
  }

  readonly add = (messages: readonly HookMessage[]): void => {
    this.#waiting.push({ atMs: Date.now(), messages: messages.map(copyForJournal) });
    if (this.#waiting.length > MAX_JOURNAL_DECISIONS) this.#waiting.shift();
    this.#forgetExit ??= callAtExit(this.#writeAll);
    this.#timer ??= setTimeout(this.#writeNext, JOURNAL_WRITE_DELAY_MS).unref();
  };

  readonly close = (): void => {
    this.#writeAll();
    clearTimeout(this.#timer);
    this.#forgetExit?.();
    this.#forgetExit = undefined;
  };

  readonly #writeAll = (): void => {
    while (this.#waiting.length > 0) this.#writeFile();
  };

  /** Writes one file per turn of the event loop, so that other work is not blocked. */
  readonly #writeNext = (): void => {
    this.#writeFile();
    this.#timer = this.#waiting.length === 0 ? undefined : setTimeout(this.#writeNext, 0).unref();
  };

  #writeFile(): void {
    const { home, project } = this.#scope;
    const startedMs = this.#waiting[0]?.atMs;
    if (startedMs === undefined) return;
    try {
      const { decisions, text } = this.#take(startedMs);
      addToJournal(home, { project, atMs: startedMs, decisions, text });
      this.#hasFailed = false;
    } catch (error) {
      if (!this.#hasFailed) this.#onTrouble(`the journal cannot be written: ${describeThrown(error)}`);
      this.#hasFailed = true;
    }
  }

  #take(startedMs: number): { readonly decisions: number; readonly text: string } {
    const about = { session: createId(), redacted: true, project: this.#scope.project };
    let text = encodeHeader(createSessionHeader(new Date(startedMs), about));
    let taken = 0;
    while (taken < MAX_DECISIONS_PER_FILE && text.length < MAX_JOURNAL_FILE_BYTES) {
      const next = this.#waiting.shift();
      if (next === undefined) break;
      taken += 1;
      for (const message of next.messages) text += encodeJournalLine(next.atMs - startedMs, message, this.#redactor());
    }
    return { decisions: taken, text };
  }
}

/** `onTrouble` is called for the first of several successive failures only. */
export const openJournal = (scope: JournalScope, onTrouble: (why: string) => void): Journal =>
  new DecisionJournal(scope, onTrouble);

export const startJournal = (system: HookSystem, scope: JournalScope, logger: Logger | undefined): (() => void) => {
  const journal = openJournal(scope, (why) => logger?.warn?.(why));
  system.watchDecisions(journal.add);
  return journal.close;
};

export const listProjectJournal = ({ home, project }: JournalScope, sinceMs = 0): readonly JournalFile[] => {
  const key = hashProject(project);
  return listJournalFiles(home).filter((file) => file.project === key && file.atMs >= sinceMs);
};

/** Every iteration lists the files of the journal again, and skips files that were removed meanwhile. */
export const readJournal = (scope: JournalScope, sinceMs?: number): Session =>
  readFilesAsSession(getJournalDirectory(scope.home), () => {
    const paths = listProjectJournal(scope, sinceMs).map(({ path }) => path);
    return Promise.resolve(paths.filter((path) => existsSync(path)));
  });
