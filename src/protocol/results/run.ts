import type { HookOutput } from '../hooks/output.ts';
import type { FaultCode, SkipReason } from '../notice-codes.ts';
import type { FieldProblem, Notice } from '../notices.ts';
import type { HookConfig } from '../settings/settings.ts';

export { type FaultCode, faultCodes } from '../notice-codes.ts';

/** How one hook ended, run once. */
export interface HookExecutionResult {
  readonly hookConfig: HookConfig;
  readonly eventName: string;
  /** The health of the execution, not its verdict: an exit 2 that blocks on purpose is `false`. */
  readonly success: boolean;
  readonly output?: HookOutput;
  /** `text` when the hook printed no JSON: its `decision: 'allow'` is a courtesy to old callers, not an opinion. */
  readonly outputFormat?: 'json' | 'text';
  /** As its hook ended, if its agent makes one answer of those of several hooks: `output` is that answer then, at one of them. */
  readonly own?: HookExecutionResult;
  /** Of a hook of another agent: what that agent's merging has to know besides, in a word of its own. */
  readonly mark?: string;
  /** Its `decision: 'allow'` is what hooks of its agent say when they have no objection, and approves nothing. */
  readonly grantsNothing?: true;
  readonly stdout?: string;
  readonly stderr?: string;
  /** Absent when the hook was ended by a signal: there is no number that would be true. */
  readonly exitCode?: number;
  readonly signal?: string;
  /** Whether a process that was started ahead served this run; only of hooks that are warm. */
  readonly warm?: 'hit' | 'miss';
  readonly code?: FaultCode;
  readonly error?: Error;
  /** It was planned and not started, because its `if` is about other calls. */
  readonly skipped?: Extract<SkipReason, 'condition-mismatch'>;
  /** It was started and not waited for: nothing else is known yet. */
  readonly background?: boolean;
  /** It was asked a second time, with what the call had become: only its verdict, its reason and its message count. */
  readonly recheck?: true;
  /** Milliseconds around the whole run. */
  readonly duration: number;
  /** How much of that passed until its process was there; of commands that are started on this machine. */
  readonly startupMs?: number;
  /** Fields that were dropped or are not meant for this event. */
  readonly fieldProblems?: readonly FieldProblem[];
  /** What a person should know about this run although it changed nothing. */
  readonly warnings?: readonly Notice[];
}

/** An answer of a function hook with what a person should know about its run. */
export class AnswerWithWarnings {
  readonly answer: unknown;
  readonly warnings: readonly Notice[];

  constructor(answer: unknown, warnings: readonly Notice[]) {
    this.answer = answer;
    this.warnings = warnings;
  }
}

/** How all hooks of one event ended, in configured order. */
export interface AggregatedHookResult<Output = unknown> {
  success: boolean;
  finalOutput?: Output | undefined;
  allOutputs: HookOutput[];
  errors: Error[];
  totalDuration: number;
}
