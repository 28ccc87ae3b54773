import type { AgentHook, ConfigSource } from '../protocol/index.ts';

/** A settings file to read, and whose it is. */
export interface ConfigFile {
  readonly path: string;
  readonly scope: Exclude<ConfigSource, 'runtime'>;
  /** Whose hooks these are, when the scope is `extensions`; the name of the extension's directory when left out. */
  readonly extension?: string | undefined;
}

/** Who wrote a file decides what may stand in it, and what switches its hooks on. */
export type FileFormat = 'hookwright' | 'gemini' | 'dialect';

/** Who decides about a file: what a project brings must not speak for its user. */
export type FileOwner = 'project' | 'user' | 'system';

/** A file as the reader needs it. */
export interface SourceFile {
  /** Absolute. */
  readonly path: string;
  readonly scope: ConfigFile['scope'];
  readonly extension?: string | undefined;
  readonly family: FileFormat;
  readonly owner: FileOwner;
  /** A file outside of this directory is foreign. */
  readonly mustStayIn?: string | undefined;
  /** The project above that it belongs to, of which only guards hold here. */
  readonly outer?: string | undefined;
}

/** A file that may hold guards. */
export interface GuardedFile {
  readonly file: SourceFile;
  /** Something lies there, whether it could be read or not. */
  readonly exists: boolean;
  /** Why it cannot be read, where no earlier text of it is known either. */
  readonly unread?: { readonly line: number; readonly message: string } | undefined;
  /** Of a file of another agent: how that agent matches a guard at an event of ours. */
  readonly guardMatching?: ((event: string, matcher: string | undefined) => AgentHook['matches']) | undefined;
}
