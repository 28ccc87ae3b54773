// An entry of a configuration, and the facts about it that do not depend on an event.
import type { HookConfig, LostGuard, OnFault, RowSource, SkipReason } from '../protocol/index.ts';

export interface LastApproval {
  readonly onFault?: OnFault | undefined;
  readonly matcher?: string | undefined;
  readonly agentEvent?: string | undefined;
  /** True if the approved version was written for another agent than this one, so that its matcher cannot be used. */
  readonly isOfOtherAgent?: boolean | undefined;
  /** Changes since the approval: `matcher`, the path of a changed script, or of one that is no longer executable. */
  readonly changes?: readonly string[] | undefined;
  /** Why the approved script, although unchanged, is not found from the session's directory. */
  readonly misplaced?: string | undefined;
}

export interface ConfiguredHook {
  readonly hookId: string;
  readonly name: string;
  /** The event as written: an unknown name is kept, so that a row can report it. */
  readonly eventName: string;
  readonly source: RowSource;
  readonly matcher?: string;
  readonly dialect?: string;
  readonly sequential: boolean;
  readonly config?: HookConfig;
  readonly skipReasons: readonly SkipReason[];
  readonly hint?: string;
  readonly switchedOff?: string | undefined;
  readonly approved?: LastApproval;
  /**
   * Set for a guard that should run but cannot: its file has a mistake, or the guard is required and missing. `onFault`
   * then decides its calls.
   */
  readonly lost?: LostGuard;
  readonly disabled?: boolean;
}

/** Approvals that one engine finds are stored in the configuration, so engines must not share it. */
export const copyWithOwnConfig = (hook: ConfiguredHook): ConfiguredHook =>
  hook.config === undefined ? hook : { ...hook, config: { ...hook.config } };
