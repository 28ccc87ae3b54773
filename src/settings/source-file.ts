/** Types of settings files: path, scope, format and owner. */
import type { AgentHook, ConfigSource } from '../protocol/index.ts';

/** A settings file to read. */
export interface ConfigFile {
  readonly path: string;
  readonly scope: Exclude<ConfigSource, 'runtime'>;
  /** Name of the extension if the scope is `extensions`. Default: the name of its directory. */
  readonly extension?: string | undefined;
}

/** The program whose format the file has decides its allowed members and switches. */
export type FileFormat = 'hookwright' | 'gemini' | 'dialect';

/** The owner of the folder: a project must not decide for its user. */
export type FileOwner = 'project' | 'user' | 'system';

export interface SourceFile {
  readonly path: string;
  readonly scope: ConfigFile['scope'];
  readonly extension?: string | undefined;
  readonly family: FileFormat;
  readonly owner: FileOwner;
  /** The project or plugin folder; the hooks of a file that leads elsewhere do not run. */
  readonly mustStayIn?: string | undefined;
  /** The parent project of the file; only its approved guards apply. */
  readonly outer?: string | undefined;
}

export interface GuardFile {
  readonly file: SourceFile;
  /** `true` also if the file cannot be read. */
  readonly exists: boolean;
  /** Why the file cannot be read; `undefined` if an earlier text of it is still in use. */
  readonly unread?: { readonly line: number; readonly message: string } | undefined;
  /** For a file of another agent: how the agent matches a guard at one of our events, and at one of its own if known. */
  readonly guardMatching?:
    | ((event: string, matcher: string | undefined, agentEvent: string | undefined) => AgentHook['matches'])
    | undefined;
}
