// Types of an agent's hooks files after reading: entries and problems.
import type { LineAndColumn } from '../../kit/index.ts';
import type { EventRule, JsonObject, Plugin, Scope } from '../rule-types.ts';
import type { Handler, HandlerProblem } from './handler.ts';

export interface AgentFileText {
  readonly path: string;
  readonly scope: Scope;
  readonly form: string;
  readonly text: string;
  readonly plugin?: Plugin | undefined;
  /** The target of a link that leads out of the project. */
  readonly realPathOutside?: string | undefined;
}

export interface DialectProblem extends LineAndColumn {
  readonly severity: 'error' | 'warning';
  readonly file: string;
  readonly path: string;
  readonly message: string;
  readonly fix: string;
  readonly isUnreadable?: true;
  /** The agent itself does not report this problem. */
  readonly isSilentThere?: boolean;
  /** Set if only hookwright cannot run the hook; for the agent itself it is correct. */
  readonly onlyHere?: boolean;
}

export const createWarning = (
  { file, path = '', line = 1, column = 1 }: Partial<LineAndColumn> & { readonly file: string; readonly path?: string },
  message: string,
  fix: string,
): DialectProblem => ({ severity: 'warning', file, path, message, fix, line, column });

export interface DialectEntry extends LineAndColumn {
  readonly dialect: string;
  readonly file: string;
  readonly scope: Scope;
  readonly plugin?: Plugin | undefined;
  readonly path: string;
  readonly event: string;
  /** Absent if the agent does not have the event. */
  readonly rule?: EventRule | undefined;
  readonly matcher?: string | undefined;
  readonly sequential: boolean;
  readonly written: Readonly<JsonObject>;
  /** Absent if the handler cannot run. */
  readonly handler?: Handler | undefined;
  readonly refusal?: HandlerProblem | undefined;
  readonly off?: string | undefined;
  readonly notes: readonly string[];
}

export interface DialectReading {
  readonly entries: readonly DialectEntry[];
  readonly problems: readonly DialectProblem[];
  /** Why the agent ignores the whole file (`void`), or the setting that disables its hooks (`off`). */
  readonly void?: string;
  readonly off?: string;
  readonly root?: JsonObject;
}
