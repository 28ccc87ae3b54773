/** The types of a settings file: path, scope, format, owner. */
import type { AgentHook, ConfigSource } from '../protocol/index.ts';

export interface ConfigFile {
  readonly path: string;
  readonly scope: Exclude<ConfigSource, 'runtime'>;
  /** For the scope `extensions`. Default: the name of the directory. */
  readonly extension?: string | undefined;
}

export type FileFormat = 'hookwright' | 'gemini' | 'dialect';

export type FileOwner = 'project' | 'user' | 'system';

export interface SourceFile {
  readonly path: string;
  readonly scope: ConfigFile['scope'];
  readonly extension?: string | undefined;
  readonly family: FileFormat;
  readonly owner: FileOwner;
  /** If links lead out of this folder, the hooks of the file do not run. */
  readonly mustStayIn?: string | undefined;
  /** The parent project that contains the file; only its approved guards apply. */
  readonly outer?: string | undefined;
}

export interface GuardFile {
  readonly file: SourceFile;
  readonly exists: boolean;
  readonly unread?: { readonly line: number; readonly message: string } | undefined;
  /** For a file of another agent: matches calls by the agent's rules. */
  readonly guardMatching?:
    | ((event: string, matcher: string | undefined, agentEvent: string | undefined) => AgentHook['matches'])
    | undefined;
}
