import type { MatcherRule } from './agent-matcher.ts';
import type { Answer, Ended, Said } from './answers/answer.ts';
import type { HostRule } from './hosting/host-rule.ts';
import type { TextLimit } from './long-texts.ts';
import type { DialectEntry } from './reading/entry.ts';
import type { ReadHandler } from './reading/handler.ts';
import type { SwitchSource, WhyOff } from './reading/switches.ts';
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

/** The rules of one agent for its hooks, as data. */
export interface AgentRules {
  readonly name: string;
  /** The agent's name for people. */
  readonly title: string;
  /** The newest version whose rules are known; they count by default. */
  readonly latest: string;
  /** The oldest version whose rules are known; rules of releases older than nine months are not kept. */
  readonly oldest: string;
  readonly versions: readonly VersionNote[];
  readonly files: readonly FileRule[];
  /** Files of another agent that it reads as that agent does. They do not run a second time for it. */
  readonly alsoReads?: readonly {
    readonly files: readonly string[];
    readonly as: string;
    /** Events that it leaves out. */
    readonly except?: readonly string[];
  }[];
  readonly forms: Readonly<Record<string, FileForm>>;
  /** Files that people write for the agent and that it never reads. */
  readonly decoys?: readonly { readonly path: string; readonly fix: string }[];
  /** Its plugins or extensions, whose hooks run as well. */
  readonly plugins?: PluginRule;
  readonly writes: WriteRule;
  readonly events: (version: string) => Readonly<Record<string, EventRule>>;
  /** The keys a handler may have, of all types; the agent ignores any other. */
  readonly handlerKeys: readonly string[];
  readonly readHandler: ReadHandler;
  readonly matcher: (version: string) => MatcherRule;
  /** Whether a handler's condition fits a call. */
  readonly fits?: (condition: string, call: Call) => boolean;
  readonly tools: Vocabulary;
  /** The tools at an event, if they have other names there. */
  readonly toolsFor?: (rule: EventRule, version: string) => Vocabulary;
  /** A tool's arguments as hooks get them, if the agent changes them. */
  readonly handsOn?: (
    args: Readonly<JsonObject>,
    call: { kind?: string | undefined; cwd: string; version: string },
  ) => JsonObject;
  readonly stdin: (call: Call) => JsonObject;
  readonly process: ProcessRules;
  readonly readAnswer: (ended: Ended, context: AnswerContext) => Answer;
  /** The reason of a document that denies in the agent's format, even if the agent would not read it. */
  readonly blockIn: (document: JsonObject, event: string) => string | undefined;
  /** Merges the answers of one event, in configured order. */
  readonly merge: (answers: readonly Answer[], context: About) => Answer;
  /** Decisions that the agent loses as soon as a second hook answers; in strict mode they count. */
  readonly losesBesideOthers?: (about: About) => readonly NonNullable<Said['decision']>[];
  /** An allow only means that the hook has no objection: whether a person is asked is decided elsewhere. */
  readonly grantsNothing?: (about: About) => boolean;
  /** How long the texts of an answer may be. */
  readonly textLimit?: (
    about: About & { readonly isHttp: boolean; readonly contextTokens?: number | undefined },
  ) => TextLimit | undefined;
  /** How often in a row hooks may send the agent on by default; `undefined` for no limit. */
  readonly loopCap?: (
    about: About & { readonly env: Readonly<Record<string, string | undefined>> },
  ) => number | undefined;
  /** The engine reads its files without being configured to. */
  readonly isOurs?: boolean;
  /** How it starts a hook of ours, and reads its answer. */
  readonly host: HostRule;
  readonly order: 'parallel' | 'sequential' | 'as-asked';
  /** A key that is equal for handlers of which one runs; absent if each one runs. */
  readonly sameAs?: (handler: {
    command?: string | undefined;
    name?: string | undefined;
    key: string;
  }) => string | undefined;
  /** The key of a settings file that disables its hooks. */
  readonly isOff: (root: JsonObject) => string | undefined;
  /** What a person has to do there before a new hook runs. */
  readonly approval?: string;
  /** The same as `isOff`, if one file disables the hooks of others. */
  readonly switches?: (files: readonly SwitchSource[]) => WhyOff;
  /** A warning about a file beside other files of the agent. */
  readonly besides?: (
    file: SwitchSource,
    files: readonly SwitchSource[],
  ) => { message: string; fix: string } | undefined;
  /** Changes that other settings make to single handlers. */
  readonly refine?: (files: readonly SwitchSource[]) => (entry: DialectEntry) => DialectEntry;
  /** Advice for users who bring hooks of this agent. */
  readonly remarks: readonly string[];
}

/** How the process of a hook is started. */
export interface ProcessRules {
  /** The shell a line goes through; `login` is the user's own, as a login shell. */
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
  /** Variables that are replaced in the line, shell-quoted, before the shell reads it. */
  readonly filledIn?: (version: string) => readonly string[];
  /** Variables that hooks do not get, by name or by a beginning that ends with `*`. */
  readonly withholds?: (version: string) => readonly string[];
  /** A file into which hooks of some events may write lines that set variables for the session. */
  readonly environmentFile?: { readonly variable: string; readonly events: readonly string[] };
}

/** The run whose answer is read. */
export interface AnswerContext {
  readonly event: string;
  readonly rule: EventRule;
  readonly version: string;
  /** The hook blocks if it fails (`failClosed`, `onFailure: "block"`). */
  readonly failClosed: boolean;
}

type About = Pick<AnswerContext, 'event' | 'version'>;

/** `strict` takes the stricter of that agent's decision and ours; `faithful` decides as that agent does. */
export type DialectMode = 'strict' | 'faithful';

/** Agents whose hooks are read, at which version, and how strictly. */
export type DialectsOption = Readonly<
  Record<string, boolean | { readonly version?: string | undefined; readonly mode?: DialectMode | undefined }>
>;

/** An agent whose tool names the host uses, or the host's own names. */
export type ToolsOption = string | HostTools;

export interface DialectOptions {
  readonly dialects: DialectsOption;
  readonly tools?: ToolsOption | undefined;
  /** The agent that runs this process as a hook: hooks that it always runs by itself do not run here. */
  readonly askedBy?: string | undefined;
}
