// Types of an agent's rules: its files, events and plugins, and the call that becomes the stdin of a hook.
import type { MatcherRule } from './agent-matcher.ts';

export type JsonObject = Record<string, unknown>;

export type Platform = 'linux' | 'darwin' | 'win32';

/** The owner of a settings file, from strongest to weakest. */
export type Scope = 'project' | 'user' | 'system';

/** An event of an agent. */
export interface EventRule {
  /** The hookwright event at which its hooks run; without it they cannot run. */
  readonly moment?: string;
  /** A second hookwright event, for agents that have one event for success and failure. */
  readonly alsoAt?: string;
  /** Only calls of tools of these kinds. */
  readonly kinds?: readonly string[];
  /** The member of stdin that matchers are compared with; absent if matchers are ignored. */
  readonly subject?: string;
  /** A fixed text that matchers are compared with. */
  readonly literal?: string;
  /** How matchers are compared, if not as for tools. */
  readonly matcher?: MatcherRule;
  /** The model sees the tool's result in any case; a block is added to it. */
  readonly keepsResult?: true;
  /** The first version with the event. */
  readonly since?: string;
  /** A hook can block. */
  readonly blocks: boolean;
  /** The default timeout, if the event has its own. */
  readonly timeoutMs?: number;
  /** The name of a second form of the event with another payload. */
  readonly variant?: string;
}

export const isToolSubject = (subject: string | undefined): boolean => subject === 'tool' || subject === 'tool_name';

/** One call of a hook, from which its stdin is made. */
export interface Call {
  /** The agent's name of the event. */
  readonly event: string;
  readonly rule: EventRule;
  readonly version: string;
  /** The input that hookwright's own hooks get. */
  readonly input: Readonly<JsonObject>;
  /** The tool call with the agent's names; absent for events without a tool. */
  readonly tool?: { readonly name: string; readonly kind?: string | undefined; readonly input: JsonObject };
  /** The id of the tool call or the turn. */
  readonly callId: string;
  readonly projectDir: string;
  /** How often in a row hooks have made the agent continue. */
  readonly loops: number;
  /** How many of these events the hook had before in this session. */
  readonly nth: number;
  /** Reads a file that the call names. */
  readonly textOf: (path: string) => string;
}

/**
 * A file, or the files of a directory, that an agent reads. Paths begin with `{project}`, `{home}`, `{cwd+}` (the
 * working directory and each parent up to the project), or a variable with a default, `{CODEX_HOME|{home}/.codex}`. A
 * path that ends in `*.json` means every such file of the directory.
 */
export interface FileRule {
  readonly scope: Scope;
  readonly path: string | Readonly<Partial<Record<Platform, string>>>;
  /** The first version that reads it. */
  readonly since?: string;
  /** The agent that owns the file, if it is another. */
  readonly of?: string;
  /** Users can configure the agent not to read it. */
  readonly isOptional?: true;
  /** The form of the file, if the agent has several. */
  readonly form?: string;
}

/** A mistake at the top level of a file. */
export interface RootFlaw {
  readonly key: string;
  readonly message: string;
  readonly fix: string;
  /** The agent ignores the whole file. */
  readonly voids: boolean;
}

/** One form of a hooks file. */
export interface FileForm {
  readonly syntax: 'json' | 'jsonc' | 'toml';
  /** The keys allowed at the top level: any other makes the agent ignore the file. Absent: unknown keys are ignored. */
  readonly onlyKeys?: readonly string[];
  /** Events are members of this key, or of every member of the root. */
  readonly events: { readonly below: string } | { readonly belowEachName: true };
  /** Groups `{matcher?, hooks: []}`, entries `{matcher?, command}`, or both. */
  readonly nesting: 'groups' | 'entries' | 'both';
  /** One invalid entry makes the agent ignore the whole file. */
  readonly voidedByEntry?: boolean;
  /** One invalid entry made the agent ignore the whole file before this version. */
  readonly voidedByEntryUntil?: string;
  /** An event whose value is not a list makes the agent ignore the whole file. */
  readonly voidedByList?: boolean;
  /** Names of events are case-insensitive. */
  readonly anyCase?: boolean;
  readonly rootFlaw?: (root: JsonObject) => RootFlaw | undefined;
  /** Keys among the events that are not events. */
  readonly notEvents?: readonly string[];
}

/** How hooks are written for an agent. */
export interface WriteRule {
  readonly path: string;
  /** The key of the command line. */
  readonly line: string;
  /** The project's directory in a shell line. */
  readonly projectDir: string;
  /** The key of a timeout, the milliseconds of its unit, and the largest value in that unit. */
  readonly timeout: { readonly key: string; readonly ms: number; readonly most?: number };
  /** Members of the root beside the hooks. */
  readonly root?: JsonObject;
  /** Handlers have a `type`. */
  readonly type?: boolean;
  /** The member that makes a failing handler block. */
  readonly failClosed?: JsonObject;
  /** The key that limits how often in a row a handler may make the agent continue, and the events that read it. */
  readonly loops?: { readonly key: string; readonly events: readonly string[] };
  /** Whether hooks of an event are written in groups, for forms that accept both. */
  readonly grouped?: (rule: EventRule) => boolean;
  /** The key of the object with the hooks. */
  readonly name?: string;
}

export interface VersionNote {
  readonly version: string;
  readonly what: string;
  /** Set if only one source confirms the rule. */
  readonly thin?: boolean;
}

/** How an agent stores its plugins. */
export interface PluginRule {
  /** The agent's word for them. */
  readonly noun: 'plugin' | 'extension';
  /** Folders with one plugin each; each `*` is one level of folders, named by `parts`. */
  readonly folders: readonly { readonly path: string; readonly parts: readonly ('market' | 'name' | 'version')[] }[];
  /** Possible manifests, with name, version and perhaps hooks; the first that exists counts. */
  readonly manifests: readonly string[];
  /** Hooks files that the manifest need not name. */
  readonly hooks: readonly string[];
  /** The manifest can contain hooks or name hooks files. */
  readonly readsManifest: boolean;
  readonly form?: string;
  /** Plugin id → `true` or `false` in one settings file. */
  readonly wishes: (root: JsonObject) => Readonly<Record<string, unknown>>;
  readonly isOnByDefault: boolean;
  /** A file that lists installed plugins with their folders. */
  readonly registry?: string;
  /** A file that enables plugins by working directory. */
  readonly enablement?: string;
  /** Folders of marketplaces by name: a file that lists them, and the default parent folder. */
  readonly markets?: { readonly file: string; readonly fallback: string };
  readonly data?: string;
  /** Variables of a plugin's hooks. */
  readonly variables: (place: PluginPlace) => Readonly<Record<string, string>>;
  /** Placeholders that are replaced in their command lines. */
  readonly placeholders?: (place: PluginPlace) => Readonly<Record<string, string>>;
}

export interface PluginPlace {
  readonly root: string;
  readonly data: string;
  readonly projectDir: string;
}

/** An enabled plugin on this machine. */
export interface Plugin extends PluginPlace {
  readonly id: string;
  readonly version: string;
  /** The settings that enable it. */
  readonly scope: Scope;
  /** Files with hooks; the manifest can be one of them. */
  readonly files: readonly string[];
}
