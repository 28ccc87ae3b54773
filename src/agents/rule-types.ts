// Types of an agent's rules: files, events, plugins, and the call of a hook.
import type { MatcherRule } from './agent-matcher.ts';

export type JsonObject = Record<string, unknown>;

export type Platform = 'linux' | 'darwin' | 'win32';

/** Whose settings these are, from strongest to weakest. */
export type Scope = 'project' | 'user' | 'system';

export interface EventRule {
  /** The hookwright event; without it the hooks cannot run. */
  readonly moment?: string;
  /** A second hookwright event, if the agent has one event for success and failure. */
  readonly alsoAt?: string;
  readonly kinds?: readonly string[];
  /** The stdin member that matchers are compared with; absent if matchers are ignored. */
  readonly subject?: string;
  readonly literal?: string;
  readonly matcher?: MatcherRule;
  /** A block cannot remove the tool's result, only add to it. */
  readonly keepsResult?: true;
  readonly since?: string;
  readonly blocks: boolean;
  readonly timeoutMs?: number;
  /** Set if the event has a second name with another payload. */
  readonly variant?: string;
}

export const isToolSubject = (subject: string | undefined): boolean => subject === 'tool' || subject === 'tool_name';

/** An event by the rules of one version of its agent. */
export interface AgentEvent {
  readonly event: string;
  readonly rule: EventRule;
  readonly version: string;
}

export interface AgentEventCall extends AgentEvent {
  /** The stdin of hookwright's own hooks. */
  readonly input: Readonly<JsonObject>;
  readonly tool?: { readonly name: string; readonly kind?: string | undefined; readonly input: JsonObject };
  readonly callId: string;
  readonly projectDir: string;
  /** How often in a row hooks made the agent continue. */
  readonly loops: number;
  /** The number of earlier events of this name in the session. */
  readonly nth: number;
  readonly textOf: (path: string) => string;
}

/**
 * Paths begin with `{project}`, `{home}`, `{cwd+}` (the working directory and its parents up to the project) or a
 * variable with a default, `{CODEX_HOME|{home}/.codex}`. `*.json` means every such file of the directory.
 */
export interface FileRule {
  readonly scope: Scope;
  readonly path: string | Readonly<Partial<Record<Platform, string>>>;
  readonly since?: string;
  /** The other agent that owns the file. */
  readonly of?: string;
  /** Users can configure the agent to ignore the file. */
  readonly isOptional?: true;
  readonly form?: string;
}

export interface RootFlaw {
  readonly key: string;
  readonly message: string;
  readonly fix: string;
  /** The agent ignores a file with this mistake. */
  readonly voids: boolean;
}

export interface FileForm {
  readonly syntax: 'json' | 'jsonc' | 'toml';
  /** Any other key makes the agent ignore the file. Absent: unknown keys are ignored. */
  readonly onlyKeys?: readonly string[];
  /** Events are members of this key, or of every object of the file. */
  readonly events: { readonly below: string } | { readonly belowEachName: true };
  /** Groups `{matcher?, hooks: []}`, entries `{matcher?, command}`, or both. */
  readonly nesting: 'groups' | 'entries' | 'both';
  readonly voidedByEntry?: boolean;
  /** First version of the agent that no longer ignores a whole file because of one invalid entry. */
  readonly voidedByEntryUntil?: string;
  /** The agent ignores the whole file if the value of an event is not a list. */
  readonly voidedByNonList?: boolean;
  readonly anyCase?: boolean;
  readonly rootFlaw?: (root: JsonObject) => RootFlaw | undefined;
  readonly notEvents?: readonly string[];
}

export interface WriteRule {
  readonly path: string;
  readonly line: string;
  /** The project's directory in a shell command line. */
  readonly projectDir: string;
  /** `ms`: milliseconds of the unit; `most`: the largest value in that unit. */
  readonly timeout: { readonly key: string; readonly ms: number; readonly most?: number };
  readonly root?: JsonObject;
  readonly type?: boolean;
  readonly failClosed?: JsonObject;
  /** The key that limits how often in a row a handler may make the agent continue, and its events. */
  readonly loops?: { readonly key: string; readonly events: readonly string[] };
  readonly grouped?: (rule: EventRule) => boolean;
  /** The key of the object with the hooks, if not `hooks`. */
  readonly name?: string;
}

export interface VersionNote {
  readonly version: string;
  readonly what: string;
  readonly thin?: boolean;
}

export interface PluginRule {
  readonly noun: 'plugin' | 'extension';
  /** Each `*` is one level of folders, named by `parts`. */
  readonly folders: readonly { readonly path: string; readonly parts: readonly ('market' | 'name' | 'version')[] }[];
  /** Only the first manifest that exists is read. */
  readonly manifests: readonly string[];
  /** Hooks files that are read even if the manifest does not name them. */
  readonly hooks: readonly string[];
  readonly readsManifest: boolean;
  readonly form?: string;
  /** Plugin id → `true` or `false`, by one settings file. */
  readonly wishes: (root: JsonObject) => Readonly<Record<string, unknown>>;
  readonly isOnByDefault: boolean;
  readonly registry?: string;
  readonly enablement?: string;
  /** `file` lists the folders of marketplaces; others are subfolders of `fallback`. */
  readonly markets?: { readonly file: string; readonly fallback: string };
  readonly data?: string;
  readonly variables: (place: PluginPlace) => Readonly<Record<string, string>>;
  readonly placeholders?: (place: PluginPlace) => Readonly<Record<string, string>>;
}

export interface PluginPlace {
  readonly root: string;
  readonly data: string;
  readonly projectDir: string;
}

export interface Plugin extends PluginPlace {
  readonly id: string;
  readonly version: string;
  readonly scope: Scope;
  readonly files: readonly string[];
}
