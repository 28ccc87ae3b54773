import type { HookOutput } from './hooks/output.ts';
import type { FieldProblem } from './notices.ts';

/** A hook that was written for another agent, as the engine plans, starts and merges it. */
export interface AgentHook {
  readonly name: string;
  /** The agent's name for people. */
  readonly title: string;
  /** The event by the agent's name. */
  readonly event: string;
  /** The folder and the variables of the plugin that brings it; an approval covers all files in the folder. */
  readonly plugin?: { readonly root: string; readonly variables: Readonly<Record<string, string>> } | undefined;
  /** A mistake in its matcher that the agent does not report. */
  readonly matcherProblem?: { readonly message: string; readonly fix?: string | undefined } | undefined;
  matches(context: {
    readonly toolName?: string | undefined;
    readonly trigger?: string | undefined;
  }): boolean | 'timeout';
  /** A copy with the matcher that was approved; one that cannot be compiled matches every call of its event. */
  withMatcher(matcher: string | undefined): AgentHook;
  /** Whether its matcher fits this input, for reports: `matches` cannot tell where only the input does. */
  matchesInput(input: object): boolean | 'timeout';
  /** One input for each thing that the call does; the hook runs for each. */
  split(input: object): readonly object[];
  begin(input: object, callId: string): AgentHookRun;
  /** Equal for hooks of which the agent runs one; absent where each one runs. */
  readonly sameAs?: string | undefined;
  /** The agent does not wait for it, and its answer decides nothing. */
  readonly isAsync?: true | undefined;
  /** Merges answers as its agent does; absent where they are merged with ours one by one. */
  readonly merge?: ((answers: readonly AnswerToMerge[]) => AnswerToMerge) | undefined;
  /** Variables that its scripts need. */
  readonly environment: (place: {
    projectDir: string;
    cwd: string;
    sessionId: string;
  }) => Readonly<Record<string, string>>;
  /** Those of them that its agent replaces in a command line before the shell reads it. */
  readonly filledIn: readonly string[];
  /** Variables of the host that its agent does not pass on. */
  readonly withholds: (name: string) => boolean;
}

/** One run of a hook of another agent. */
export interface AgentHookRun {
  readonly stdin: object;
  /** Whether its matcher and its condition fit, where that needs the input. */
  readonly matches: boolean | 'timeout';
  /** Variables of this run alone, read when its process is about to start. */
  variables(): Readonly<Record<string, string>>;
  readAnswer(result: AgentHookResult): AgentHookAnswer;
}

/** How the process of a hook ended, and what it printed. */
export interface AgentHookResult {
  /** `null` if a signal ended it, or it was not started. */
  readonly exitCode: number | null;
  readonly signal?: string | undefined;
  readonly stdout: string;
  readonly stderr: string;
  readonly timedOut?: boolean;
  /** Why it was not started, or failed otherwise than by a timeout. */
  readonly notStarted?: string;
  /** It is the response of an endpoint, or why there is none. */
  readonly isHttp?: true;
}

/** The answer of a hook of another agent, as an output of ours. */
export interface AgentHookAnswer {
  readonly output?: HookOutput;
  /** It is plain text. */
  readonly isText?: true | undefined;
  /** A word of the agent's rules for their own merging. */
  readonly mark?: string | undefined;
  /** It allows, and an allow of its agent's hooks approves nothing. */
  readonly grantsNothing?: true | undefined;
  /** The agent treats the run as failed, or the answer cannot be translated. */
  readonly failed?: string;
  /** Fields that its agent does not read. */
  readonly problems?: readonly FieldProblem[];
  /** A field was meant as a verdict, and its agent did not read it. */
  readonly verdictLost?: boolean;
  /** What its agent ignores silently, and where this engine is stricter than the agent. */
  readonly notes: readonly string[];
}

/** One of several answers that its agent merges. */
export interface AnswerToMerge extends Pick<AgentHookAnswer, 'isText' | 'mark' | 'grantsNothing'> {
  readonly output: HookOutput;
  /** `project`, `user` or `system`: the settings that have the hook. */
  readonly scope?: string | undefined;
  /** Of the merged answer: where it may differ from that of its agent. */
  readonly notes?: readonly string[] | undefined;
}
