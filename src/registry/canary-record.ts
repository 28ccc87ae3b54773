/** Outcomes of guards' canaries in earlier processes. */
import type { ConfiguredHook } from './configured-hook.ts';

export interface CanaryRecord {
  /** By hook id. Without an entry the canary never ran, or it is unknown whether the hook changed. */
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
  /** Absent if the canary was denied. */
  readonly loss?: CanaryLoss | undefined;
  /** The hook and all files that it is known to start are unchanged. */
  readonly isUnchanged: boolean;
  /** All files that the hook starts are known, so nothing else can have changed. */
  readonly isCovered: boolean;
}
