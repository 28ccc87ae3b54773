import type { HookConfig, LostGuard, OnFault, RowSource, SkipReason } from '../protocol/index.ts';

/** What was approved of a hook that is another now: what its faults mean, and what it was asked about. */
export interface ApprovedBefore {
  readonly onFault?: OnFault | undefined;
  readonly matcher?: string | undefined;
  /** It was approved for another agent, or another event of its agent, so that its matcher cannot be compiled. */
  readonly isOfOtherAgent?: boolean | undefined;
  /** What changed: `matcher`, the path of a script, or that one lost its execute permission. */
  readonly changes?: readonly string[] | undefined;
  /** Why its script is not found from the directory of the session, although nothing changed. */
  readonly misplaced?: string | undefined;
}

/** One entry of a configuration, whether or not it can ever run. */
export interface ConfiguredHook {
  readonly hookId: string;
  readonly name: string;
  /** As written: an unknown event is kept, so that its row can report it. */
  readonly eventName: string;
  readonly source: RowSource;
  readonly matcher?: string;
  /** The agent it was written for, where that is another. */
  readonly dialect?: string;
  readonly sequential: boolean;
  /** Absent when the entry could not be read. */
  readonly config?: HookConfig;
  /** What keeps it from running before any matcher is looked at. */
  readonly barriers: readonly SkipReason[];
  readonly hint?: string;
  /** Why it is switched off for a while, or for one run. */
  readonly switchedOff?: string | undefined;
  /** What was approved of it before it changed. */
  readonly approved?: ApprovedBefore;
  /** It is a guard that is known and stands in no file that can be read: its fault is heard in its place. */
  readonly lost?: LostGuard;
  /** The file it stands in switches it off by name. */
  readonly disabled?: boolean;
}

/** A copy with a configuration of its own: the approvals that one engine finds are not for others. */
export const ownConfig = (hook: ConfiguredHook): ConfiguredHook =>
  hook.config === undefined ? hook : { ...hook, config: { ...hook.config } };
