// The type of an agent's rules: files, events, tools, processes, answers and settings.
import type { MatcherRule } from './agent-matcher.ts';
import type { Answer, Ended, Said } from './answers/answer.ts';
import type { HostRule } from './hosting/host-rule.ts';
import type { TextLimit } from './long-texts.ts';
import type { DialectEntry } from './reading/entry.ts';
import type { AgentHandlerReader } from './reading/handler.ts';
import type { OffReasonReader, SwitchSource } from './reading/switches.ts';
import type {
  AgentEvent,
  AgentEventCall,
  EventRule,
  FileForm,
  FileRule,
  JsonObject,
  PluginRule,
  VersionNote,
  WriteRule,
} from './rule-types.ts';
import type { HostTools, Vocabulary } from './tools/vocabulary.ts';

export interface AgentRules {
  readonly name: string;
  readonly title: string;
  /** The newest version with known rules; the default. */
  readonly latest: string;
  /** The oldest version with known rules. Rules of releases older than nine months are dropped. */
  readonly oldest: string;
  readonly versions: readonly VersionNote[];
  readonly files: readonly FileRule[];
  /** Files of another agent whose hooks this agent also runs. */
  readonly alsoReads?: readonly {
    readonly files: readonly string[];
    readonly as: string;
    readonly except?: readonly string[];
  }[];
  readonly forms: Readonly<Record<string, FileForm>>;
  /** Files that users create by mistake: the agent never reads them. */
  readonly decoys?: readonly { readonly path: string; readonly fix: string }[];
  readonly plugins?: PluginRule;
  readonly writes: WriteRule;
  readonly events: (version: string) => Readonly<Record<string, EventRule>>;
  /** The agent ignores other keys of a handler. */
  readonly handlerKeys: readonly string[];
  readonly readHandler: AgentHandlerReader;
  readonly matcher: (version: string) => MatcherRule;
  readonly fits?: (condition: string, call: AgentEventCall) => boolean;
  readonly tools: Vocabulary;
  readonly toolsFor?: (rule: EventRule, version: string) => Vocabulary;
  /** Changes arguments as the agent does before its hooks see them. */
  readonly handsOn?: (
    args: Readonly<JsonObject>,
    call: { kind?: string | undefined; cwd: string; version: string },
  ) => JsonObject;
  readonly stdin: (call: AgentEventCall) => JsonObject;
  readonly process: ProcessRules;
  readonly readAnswer: (ended: Ended, context: AnswerContext) => Answer;
  /** Returns the reason of a denial in the agent's format, even at an event at which the agent ignores denials. */
  readonly blockIn: (document: JsonObject, event: string) => string | undefined;
  /** `answers` are in the order of the configured hooks. */
  readonly merge: (answers: readonly Answer[], context: EventAndVersion) => Answer;
  /** Decisions that the agent drops if a second hook answers. */
  readonly losesBesideOthers?: (about: EventAndVersion) => readonly NonNullable<Said['decision']>[];
  /** True if an `allow` does not skip the user's confirmation. */
  readonly grantsNothing?: (about: EventAndVersion) => boolean;
  readonly textLimit?: (
    about: EventAndVersion & { readonly isHttp: boolean; readonly contextTokens?: number | undefined },
  ) => TextLimit | undefined;
  /** How often in a row hooks may make the agent continue; `undefined` for no limit. */
  readonly loopCap?: (
    about: EventAndVersion & { readonly env: Readonly<Record<string, string | undefined>> },
  ) => number | undefined;
  /** The engine reads this agent's files without configuration. */
  readonly isOurs?: boolean;
  readonly host: HostRule;
  readonly order: 'parallel' | 'sequential' | 'as-asked';
  /** Handlers with the same key run once. */
  readonly sameAs?: (handler: {
    command?: string | undefined;
    name?: string | undefined;
    key: string;
  }) => string | undefined;
  /** The setting that disables all hooks of the file. */
  readonly isOff: (root: JsonObject) => string | undefined;
  /** A sentence on how the user lets a new hook run in the agent. */
  readonly approval?: string;
  /** Replaces `isOff` for agents in which one file can disable the hooks of others. */
  readonly switches?: (files: readonly SwitchSource[]) => OffReasonReader;
  readonly besides?: (
    file: SwitchSource,
    files: readonly SwitchSource[],
  ) => { message: string; fix: string } | undefined;
  readonly refine?: (files: readonly SwitchSource[]) => (entry: DialectEntry) => DialectEntry;
  readonly remarks: readonly string[];
}

export interface ProcessRules {
  /** `login`: the user's own shell, as a login shell. */
  readonly shell: 'bash' | 'sh' | 'login';
  readonly cwd: 'session' | 'project' | 'settings' | 'home';
  readonly environment: (place: {
    projectDir: string;
    cwd: string;
    sessionId: string;
    version: string;
  }) => Readonly<Record<string, string>>;
  readonly fillsEnv?: boolean;
  /** Variables that the agent replaces in the command line, shell-quoted, before the shell reads it. */
  readonly filledIn?: (version: string) => readonly string[];
  /** Variables that hooks do not get: names, or prefixes with `*`. */
  readonly withholds?: (version: string) => readonly string[];
  /** Hooks of these events may write variables for the session into the file. */
  readonly environmentFile?: { readonly variable: string; readonly events: readonly string[] };
}

export interface AnswerContext extends AgentEvent {
  readonly failClosed: boolean;
}

type EventAndVersion = Pick<AgentEvent, 'event' | 'version'>;

/** `strict`: the stricter of the agent's decision and ours. `faithful`: the agent's decision. */
export type DialectMode = 'strict' | 'faithful';

/** Agent → `true`, or a version and a mode. */
export type DialectsOption = Readonly<
  Record<string, boolean | { readonly version?: string | undefined; readonly mode?: DialectMode | undefined }>
>;

/** The agent whose tool names the host uses, or the host's own names. */
export type ToolsOption = string | HostTools;

export interface DialectOptions {
  readonly dialects: DialectsOption;
  readonly tools?: ToolsOption | undefined;
  /** The agent that started this process as its hook and runs some hooks itself. */
  readonly askedBy?: string | undefined;
}
