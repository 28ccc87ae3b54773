import type { LineAndColumn } from '../../kit/index.ts';
import type { EventRule, JsonObject, Plugin, Scope } from '../rule-types.ts';
import type { Handler, HandlerProblem } from './handler.ts';

/** A file of a dialect, found and read. */
export interface AgentFileText {
  readonly path: string;
  readonly scope: Scope;
  readonly form: string;
  readonly text: string;
  /** The plugin or extension that brings it. */
  readonly plugin?: Plugin | undefined;
  /** Real path of a file of the project, if a link leads outside. */
  readonly realPathOutside?: string | undefined;
}

/** A mistake in a file, and its consequence. */
export interface DialectProblem extends LineAndColumn {
  readonly severity: 'error' | 'warning';
  readonly file: string;
  readonly path: string;
  readonly message: string;
  readonly fix: string;
  /** Nothing in the file can be read. */
  readonly isUnreadable?: true;
  /** The agent does not report it. */
  readonly isSilentThere?: boolean;
  /** No mistake: the agent runs it, and only hookwright cannot. */
  readonly onlyHere?: boolean;
}

/** A warning about a file, or about a place in it. */
export const warningAt = (
  { file, path = '', line = 1, column = 1 }: Partial<LineAndColumn> & { readonly file: string; readonly path?: string },
  message: string,
  fix: string,
): DialectProblem => ({ severity: 'warning', file, path, message, fix, line, column });

/** One handler as it stands in a file. */
export interface DialectEntry extends LineAndColumn {
  readonly dialect: string;
  readonly file: string;
  readonly scope: Scope;
  readonly plugin?: Plugin | undefined;
  readonly path: string;
  readonly event: string;
  /** Absent for an event that the agent does not have. */
  readonly rule?: EventRule | undefined;
  readonly matcher?: string | undefined;
  readonly sequential: boolean;
  /** The handler as written. */
  readonly written: Readonly<JsonObject>;
  /** Absent when it cannot run. */
  readonly handler?: Handler | undefined;
  readonly refusal?: HandlerProblem | undefined;
  /** The setting that disables this hook alone. */
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
