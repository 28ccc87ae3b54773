// Candidates for one event: which hooks run, and which are duplicates of others.
import type { AgentHook, Notice, OnFault, SkipReason } from '../protocol/index.ts';
import type { ConfiguredHook } from '../registry/index.ts';
import { isMoreTrusted } from './duplicates.ts';
import { isLapse } from './lapse.ts';
import type { CompiledMatcher } from './matcher.ts';

/** A configured hook with its compiled matcher and the other facts that do not depend on an event. */
export interface CompiledHook {
  readonly hook: ConfiguredHook;
  readonly matcher: CompiledMatcher;
  readonly duplicateKey: string;
  readonly warnings: readonly Notice[];
  /** `onFault` of a guard that changed after its approval. Until the user reviews it, the guard counts as failed. */
  readonly lapsed: OnFault | undefined;
  /** Rules of the agent for which the hook was written; for a changed guard, with the approved matcher. */
  readonly dialect: AgentHook | undefined;
  /**
   * Whether only the matcher decides if the hook runs or, as a changed guard, fails; otherwise it is always skipped.
   */
  readonly mayRun: boolean;
  /** Set after the matcher has timed out: the pattern is not tried again. */
  gaveUp: boolean;
  /** The message of an error thrown by the host's `matchRegex`. */
  failure?: string;
}

/** A hook and the result of its checks for one event. */
export interface CandidateHook {
  readonly compiled: CompiledHook;
  readonly reasons: SkipReason[];
  readonly timedOut: boolean;
}

export const isRunning = ({ reasons }: CandidateHook): boolean => reasons.length === 0;

export const isLapsed = ({ compiled, reasons }: CandidateHook): boolean =>
  compiled.lapsed !== undefined && reasons.every(isLapse);

/** Groups of identical hooks. */
export interface Copies {
  of(candidate: CandidateHook): readonly CandidateHook[];
  originalOf(candidate: CandidateHook): ConfiguredHook | undefined;
}

/** Of identical hooks the most trusted one runs, or the first of equally trusted ones; the others are duplicates. */
export const copiesAmong = (candidates: readonly CandidateHook[]): Copies => {
  const groups = new Map<string, CandidateHook[]>();
  for (const candidate of candidates) {
    // Its match is unknown, so it must not replace a copy that matches.
    if (candidate.timedOut) continue;
    const { duplicateKey: key } = candidate.compiled;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [candidate]);
    else group.push(candidate);
  }
  const originals = new Map<CandidateHook, CandidateHook>();
  const copies = new Map<CandidateHook, CandidateHook[]>();
  for (const group of groups.values()) {
    if (group.length === 1) continue;
    const kindOf = ({ compiled }: CandidateHook) => compiled.hook.source.kind;
    const original = group.reduce((best, one) => (isMoreTrusted(kindOf(one), kindOf(best)) ? one : best));
    const others = group.filter((candidate) => candidate !== original);
    copies.set(original, others);
    for (const candidate of others) {
      candidate.reasons.push('duplicate');
      originals.set(candidate, original);
    }
  }
  return {
    of: (candidate) => copies.get(candidate) ?? [],
    originalOf: (candidate) => originals.get(candidate)?.compiled.hook,
  };
};
