import type { LineAndColumn } from '../../kit/index.ts';
import type { EventRule, JsonObject, Plugin, Scope } from '../rule-types.ts';
import type { Handler, HandlerProblem } from './handler.ts';

/** A file of a dialect, found and read. */
export interface ReadFile {
  readonly path: string;
  readonly scope: Scope;
  readonly form: string;
  readonly text: string;
  /** The plugin or extension that brings it. */
  readonly plugin?: Plugin | undefined;
  /** Where a file of the project really lies, when that is elsewhere: others may have put the link there. */
  readonly strayedTo?: string | undefined;
}

/** Something wrong in a file, and what comes of it. */
export interface DialectProblem extends LineAndColumn {
  readonly severity: 'error' | 'warning';
  readonly file: string;
  readonly path: string;
  readonly message: string;
  readonly fix: string;
  /** Nothing in the file can be read. */
  readonly isUnreadable?: true;
  /** The agent itself says nothing about it. */
  readonly isSilentThere?: boolean;
  /** Nothing is wrong with it: its agent runs it, and only here it cannot be run. */
  readonly onlyHere?: boolean;
}

/** One handler as it stands in a file. */
export interface DialectEntry extends LineAndColumn {
  readonly dialect: string;
  readonly file: string;
  readonly scope: Scope;
  readonly plugin?: Plugin | undefined;
  readonly path: string;
  readonly event: string;
  /** What the event is in the dialect; absent for an event it does not have. */
  readonly rule?: EventRule | undefined;
  readonly matcher?: string | undefined;
  readonly sequential: boolean;
  /** The handler as written. */
  readonly written: Readonly<JsonObject>;
  /** Absent when it cannot run. */
  readonly handler?: Handler | undefined;
  readonly refusal?: HandlerProblem | undefined;
  /** What switches this one off, and not its file. */
  readonly off?: string | undefined;
  readonly notes: readonly string[];
}

export interface DialectReading {
  readonly entries: readonly DialectEntry[];
  readonly problems: readonly DialectProblem[];
  /** Why none of the entries count: the file is void to its agent, or switched off. */
  readonly void?: string;
  readonly off?: string;
  /** All that stands in it. */
  readonly root?: JsonObject;
}
