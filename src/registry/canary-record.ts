/** Outcomes of guards' canaries in earlier processes. */
import type { ConfiguredHook } from './configured-hook.ts';

export interface CanaryRecord {
  /** Earlier outcomes by hook id. A hook without an entry never ran its canary, or may have changed since. */
  read(hooks: readonly ConfiguredHook[]): Promise<ReadonlyMap<string, CanaryPast> | 'unreadable'>;
  /** Stores the outcomes: the stage that lost the denial, or `undefined` if the call was denied. */
  keep(outcomes: ReadonlyMap<ConfiguredHook, CanaryLoss | undefined>): Promise<void>;
}

/** The stages between settings and verdict in which a denial can be lost. */
export const canaryStages = ['configuration', 'matcher', 'condition', 'process', 'answer'] as const;

export type CanaryStage = (typeof canaryStages)[number];

export interface CanaryLoss {
  readonly stage: CanaryStage;
  readonly message: string;
}

export interface CanaryPast {
  /** How the guard failed to deny its canary; absent if it denied it. */
  readonly loss?: CanaryLoss | undefined;
  /** Whether the hook and all files that it is known to start are unchanged. */
  readonly isUnchanged: boolean;
  /** Whether all files that the hook starts are known, so that nothing else can have changed. */
  readonly isCovered: boolean;
}
