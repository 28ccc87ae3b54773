import type { Answer, Ended } from './answers/answer.ts';
import type { MatcherRule } from './matcher.ts';
import type { ReadHandler } from './reading/handler.ts';
import type { Vocabulary } from './tools/vocabulary.ts';

export type Json = Record<string, unknown>;

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
  /** How the file is written, where the dialect has several ways. */
  readonly form?: string;
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
  /** Keys among the events that are none. */
  readonly notEvents?: readonly string[];
}

/** How hooks are written for an agent: into which file, under which keys. */
export interface WriteRule {
  readonly path: string;
  /** The key of a command line. */
  readonly line: string;
  /** The key of a timeout, and the milliseconds of its unit. */
  readonly timeout: { readonly key: string; readonly ms: number };
  /** Members the root has besides the hooks. */
  readonly root?: Json;
  /** A handler names its type. */
  readonly type?: boolean;
  /** How a handler says that it blocks when it fails. */
  readonly failClosed?: Json;
  /** Hooks stand below a name of their own. */
  readonly name?: string;
}

/** A moment of an agent's life by the name it has in the dialect. */
export interface EventRule {
  /** The event of ours that is the same moment. Without one the moment does not exist here, and its hooks cannot run. */
  readonly moment?: string;
  /** Only calls of these kinds of tools are this moment. */
  readonly kinds?: readonly string[];
  /** Member of the hook's stdin that a matcher is compared with; nothing where matchers are ignored. */
  readonly subject?: string;
  /** How it is compared, where that differs from the tools'. */
  readonly matcher?: MatcherRule;
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

/** What a dialect's stdin is made of. */
export interface Call {
  /** The event by the dialect's name. */
  readonly event: string;
  readonly rule: EventRule;
  readonly version: string;
  /** What our own hooks read. */
  readonly input: Readonly<Json>;
  /** The tool call in the dialect's words; absent for moments without a tool. */
  readonly tool?: { readonly name: string; readonly kind?: string | undefined; readonly input: Json };
  /** An id for this call of a tool, and for this turn. */
  readonly callId: string;
  readonly projectDir: string;
  readonly permissionMode?: string;
}

/** How a process of a dialect's hook is started. */
export interface ProcessRules {
  /** The shell a line goes through; `login` is the user's own, as a login shell. */
  readonly shell: 'bash' | 'sh' | 'login';
  readonly cwd: 'session' | 'project' | 'settings' | 'home';
  /** Variables by the dialect's names. */
  readonly environment: (place: {
    projectDir: string;
    cwd: string;
    sessionId: string;
  }) => Readonly<Record<string, string>>;
  /** Names filled into the line as text, shell-quoted, before the shell sees it. */
  readonly filledIn?: readonly string[];
}

/** What is known of the run when an answer is read. */
export interface AnswerContext {
  readonly event: string;
  readonly rule: EventRule;
  readonly version: string;
  /** The hook asked to block when it fails (`failClosed`, `onFailure: "block"`). */
  readonly failClosed: boolean;
}

/** One agent's protocol of hooks, as data. */
export interface Dialect {
  readonly name: string;
  /** What people call the agent. */
  readonly title: string;
  /** The version its rules are read at unless somebody says otherwise. */
  readonly latest: string;
  readonly versions: readonly VersionNote[];
  readonly files: readonly FileRule[];
  readonly forms: Readonly<Record<string, FileForm>>;
  /** How a hook is written down for this agent. */
  readonly writes: WriteRule;
  readonly events: (version: string) => Readonly<Record<string, EventRule>>;
  /** Handler types: what runs here, and why the others cannot. */
  readonly readHandler: ReadHandler;
  readonly matcher: (version: string) => MatcherRule;
  readonly tools: Vocabulary;
  /** The names that count for one event, where they are others. */
  readonly toolsFor?: (rule: EventRule, version: string) => Vocabulary;
  /** What a hook reads on stdin. */
  readonly stdin: (call: Call) => Json;
  readonly process: ProcessRules;
  readonly readAnswer: (ended: Ended, context: AnswerContext) => Answer;
  /** Whether a document says no in the dialect's words, whatever the agent would make of it, and why. */
  readonly blockIn: (document: Json, event: string) => string | undefined;
  /** Many answers of one event, in configured order, become the one that the agent acts on. */
  readonly merge: (answers: readonly Answer[], context: Pick<AnswerContext, 'event' | 'version'>) => Answer;
  readonly order: 'parallel' | 'sequential' | 'as-asked';
  /** What makes two handlers the same; nothing where each one runs. */
  readonly sameAs: (handler: {
    command?: string | undefined;
    name?: string | undefined;
    key: string;
  }) => string | undefined;
  /** Keys of a settings file that switch its hooks off. */
  readonly isOff: (root: Json) => string | undefined;
  /** What somebody should know who brings hooks of this agent. */
  readonly remarks: readonly string[];
}
