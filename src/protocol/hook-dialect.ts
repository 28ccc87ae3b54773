import type { HookOutput } from './hooks/output.ts';
import type { FieldProblem } from './notices.ts';

/** How a hook's process ended, with what it wrote as text. */
export interface DialectEnd {
  /** `null` when a signal ended it, or it never ran to its end. */
  readonly exitCode: number | null;
  readonly signal?: string | undefined;
  readonly stdout: string;
  readonly stderr: string;
  readonly timedOut?: boolean;
  /** Why it did not come to its end, where that was not for want of time. */
  readonly notStarted?: string;
  /** It is what an endpoint answered, or why it did not. */
  readonly isHttp?: true;
}

/** What a hook of another agent said, in our words. */
export interface DialectAnswer {
  readonly output?: HookOutput;
  /** It is no more than a text. */
  readonly isText?: true | undefined;
  /** What its agent's merging has to know besides, in a word of its own. */
  readonly mark?: string | undefined;
  /** It allows, and an allow of its agent's hooks approves nothing. */
  readonly grantsNothing?: true | undefined;
  /** Its agent holds the run for failed, or what it said cannot be said here. */
  readonly failed?: string;
  /** Fields that its agent does not read. */
  readonly problems?: readonly FieldProblem[];
  /** Something was meant as a verdict, and its agent did not read it. */
  readonly verdictLost?: boolean;
  /** What its agent swallows, and where we are stricter than it. */
  readonly notes: readonly string[];
}

/** One of several answers that become one. */
export interface PlainAnswer {
  readonly output: HookOutput;
  readonly isText?: true | undefined;
  readonly mark?: string | undefined;
  readonly grantsNothing?: true | undefined;
  /** Whose settings the hook stands in. */
  readonly scope?: string | undefined;
  /** Of the one answer: where it may differ from that of its agent. */
  readonly notes?: readonly string[] | undefined;
}

/** One run of a hook of another agent. */
export interface DialectCall {
  readonly stdin: object;
  /** Its matcher, where that needs more than was known when the hook was planned. */
  readonly matches: boolean | 'timeout';
  /** Variables of this run alone. Asked for when its process is about to start. */
  variables(): Readonly<Record<string, string>>;
  hear(end: DialectEnd): DialectAnswer;
}

/** How a hook that was written for another agent is planned, fed and heard. */
export interface HookDialect {
  readonly name: string;
  /** What people call the agent. */
  readonly title: string;
  /** The event by the name it has there. */
  readonly event: string;
  /** The folder and the variables of the plugin that brings it; all files in the folder are one with it. */
  readonly plugin?: { readonly root: string; readonly variables: Readonly<Record<string, string>> } | undefined;
  /** What is odd about its matcher. */
  readonly matcherProblem?: { readonly message: string; readonly fix?: string | undefined } | undefined;
  matches(context: {
    readonly toolName?: string | undefined;
    readonly trigger?: string | undefined;
  }): boolean | 'timeout';
  /** Whether its matcher takes this input, for reports: `matches` leaves open what only the input tells. */
  takes(input: object): boolean | 'timeout';
  /** An input as those that it is made of, where the call does several things at once: each is asked about. */
  split(input: object): readonly object[];
  begin(input: object, callId: string): DialectCall;
  /** What it has in common with hooks of which one alone runs; absent where each one does. */
  readonly sameAs?: string | undefined;
  /** The agent does not wait for it, and its answer decides nothing. */
  readonly isAsync?: true | undefined;
  /** Makes one answer of several as its agent does; absent where ours are to be merged with it one by one. */
  readonly merge?: ((said: readonly PlainAnswer[]) => PlainAnswer) | undefined;
  /** Variables its scripts rely on. */
  readonly environment: (place: {
    projectDir: string;
    cwd: string;
    sessionId: string;
  }) => Readonly<Record<string, string>>;
  /** Those of them that it fills into a command line as text. */
  readonly filledIn: readonly string[];
  /** Variables of the host that its agent does not hand on. */
  readonly withholds: (name: string) => boolean;
}
