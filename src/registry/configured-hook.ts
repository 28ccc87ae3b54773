// One entry of a configuration, and the facts about it that do not depend on an event.
import type { HookConfig, LostGuard, OnFault, RowSource, SkipReason } from '../protocol/index.ts';

/** The approved version of a hook that has changed: its fault policy and matcher. */
export interface ApprovedBefore {
  readonly onFault?: OnFault | undefined;
  readonly matcher?: string | undefined;
  /** The agent's own event, if several of its events map to the same event of ours. */
  readonly agentEvent?: string | undefined;
  /** Approved for another agent, or for an unknown event of its agent, so its matcher cannot be compiled. */
  readonly isOfOtherAgent?: boolean | undefined;
  /** What changed since the approval: `matcher`, the path of a script, or a removed execute permission. */
  readonly changes?: readonly string[] | undefined;
  /** Why its unchanged script is not found from the session's directory. */
  readonly misplaced?: string | undefined;
}

/** One entry of a configuration, whether or not it can ever run. */
export interface ConfiguredHook {
  readonly hookId: string;
  readonly name: string;
  /** The event as written. An unknown name is kept, so that the hook's row can report it. */
  readonly eventName: string;
  readonly source: RowSource;
  readonly matcher?: string;
  /** The agent it was written for, if it is another one. */
  readonly dialect?: string;
  readonly sequential: boolean;
  /** Absent if the entry could not be read. */
  readonly config?: HookConfig;
  /** Reasons that keep it from running, whatever its matcher. */
  readonly barriers: readonly SkipReason[];
  readonly hint?: string;
  /** Why it is disabled for a while or for one run. */
  readonly switchedOff?: string | undefined;
  /** The version that the user approved, if the hook has changed since. */
  readonly approved?: ApprovedBefore;
  /**
   * Set for a guard that should run but cannot: its file is unreadable or has a mistake, or it is required and missing.
   * Its `onFault` decides calls in its place.
   */
  readonly lost?: LostGuard;
  /** Whether the settings file of the hook disables it by name. */
  readonly disabled?: boolean;
}

/** A copy with its own configuration: approvals found by one engine are not shared. */
export const ownConfig = (hook: ConfiguredHook): ConfiguredHook =>
  hook.config === undefined ? hook : { ...hook, config: { ...hook.config } };
