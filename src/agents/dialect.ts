import type { MatcherRule } from './agent-matcher.ts';
import type { Answer, Ended, Said } from './answers/answer.ts';
import type { HostRule } from './hosting/host-rule.ts';
import type { DialectEntry } from './reading/entry.ts';
import type { ReadHandler } from './reading/handler.ts';
import type { SwitchSource, WhyOff } from './reading/switch-files.ts';
import type { EventRule, FileForm, FileRule, JsonObject, PluginRule, VersionNote, WriteRule } from './rules.ts';
import type { TextLimit } from './session/long-texts.ts';
import type { Vocabulary } from './tools/vocabulary.ts';

export type { EventRule, FileForm, FileRule, JsonObject, Platform, Scope } from './rules.ts';

/** What a dialect's stdin is made of. */
export interface Call {
  /** The event by the dialect's name. */
  readonly event: string;
  readonly rule: EventRule;
  readonly version: string;
  /** What our own hooks read. */
  readonly input: Readonly<JsonObject>;
  /** The tool call in the dialect's words; absent for moments without a tool. */
  readonly tool?: { readonly name: string; readonly kind?: string | undefined; readonly input: JsonObject };
  /** An id for this call of a tool, and for this turn. */
  readonly callId: string;
  readonly projectDir: string;
  /** How often in a row the agent has gone on because a hook sent it on. */
  readonly loops: number;
  /** How many of these events the hook has seen before in the session. */
  readonly nth: number;
  /** What stands in a file that the call names. */
  readonly textOf: (path: string) => string;
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
    version: string;
  }) => Readonly<Record<string, string>>;
  /** Variables of a handler may name others, which are filled in. */
  readonly fillsEnv?: boolean;
  /** Names filled into the line as text, shell-quoted, before the shell sees it. */
  readonly filledIn?: (version: string) => readonly string[];
  /** Names of variables that are taken away before a hook starts, whole or as a beginning that ends with `*`. */
  readonly withholds?: (version: string) => readonly string[];
  /** A file into which hooks of some events may write lines that set variables for the session. */
  readonly environmentFile?: { readonly variable: string; readonly events: readonly string[] };
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
  /** The version whose rules count by default. */
  readonly latest: string;
  /** The oldest version whose rules are known; rules of releases older than nine months are not kept. */
  readonly oldest: string;
  readonly versions: readonly VersionNote[];
  readonly files: readonly FileRule[];
  /** Files of another agent that it takes over, read as that one's; we do not run them a second time for it. */
  readonly alsoReads?: readonly {
    readonly files: readonly string[];
    readonly as: string;
    /** Events that it does not take over. */
    readonly except?: readonly string[];
  }[];
  readonly forms: Readonly<Record<string, FileForm>>;
  /** Files that people write for the agent and that it never reads. */
  readonly decoys?: readonly { readonly path: string; readonly fix: string }[];
  /** How it keeps its plugins or extensions, whose hooks run as well. */
  readonly plugins?: PluginRule;
  /** How a hook is written down for this agent. */
  readonly writes: WriteRule;
  readonly events: (version: string) => Readonly<Record<string, EventRule>>;
  /** The keys a handler may have, of all types; the agent leaves any other unread. */
  readonly handlerKeys: readonly string[];
  /** Handler types: what runs here, and why the others cannot. */
  readonly readHandler: ReadHandler;
  readonly matcher: (version: string) => MatcherRule;
  /** Whether a call is one that a handler's condition is about. */
  readonly fits?: (condition: string, call: Call) => boolean;
  readonly tools: Vocabulary;
  /** The names that count for one event, where they are others. */
  readonly toolsFor?: (rule: EventRule, version: string) => Vocabulary;
  /** A tool's arguments as the agent hands them on, where it does not do so as they are. */
  readonly handsOn?: (
    args: Readonly<JsonObject>,
    call: { kind?: string | undefined; cwd: string; version: string },
  ) => JsonObject;
  /** What a hook reads on stdin. */
  readonly stdin: (call: Call) => JsonObject;
  readonly process: ProcessRules;
  readonly readAnswer: (ended: Ended, context: AnswerContext) => Answer;
  /** Whether a document says no in the dialect's words, whatever the agent would make of it, and why. */
  readonly blockIn: (document: JsonObject, event: string) => string | undefined;
  /** Many answers of one event, in configured order, become the one that the agent acts on. */
  readonly merge: (answers: readonly Answer[], context: Pick<AnswerContext, 'event' | 'version'>) => Answer;
  /** Decisions that get lost there as soon as a second hook answers; in strict mode they count, and the row says so. */
  readonly losesBesideOthers?: (
    about: Pick<AnswerContext, 'event' | 'version'>,
  ) => readonly NonNullable<Said['decision']>[];
  /** A hook that allows only has no objection: whether a person is asked is decided elsewhere. */
  readonly grantsNothing?: (about: Pick<AnswerContext, 'event' | 'version'>) => boolean;
  /** How long the texts of an answer may be. */
  readonly textLimit?: (
    about: Pick<AnswerContext, 'event' | 'version'> & {
      readonly isHttp: boolean;
      readonly contextTokens?: number | undefined;
    },
  ) => TextLimit | undefined;
  /** How often in a row hooks may send the agent on, where a hook says nothing of it; `undefined` where that has no end. */
  readonly loopCap?: (
    about: Pick<AnswerContext, 'event' | 'version'> & { readonly env: Readonly<Record<string, string | undefined>> },
  ) => number | undefined;
  /** The engine reads its files without being configured to. */
  readonly isOurs?: boolean;
  /** How it starts a hook of ours, and reads what that says. */
  readonly host: HostRule;
  readonly order: 'parallel' | 'sequential' | 'as-asked';
  /** What makes two handlers the same; nothing where each one runs. */
  readonly sameAs: (handler: {
    command?: string | undefined;
    name?: string | undefined;
    key: string;
  }) => string | undefined;
  /** Keys of a settings file that switch its hooks off. */
  readonly isOff: (root: JsonObject) => string | undefined;
  /** What a person has to do there before a new hook runs. */
  readonly approval?: string;
  /** The same, where one file switches the hooks of others. */
  readonly switches?: (files: readonly SwitchSource[]) => WhyOff;
  /** What is to be said of a file beside others of the same agent. */
  readonly besides?: (
    file: SwitchSource,
    files: readonly SwitchSource[],
  ) => { message: string; fix: string } | undefined;
  /** What other settings make of single handlers. */
  readonly refine?: (files: readonly SwitchSource[]) => (entry: DialectEntry) => DialectEntry;
  /** Advice for users who bring hooks of this agent. */
  readonly remarks: readonly string[];
}
