// A hook that was written for another agent, as the engine sees it: its rules are behind these interfaces.
import type { HookOutput } from './hooks/output.ts';
import type { FieldProblem } from './notices.ts';

export interface AgentHook {
  readonly name: string;
  /** The agent's display name. */
  readonly title: string;
  /** The agent's name of the event. */
  readonly event: string;
  /** Folder and variables of the plugin with this hook. An approval covers all files in the folder. */
  readonly plugin?: { readonly root: string; readonly variables: Readonly<Record<string, string>> } | undefined;
  /** A mistake in the matcher that the agent does not report. */
  readonly matcherProblem?: { readonly message: string; readonly fix?: string | undefined } | undefined;
  matches(context: {
    readonly toolName?: string | undefined;
    readonly trigger?: string | undefined;
  }): boolean | 'timeout';
  /** The hook's own condition on calls, such as the `if` of Claude Code. */
  readonly condition?: string | undefined;
  /** The agent's name of the tool, and whether the hook's matcher and condition may fit a call of it. */
  toolFor(toolName: string): { readonly name: string; readonly fits: boolean };
  /**
   * A copy with the matcher, and the event of its agent, that were approved; a matcher that cannot be compiled matches every
   * call of the event.
   */
  withMatcher(matcher: string | undefined, event?: string): AgentHook;
  /** Whether its matcher fits this input, for reports: `matches` cannot tell where only the input does. */
  matchesInput(input: object): boolean | 'timeout';
  /** Splits an event into the inputs of the calls that the agent would see. The hook runs for each. */
  split(input: object): readonly object[];
  begin(input: object, callId: string): AgentHookRun;
  /** Equal for hooks of which the agent runs only one; absent if each one runs. */
  readonly sameAs?: string | undefined;
  /** The agent does not wait for it and ignores its verdict. */
  readonly isAsync?: true | undefined;
  /** Merges answers as the agent does; absent if they are merged individually. */
  readonly merge?: ((answers: readonly AnswerToMerge[]) => AnswerToMerge) | undefined;
  /** Variables that scripts for this agent need. */
  readonly environment: (place: {
    projectDir: string;
    cwd: string;
    sessionId: string;
  }) => Readonly<Record<string, string>>;
  /** Variables that the agent fills into a command line before the shell reads it. */
  readonly filledIn: readonly string[];
  /** Whether the agent removes this variable of the host. */
  readonly withholds: (name: string) => boolean;
}

/** One run of a hook of another agent. */
export interface AgentHookRun {
  readonly stdin: object;
  /** Whether the matcher and the condition match, if that depends on the input. */
  readonly matches: boolean | 'timeout';
  /** Variables of this run, read when its process is about to start. */
  variables(): Readonly<Record<string, string>>;
  readAnswer(result: AgentHookResult): AgentHookAnswer;
}

/** End and output of the process of a hook. */
export interface AgentHookResult {
  /** `null` if a signal ended it, or if it was not started. */
  readonly exitCode: number | null;
  readonly signal?: string | undefined;
  readonly stdout: string;
  readonly stderr: string;
  readonly timedOut?: boolean;
  /** Why it was not started, or failed other than by timeout. */
  readonly notStarted?: string;
  /** Set if the result comes from an HTTP endpoint. */
  readonly isHttp?: true;
}

/** The answer of a hook of another agent, translated to ours. */
export interface AgentHookAnswer {
  readonly output?: HookOutput;
  readonly isText?: true | undefined;
  /** A value from the agent's pack that the agent's own merging needs. */
  readonly mark?: string | undefined;
  /** Set if the answer allows, but an `allow` of this agent's hooks approves nothing. */
  readonly grantsNothing?: true | undefined;
  /** Why the agent treats the run as failed, or why the answer cannot be translated. */
  readonly failed?: string;
  /** Fields that the agent does not read. */
  readonly problems?: readonly FieldProblem[];
  /** Set if a field was meant as a verdict but the agent does not read it. */
  readonly verdictLost?: boolean;
  /** Notes on what the agent ignores silently, and on where this engine is stricter. */
  readonly notes: readonly string[];
}

/** One of several answers that the agent merges. */
export interface AnswerToMerge extends Pick<AgentHookAnswer, 'isText' | 'mark' | 'grantsNothing'> {
  readonly output: HookOutput;
  /** Scope of the settings with the hook: `project`, `user` or `system`. */
  readonly scope?: string | undefined;
  /** For a merged answer: notes where it may differ from the agent's own. */
  readonly notes?: readonly string[] | undefined;
}
