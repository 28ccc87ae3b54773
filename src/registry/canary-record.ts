/** What canaries of guards came to in earlier processes. */
import type { ConfiguredHook } from './configured-hook.ts';

export interface CanaryRecord {
  /** By the id of the hook; without an entry its canary was never run, or it cannot be told whether the hook changed. */
  read(hooks: readonly ConfiguredHook[]): Promise<ReadonlyMap<string, CanaryPast> | 'unreadable'>;
  /** Keeps what the canaries of these hooks came to: where one was lost, or `undefined` if it was denied. */
  keep(outcomes: ReadonlyMap<ConfiguredHook, CanaryLoss | undefined>): Promise<void>;
}

/** Where on its way from the settings to the verdict a denial can be lost. */
export const canaryStages = ['configuration', 'matcher', 'condition', 'process', 'answer'] as const;

export type CanaryStage = (typeof canaryStages)[number];

export interface CanaryLoss {
  readonly stage: CanaryStage;
  readonly message: string;
}

export interface CanaryPast {
  /** Absent if the canary was denied. */
  readonly loss?: CanaryLoss | undefined;
  /** The hook, and each file that it is known to start, are as they were. */
  readonly isUnchanged: boolean;
  /** It is known what the hook starts, so that nothing else can have changed. */
  readonly isCovered: boolean;
}
