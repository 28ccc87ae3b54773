// The result of one run of a hook, and the merged result of an event.

import type { FaultCode } from '../fault-and-notice-codes.ts';
import type { HookOutput } from '../hooks/output.ts';
import type { FieldProblem, Notice } from '../notices.ts';
import type { HookConfig } from '../settings/settings.ts';
import type { SkipReason } from '../skip-reasons.ts';

export { type FaultCode, faultCodes } from '../fault-and-notice-codes.ts';

export interface HookExecutionResult {
  readonly hookConfig: HookConfig;
  readonly eventName: string;
  /** False also for exit code 2, with which a hook blocks on purpose. */
  readonly success: boolean;
  readonly output?: HookOutput;
  /** `text` if the hook printed no JSON. A `decision: 'allow'` made from text is no opinion. */
  readonly outputFormat?: 'json' | 'text';
  /**
   * What the hook itself answered, if its agent merges several answers into one. The merged answer is the `output` of
   * one of the results.
   */
  readonly own?: HookExecutionResult;
  /** A value that only the merge rules of the hook's agent understand. */
  readonly mark?: string;
  /** An `allow` of this agent's hooks does not skip its permission prompt, so it approves nothing. */
  readonly grantsNothing?: true;
  readonly stdout?: string;
  readonly stderr?: string;
  /** Absent if a signal ended the hook. */
  readonly exitCode?: number;
  readonly signal?: string;
  /** `hit` if a process started in advance served this run of a warm hook. */
  readonly warm?: 'hit' | 'miss';
  readonly code?: FaultCode;
  readonly error?: Error;
  /** The hook was planned but not started, because its `if` does not match the call. */
  readonly skipped?: Extract<SkipReason, 'condition-mismatch'>;
  /** The event did not wait for the hook, so its end is not known yet. */
  readonly background?: boolean;
  /** The second run of a guard, on a call that other hooks changed. Only its verdict, reason and message count. */
  readonly recheck?: true;
  readonly duration: number;
  /** Time until the process was started. It is part of `duration`. */
  readonly startupMs?: number;
  /** Fields of the answer that were dropped, or that this event does not support. */
  readonly fieldProblems?: readonly FieldProblem[];
  readonly warnings?: readonly Notice[];
}

export class AnswerWithWarnings {
  readonly answer: unknown;
  readonly warnings: readonly Notice[];

  constructor(answer: unknown, warnings: readonly Notice[]) {
    this.answer = answer;
    this.warnings = warnings;
  }
}

/** The merged result of all hooks of one event. */
export interface AggregatedHookResult<Output = unknown> {
  success: boolean;
  finalOutput?: Output | undefined;
  allOutputs: HookOutput[];
  errors: Error[];
  totalDuration: number;
}
