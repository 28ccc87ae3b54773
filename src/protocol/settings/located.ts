import type { HookDialect } from '../hook-dialect.ts';
import type { SkipReason } from '../results/rows.ts';
import type { FilePosition } from './origin.ts';
import type { HookConfig } from './settings.ts';

/** What holds for all hooks that one file brings. */
export interface SettingsSheet {
  /** Its absolute path. */
  readonly file: string;
  /** Why none of them runs, with the way to change that. */
  readonly barriers?: readonly SkipReason[] | undefined;
  readonly hint?: string | undefined;
  /** Others may have written it: its hooks do not run, and its guards refuse instead. */
  readonly isExposed?: boolean | undefined;
  /** Names this file switches off among its own. */
  readonly disabled?: ReadonlySet<string> | undefined;
  /** Where its hooks run, when that is not the project of the session. */
  readonly projectDir?: string | undefined;
  /** Of a file of the user: what a hook of it starts that lies in the project. */
  readonly programInProject?: ((hook: HookConfig, dialect?: HookDialect) => string | undefined) | undefined;
}

/** Where an object or list stands that was read from a file. */
export interface Place {
  readonly sheet: SettingsSheet;
  /** In that file, as problems write it: `hooks.BeforeTool[0].hooks[1]`. */
  readonly path: string;
  /** Why it is not to be used although it could be read, such as a syntax error before its end. */
  readonly flaw?: string | undefined;
  /** The hook was written for another agent. */
  readonly dialect?: HookDialect | undefined;
  /** Members as they were written, before variables in them were filled in. */
  readonly written?: Readonly<Record<string, unknown>> | undefined;
  /** Of the member with this path; of the thing itself without one, or when there is no such member. */
  positionOf(path?: string): FilePosition;
}

const places = new WeakMap<object, Place>();

/** Remembers where a value stands, beside it: it stays what its author wrote, wherever it is handed on. */
export const placeAt = <T extends object>(value: T, place: Place): T => {
  places.set(value, place);
  return value;
};

export const placeOf = (value: unknown): Place | undefined =>
  typeof value === 'object' && value !== null ? places.get(value) : undefined;
