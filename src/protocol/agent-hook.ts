// The interface of a hook written for another agent, such as Claude Code: matching, running, reading its answer.
import type { HookOutput } from './hooks/output.ts';
import type { FieldProblem } from './notices.ts';

export interface AgentHook {
  readonly name: string;
  readonly title: string;
  readonly event: string;
  /** An approval covers all files in the plugin's folder, not just the hook's script. */
  readonly plugin?: { readonly root: string; readonly variables: Readonly<Record<string, string>> } | undefined;
  readonly matcherProblem?: { readonly message: string; readonly fix?: string | undefined } | undefined;
  matches(context: {
    readonly toolName?: string | undefined;
    readonly trigger?: string | undefined;
  }): boolean | 'timeout';
  readonly condition?: string | undefined;
  toolFor(toolName: string): { readonly name: string; readonly fits: boolean };
  /**
   * Copies the hook with an approved matcher and event. A matcher that does not compile matches every call of the
   * event.
   */
  withMatcher(matcher: string | undefined, event?: string): AgentHook;
  /** For reports: also compares the input, which `matches` does not get. */
  matchesInput(input: object): boolean | 'timeout';
  /** Splits an event into calls that the other agent would report separately; the hook runs for each. */
  split(input: object): readonly object[];
  begin(input: object, callId: string): AgentHookRun;
  /** Of several hooks with the same key, the agent runs only one. */
  readonly sameAs?: string | undefined;
  /** The agent does not wait for the hook and ignores its verdict. */
  readonly isAsync?: true | undefined;
  /** Merges answers as the agent does. If absent, each answer is merged by hookwright's own rules. */
  readonly merge?: ((answers: readonly AnswerToMerge[]) => AnswerToMerge) | undefined;
  readonly environment: (place: {
    projectDir: string;
    cwd: string;
    sessionId: string;
  }) => Readonly<Record<string, string>>;
  readonly filledIn: readonly string[];
  readonly withholds: (name: string) => boolean;
}

export interface AgentHookRun {
  readonly stdin: object;
  readonly matches: boolean | 'timeout';
  variables(): Readonly<Record<string, string>>;
  readAnswer(result: AgentHookResult): AgentHookAnswer;
}

export interface AgentHookResult {
  readonly exitCode: number | null;
  readonly signal?: string | undefined;
  readonly stdout: string;
  readonly stderr: string;
  readonly timedOut?: boolean;
  readonly notStarted?: string;
  readonly isHttp?: true;
}

export interface AgentHookAnswer {
  readonly output?: HookOutput;
  readonly isText?: true | undefined;
  readonly mark?: string | undefined;
  /** An `allow` from hooks of this agent does not skip the agent's permission prompt, so it approves nothing. */
  readonly grantsNothing?: true | undefined;
  readonly failed?: string;
  readonly problems?: readonly FieldProblem[];
  readonly verdictLost?: boolean;
  readonly notes: readonly string[];
}

export interface AnswerToMerge extends Pick<AgentHookAnswer, 'isText' | 'mark' | 'grantsNothing'> {
  readonly output: HookOutput;
  readonly scope?: string | undefined;
  readonly notes?: readonly string[] | undefined;
}
