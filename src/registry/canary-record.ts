/** The stored results of earlier processes' canaries, which are calls that test guards. */
import type { ConfiguredHook } from './configured-hook.ts';

export interface CanaryRecord {
  /** Hook id → earlier outcome. A hook without an outcome never ran its canary, or may have changed since. */
  read(hooks: readonly ConfiguredHook[]): Promise<ReadonlyMap<string, EarlierCanaryResult> | 'unreadable'>;
  /** Stores where each denial was lost; `undefined` if the guard denied its canary. */
  keep(outcomes: ReadonlyMap<ConfiguredHook, LostDenial | undefined>): Promise<void>;
}

/** Stages of a canary run in which its denial can be lost. */
export const canaryStages = ['configuration', 'matcher', 'condition', 'process', 'answer'] as const;

export type CanaryStage = (typeof canaryStages)[number];

export interface LostDenial {
  readonly stage: CanaryStage;
  readonly message: string;
}

export interface EarlierCanaryResult {
  readonly loss?: LostDenial | undefined;
  readonly isUnchanged: boolean;
  /** Whether all files that the hook starts are known, so that no other change can matter. */
  readonly isCovered: boolean;
}
