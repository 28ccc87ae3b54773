// The type of an agent's rules: files, events, tools, processes, answers and settings.
import type { MatcherRule } from './agent-matcher.ts';
import type { Answer, Ended, Said } from './answers/answer.ts';
import type { HostRule } from './hosting/host-rule.ts';
import type { TextLimit } from './long-texts.ts';
import type { DialectEntry } from './reading/entry.ts';
import type { ReadHandler } from './reading/handler.ts';
import type { OffReasonReader, SwitchSource } from './reading/switches.ts';
import type {
  Call,
  EventRule,
  FileForm,
  FileRule,
  JsonObject,
  PluginRule,
  VersionNote,
  WriteRule,
} from './rule-types.ts';
import type { HostTools, Vocabulary } from './tools/vocabulary.ts';

/** The rules by which one agent reads and runs its hooks, as data. */
export interface AgentRules {
  readonly name: string;
  /** The name shown to people. */
  readonly title: string;
  /** The newest version whose rules are known; the default. */
  readonly latest: string;
  /** The oldest version whose rules are known. Rules of releases older than nine months are dropped. */
  readonly oldest: string;
  readonly versions: readonly VersionNote[];
  readonly files: readonly FileRule[];
  /** Files of another agent that this agent also runs. They run once if both agents are configured. */
  readonly alsoReads?: readonly {
    readonly files: readonly string[];
    readonly as: string;
    /** Events of those files that it ignores. */
    readonly except?: readonly string[];
  }[];
  readonly forms: Readonly<Record<string, FileForm>>;
  /** Files that users write for the agent although it never reads them. */
  readonly decoys?: readonly { readonly path: string; readonly fix: string }[];
  /** How the agent's plugins or extensions with hooks are found. */
  readonly plugins?: PluginRule;
  readonly writes: WriteRule;
  readonly events: (version: string) => Readonly<Record<string, EventRule>>;
  /** All keys that a handler may have; the agent ignores others. */
  readonly handlerKeys: readonly string[];
  readonly readHandler: ReadHandler;
  readonly matcher: (version: string) => MatcherRule;
  /** Whether a handler's `if` condition fits a call. */
  readonly fits?: (condition: string, call: Call) => boolean;
  readonly tools: Vocabulary;
  /** The tools at an event where they have other names. */
  readonly toolsFor?: (rule: EventRule, version: string) => Vocabulary;
  /** Changes a tool's arguments as the agent does before its hooks see them. */
  readonly handsOn?: (
    args: Readonly<JsonObject>,
    call: { kind?: string | undefined; cwd: string; version: string },
  ) => JsonObject;
  readonly stdin: (call: Call) => JsonObject;
  readonly process: ProcessRules;
  readonly readAnswer: (ended: Ended, context: AnswerContext) => Answer;
  /**
   * The reason of a document that denies in the agent's format, even if the agent would not read it from this output.
   */
  readonly blockIn: (document: JsonObject, event: string) => string | undefined;
  /** Merges the answers of all hooks of one event, in configured order. */
  readonly merge: (answers: readonly Answer[], context: AgentEvent) => Answer;
  /** Decisions that the agent drops if a second hook answers; in strict mode they count. */
  readonly losesBesideOthers?: (about: AgentEvent) => readonly NonNullable<Said['decision']>[];
  /** An allow at this event only means "no objection"; it does not skip the user's confirmation. */
  readonly grantsNothing?: (about: AgentEvent) => boolean;
  /** The longest text that the agent takes from an answer. */
  readonly textLimit?: (
    about: AgentEvent & { readonly isHttp: boolean; readonly contextTokens?: number | undefined },
  ) => TextLimit | undefined;
  /** How often in a row hooks may make the agent continue, by default; `undefined` for no limit. */
  readonly loopCap?: (
    about: AgentEvent & { readonly env: Readonly<Record<string, string | undefined>> },
  ) => number | undefined;
  /** The engine reads its files by default. */
  readonly isOurs?: boolean;
  /** How it runs hookwright as its hook. */
  readonly host: HostRule;
  readonly order: 'parallel' | 'sequential' | 'as-asked';
  /** Handlers with the same key run once; absent if each handler runs. */
  readonly sameAs?: (handler: {
    command?: string | undefined;
    name?: string | undefined;
    key: string;
  }) => string | undefined;
  /** The key of a settings file that disables its hooks; `undefined` if they are enabled. */
  readonly isOff: (root: JsonObject) => string | undefined;
  /** What a user has to do in the agent before a new hook runs. */
  readonly approval?: string;
  /** Like `isOff`, for agents in which one file can disable the hooks of others. */
  readonly switches?: (files: readonly SwitchSource[]) => OffReasonReader;
  /** A warning about a file that depends on the agent's other files. */
  readonly besides?: (
    file: SwitchSource,
    files: readonly SwitchSource[],
  ) => { message: string; fix: string } | undefined;
  /** Applies settings that change single handlers. */
  readonly refine?: (files: readonly SwitchSource[]) => (entry: DialectEntry) => DialectEntry;
  /** Advice for users who import hooks of this agent. */
  readonly remarks: readonly string[];
}

/** How the process of a hook is started. */
export interface ProcessRules {
  /** The shell that runs the command line; `login` is the user's own shell as a login shell. */
  readonly shell: 'bash' | 'sh' | 'login';
  readonly cwd: 'session' | 'project' | 'settings' | 'home';
  readonly environment: (place: {
    projectDir: string;
    cwd: string;
    sessionId: string;
    version: string;
  }) => Readonly<Record<string, string>>;
  /** Variables in the `env` of a handler are replaced. */
  readonly fillsEnv?: boolean;
  /** Variables that are replaced in the command line, shell-quoted, before the shell reads it. */
  readonly filledIn?: (version: string) => readonly string[];
  /** Variables that hooks do not get: names, or prefixes that end with `*`. */
  readonly withholds?: (version: string) => readonly string[];
  /** A file into which hooks of these events may write variables for the session. */
  readonly environmentFile?: { readonly variable: string; readonly events: readonly string[] };
}

/** The run whose answer is read. */
export interface AnswerContext {
  readonly event: string;
  readonly rule: EventRule;
  readonly version: string;
  /** A failure of the hook blocks (`failClosed`, `onFailure: "block"`). */
  readonly failClosed: boolean;
}

type AgentEvent = Pick<AnswerContext, 'event' | 'version'>;

/** `strict`: the stricter of the agent's decision and ours. `faithful`: the agent's decision. */
export type DialectMode = 'strict' | 'faithful';

/** The agents whose hooks are read: `true`, or a version and a mode. */
export type DialectsOption = Readonly<
  Record<string, boolean | { readonly version?: string | undefined; readonly mode?: DialectMode | undefined }>
>;

/** The agent whose tool names the host uses, or a record of the host's own names. */
export type ToolsOption = string | HostTools;

export interface DialectOptions {
  readonly dialects: DialectsOption;
  readonly tools?: ToolsOption | undefined;
  /** The agent that started this process as its hook. Hooks that it runs anyway are not run again. */
  readonly askedBy?: string | undefined;
}
