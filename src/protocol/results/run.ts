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
  /** Whether the execution succeeded, regardless of the verdict: exit code 2, a deliberate block, is `false`. */
  readonly success: boolean;
  readonly output?: HookOutput;
  /** `text` if the hook printed no JSON; its `decision: 'allow'` is for compatibility and no opinion. */
  readonly outputFormat?: 'json' | 'text';
  /**
   * The hook's own result, if its agent merges several answers into one: one of the results then has the merged answer
   * as `output`.
   */
  readonly own?: HookExecutionResult;
  /** For a hook of another agent: a value for that agent's merging. */
  readonly mark?: string;
  /** The `allow` of this agent's hooks means no objection; it approves nothing. */
  readonly grantsNothing?: true;
  readonly stdout?: string;
  readonly stderr?: string;
  /** Absent if a signal ended the hook. */
  readonly exitCode?: number;
  readonly signal?: string;
  /** For a warm hook: whether a process started in advance served this run. */
  readonly warm?: 'hit' | 'miss';
  readonly code?: FaultCode;
  readonly error?: Error;
  /** Planned but not started, because its `if` does not match. */
  readonly skipped?: Extract<SkipReason, 'condition-mismatch'>;
  /** Started and not waited for; nothing else is known yet. */
  readonly background?: boolean;
  /** The second run of the hook, on the changed call: only its verdict, reason and message count. */
  readonly recheck?: true;
  readonly duration: number;
  /** Part of `duration` until the process was started; for commands on this machine. */
  readonly startupMs?: number;
  /** Fields that were dropped or do not apply to this event. */
  readonly fieldProblems?: readonly FieldProblem[];
  readonly warnings?: readonly Notice[];
}

/** An answer of a function hook, with warnings about its run. */
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
