// The result of one run of a hook, and the merged result of an event.

import type { FaultCode } from '../fault-and-notice-codes.ts';
import type { HookOutput } from '../hooks/output.ts';
import type { FieldProblem, Notice } from '../notices.ts';
import type { HookConfig } from '../settings/settings.ts';
import type { SkipReason } from '../skip-reasons.ts';

export interface HookExecutionResult {
  readonly hookConfig: HookConfig;
  readonly eventName: string;
  /** `false` also for exit code 2, with which a hook blocks. */
  readonly success: boolean;
  readonly output?: HookOutput;
  /** An `allow` in an answer of format `text` is no opinion. */
  readonly outputFormat?: 'json' | 'text';
  /** The hook's own result, if its agent merges several answers into one. */
  readonly own?: HookExecutionResult;
  readonly mark?: string;
  /** An `allow` from hooks of this agent does not skip the agent's permission prompt, so it approves nothing. */
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
  readonly skipped?: Extract<SkipReason, 'condition-mismatch'>;
  readonly background?: boolean;
  /** The second run of a guard, on a call that other hooks changed: only verdict, reason and message are used. */
  readonly recheck?: true;
  readonly duration: number;
  /** The part of `duration` before the process was started. */
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

export interface AggregatedHookResult<Output = unknown> {
  success: boolean;
  finalOutput?: Output | undefined;
  allOutputs: HookOutput[];
  errors: Error[];
  totalDuration: number;
}
