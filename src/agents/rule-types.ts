// What the rules of an agent are made of: its files, events, plugins, and the call that they turn into stdin.
import type { MatcherRule } from './agent-matcher.ts';

export type JsonObject = Record<string, unknown>;

export type Platform = 'linux' | 'darwin' | 'win32';

/** Whose settings a file holds, in the order in which they count for us. */
export type Scope = 'project' | 'user' | 'system';

/** An event of an agent. */
export interface EventRule {
  /** Our event for it; without one its hooks cannot run here. */
  readonly moment?: string;
  /** A second event of ours for it, such as a failure if the agent has no event for that. */
  readonly alsoAt?: string;
  /** Only calls of these kinds of tools. */
  readonly kinds?: readonly string[];
  /** The member of stdin that a matcher is compared with; absent if matchers are ignored. */
  readonly subject?: string;
  /** The fixed text that a matcher is compared with. */
  readonly literal?: string;
  /** How a matcher is compared, if not as for tools. */
  readonly matcher?: MatcherRule;
  /** The model sees the result of the tool in any case: a block stands beside it. */
  readonly keepsResult?: true;
  /** The first version with the event. */
  readonly since?: string;
  /** A hook may keep the agent from going on. */
  readonly blocks: boolean;
  /** The default timeout, if the event has one of its own. */
  readonly timeoutMs?: number;
  /** A second form of the event with another payload, by its name. */
  readonly variant?: string;
}

/** Whether a matcher is compared with the name of a tool. */
export const isToolSubject = (subject: string | undefined): boolean => subject === 'tool' || subject === 'tool_name';

/** One call of a hook, from which its agent's stdin is made. */
export interface Call {
  /** The event by the agent's name. */
  readonly event: string;
  readonly rule: EventRule;
  readonly version: string;
  /** The input of our own hooks. */
  readonly input: Readonly<JsonObject>;
  /** The tool call by the agent's names; absent for events without a tool. */
  readonly tool?: { readonly name: string; readonly kind?: string | undefined; readonly input: JsonObject };
  /** The id of the tool call, or of the turn. */
  readonly callId: string;
  readonly projectDir: string;
  /** How often in a row hooks sent the agent on. */
  readonly loops: number;
  /** How many of these events the hook got before in the session. */
  readonly nth: number;
  /** The content of a file that the call names. */
  readonly textOf: (path: string) => string;
}

/**
 * A file, or the files of a directory, that an agent reads. Paths begin with a place in braces: `{project}`, `{home}`,
 * `{cwd+}` (the working directory and each one above it, up to the project), or a variable with its default,
 * `{CODEX_HOME|{home}/.codex}`. A path that ends in `*.json` means every such file of its directory.
 */
export interface FileRule {
  readonly scope: Scope;
  readonly path: string | Readonly<Partial<Record<Platform, string>>>;
  /** The first version that reads it. */
  readonly since?: string;
  /** The agent whose file it is, if that is another. */
  readonly of?: string;
  /** The agent may be told not to read it. */
  readonly isOptional?: true;
  /** Its form, if the agent has several. */
  readonly form?: string;
}

/** A mistake in the root of a file. */
export interface RootFlaw {
  readonly key: string;
  readonly message: string;
  readonly fix: string;
  /** The agent drops the whole file. */
  readonly voids: boolean;
}

/** One form of a file of hooks. */
export interface FileForm {
  readonly syntax: 'json' | 'jsonc' | 'toml';
  /** The keys the root may have; any other makes the agent drop the whole file. Absent: others are ignored. */
  readonly onlyKeys?: readonly string[];
  /** Where the events stand: below this key, or below each name of the root. */
  readonly events: { readonly below: string } | { readonly belowEachName: true };
  /** Groups `{matcher?, hooks: []}`, entries `{matcher?, command}`, or both. */
  readonly nesting: 'groups' | 'entries' | 'both';
  /** A broken entry makes the agent drop the whole file. */
  readonly voidedByEntry?: boolean;
  /** The same, before this version. */
  readonly voidedByEntryUntil?: string;
  /** An event without a list makes the agent drop the whole file. */
  readonly voidedByList?: boolean;
  /** Names of events are case-insensitive. */
  readonly anyCase?: boolean;
  readonly rootFlaw?: (root: JsonObject) => RootFlaw | undefined;
  /** Keys among the events that are no events. */
  readonly notEvents?: readonly string[];
}

/** How hooks are written for an agent. */
export interface WriteRule {
  readonly path: string;
  /** The key of a command line. */
  readonly line: string;
  /** The directory of the project, as a shell line names it. */
  readonly projectDir: string;
  /** The key of a timeout, the milliseconds of its unit, and the largest number that is read in this unit. */
  readonly timeout: { readonly key: string; readonly ms: number; readonly most?: number };
  /** Members of the root beside the hooks. */
  readonly root?: JsonObject;
  /** A handler names its type. */
  readonly type?: boolean;
  /** The member that makes a failing handler block. */
  readonly failClosed?: JsonObject;
  /** The key of how often in a row a handler may send the agent on, and the events that read it. */
  readonly loops?: { readonly key: string; readonly events: readonly string[] };
  /** Events whose hooks stand in groups, if the form takes both. */
  readonly grouped?: (rule: EventRule) => boolean;
  /** The key below which the hooks stand. */
  readonly name?: string;
}

export interface VersionNote {
  readonly version: string;
  readonly what: string;
  /** Only one source says so. */
  readonly thin?: boolean;
}

/** How an agent keeps its plugins. */
export interface PluginRule {
  /** The agent's word for them. */
  readonly noun: 'plugin' | 'extension';
  /** Folders with one plugin each; a `*` is one level of folders, named or numbered as `parts` says. */
  readonly folders: readonly { readonly path: string; readonly parts: readonly ('market' | 'name' | 'version')[] }[];
  /** Files with name, version and perhaps hooks; the first that exists counts. */
  readonly manifests: readonly string[];
  /** Files with hooks that the manifest need not name. */
  readonly hooks: readonly string[];
  /** Hooks in a manifest count, or files that it names. */
  readonly readsManifest: boolean;
  readonly form?: string;
  /** Plugin id → whether one settings file enables it. */
  readonly wishes: (root: JsonObject) => Readonly<Record<string, unknown>>;
  readonly isOnByDefault: boolean;
  /** A file that lists installed plugins with their folders. */
  readonly registry?: string;
  /** A file that enables plugins by working directory. */
  readonly enablement?: string;
  /** Folders of marketplaces by their names: `known_marketplaces.json`, and the settings of a project. */
  readonly markets?: { readonly file: string; readonly fallback: string };
  readonly data?: string;
  /** Variables of a plugin's hooks. */
  readonly variables: (place: PluginPlace) => Readonly<Record<string, string>>;
  /** Placeholders that are replaced in their lines. */
  readonly placeholders?: (place: PluginPlace) => Readonly<Record<string, string>>;
}

export interface PluginPlace {
  readonly root: string;
  readonly data: string;
  readonly projectDir: string;
}

/** A plugin that is enabled and lies on this machine. */
export interface Plugin extends PluginPlace {
  readonly id: string;
  readonly version: string;
  /** The settings that enable it. */
  readonly scope: Scope;
  /** Files with hooks; each may stand in the manifest itself. */
  readonly files: readonly string[];
}
