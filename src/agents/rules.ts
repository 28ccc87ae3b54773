import type { MatcherRule } from './agent-matcher.ts';

export type JsonObject = Record<string, unknown>;

export type Platform = 'linux' | 'darwin' | 'win32';

/** Whose settings a file holds, in the order in which they count for us. */
export type Scope = 'project' | 'user' | 'system';

/**
 * A file, or the files of a directory, that an agent reads. Paths begin with a place in braces: `{project}`, `{home}`,
 * `{cwd+}` (the working directory and each one above it, up to the project), or a variable with what it is by default,
 * `{CODEX_HOME|{home}/.codex}`. A path that ends in `*.json` means every such file of its directory.
 */
export interface FileRule {
  readonly scope: Scope;
  readonly path: string | Readonly<Partial<Record<Platform, string>>>;
  /** Since which version it is read. */
  readonly since?: string;
  /** Whose file it is, where that is another agent. */
  readonly of?: string;
  /** The agent may be told not to read it. */
  readonly isOptional?: true;
  /** How the file is written, where the dialect has several ways. */
  readonly form?: string;
}

export interface RootFlaw {
  readonly key: string;
  readonly message: string;
  readonly fix: string;
  /** The agent drops the whole file. */
  readonly voids: boolean;
}

/** What is particular to one way of writing a file of hooks. */
export interface FileForm {
  readonly syntax: 'json' | 'jsonc' | 'toml';
  /** The keys the root may have; any other makes the agent drop the whole file. Absent: others are ignored. */
  readonly onlyKeys?: readonly string[];
  /** Where the events stand: below this key, or below each name of the root. */
  readonly events: { readonly below: string } | { readonly belowEachName: true };
  /** Groups `{matcher?, hooks: []}`, entries `{matcher?, command}`, or both ways. */
  readonly nesting: 'groups' | 'entries' | 'both';
  /** A broken entry makes the agent drop all of the file, not only the entry. */
  readonly voidedByEntry?: boolean;
  /** The same, before a version. */
  readonly voidedByEntryUntil?: string;
  /** An event that has no list makes the agent drop all of the file. */
  readonly voidedByList?: boolean;
  /** Events may be written in capitals or small letters. */
  readonly anyCase?: boolean;
  /** What is wrong with the root besides its keys. */
  readonly rootFlaw?: (root: JsonObject) => RootFlaw | undefined;
  /** Keys among the events that are none. */
  readonly notEvents?: readonly string[];
}

/** How hooks are written for an agent: into which file, under which keys. */
export interface WriteRule {
  readonly path: string;
  /** The key of a command line. */
  readonly line: string;
  /** What a shell line says for the directory of the project. */
  readonly projectDir: string;
  /** The key of a timeout, the milliseconds of its unit, and the largest number that is read in this unit. */
  readonly timeout: { readonly key: string; readonly ms: number; readonly most?: number };
  /** Members the root has besides the hooks. */
  readonly root?: JsonObject;
  /** A handler names its type. */
  readonly type?: boolean;
  /** How a handler says that it blocks when it fails. */
  readonly failClosed?: JsonObject;
  /** The key of how often in a row a handler may send the agent on, and the events that read it. */
  readonly loops?: { readonly key: string; readonly events: readonly string[] };
  /** Events whose hooks stand in groups, where the files take both ways. */
  readonly grouped?: (rule: EventRule) => boolean;
  /** Hooks stand below a name of their own. */
  readonly name?: string;
}

/** Whether a member of stdin that matchers are compared with is the name of a tool. */
export const isToolSubject = (subject: string | undefined): boolean => subject === 'tool' || subject === 'tool_name';

/** A moment of an agent's life by the name it has in the dialect. */
export interface EventRule {
  /** The event of ours that is the same moment. Without one the moment does not exist here, and its hooks cannot run. */
  readonly moment?: string;
  /** Another of our events that is this moment too, such as a failure where its agent has no event of its own for it. */
  readonly alsoAt?: string;
  /** Only calls of these kinds of tools are this moment. */
  readonly kinds?: readonly string[];
  /** Member of the hook's stdin that a matcher is compared with; nothing where matchers are ignored. */
  readonly subject?: string;
  /** What a matcher is compared with, where that is always the same text. */
  readonly literal?: string;
  /** How it is compared, where that differs from the tools'. */
  readonly matcher?: MatcherRule;
  /** The model sees the result of the tool whatever a hook says: a block stands beside it. */
  readonly keepsResult?: true;
  /** Since which version the event exists. */
  readonly since?: string;
  /** A hook of it may keep the agent from going on. */
  readonly blocks: boolean;
  /** Seconds or milliseconds a hook may take when it says nothing, where that differs; always in milliseconds here. */
  readonly timeoutMs?: number;
  /** Another form of the same event, such as a second spelling with another payload. */
  readonly variant?: string;
}

export interface VersionNote {
  readonly version: string;
  readonly what: string;
  /** `true`: seen by one source only. */
  readonly thin?: boolean;
}

/** How an agent keeps its plugins, as data of its pack. */
export interface PluginRule {
  /** What the agent calls them. */
  readonly noun: 'plugin' | 'extension';
  /** Folders with one plugin each; a `*` is one level of folders, named or numbered as `parts` says. */
  readonly folders: readonly { readonly path: string; readonly parts: readonly ('market' | 'name' | 'version')[] }[];
  /** Files that give name, version and perhaps hooks; the first that exists counts. */
  readonly manifests: readonly string[];
  /** Files with hooks that need no mention. */
  readonly hooks: readonly string[];
  /** Hooks in a manifest count, or files that it names. */
  readonly readsManifest: boolean;
  readonly form?: string;
  /** Whether a plugin is on, by its id, as one file of settings says it. */
  readonly wishes: (root: JsonObject) => Readonly<Record<string, unknown>>;
  /** Plugins run unless they are switched off. */
  readonly isOnByDefault: boolean;
  /** A file that lists installed plugins with their folders. */
  readonly registry?: string;
  /** A file that switches plugins by the directories they are used in. */
  readonly enablement?: string;
  /** Folders of marketplaces by their names: `known_marketplaces.json`, and the settings of a project. */
  readonly markets?: { readonly file: string; readonly fallback: string };
  readonly data?: string;
  /** Variables that hooks of a plugin find, and placeholders that are filled into their lines. */
  readonly variables: (place: PluginPlace) => Readonly<Record<string, string>>;
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
  /** Whose settings enable it. */
  readonly scope: Scope;
  /** Files with hooks; each may stand in the manifest itself. */
  readonly files: readonly string[];
}
