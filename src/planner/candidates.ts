import type { AgentHook, Notice, OnFault, SkipReason } from '../protocol/index.ts';
import type { ConfiguredHook } from '../registry/index.ts';
import { isMoreTrusted } from './duplicates.ts';
import { isLapse } from './lapse.ts';
import type { CompiledMatcher } from './matcher.ts';

/** A hook with all that can be found out about it before an event comes. */
export interface CompiledHook {
  readonly hook: ConfiguredHook;
  readonly matcher: CompiledMatcher;
  readonly duplicateKey: string;
  readonly warnings: readonly Notice[];
  /** It was a guard when it was approved and is another hook now: until the user reviews it, its fault counts. */
  readonly lapsed: OnFault | undefined;
  /** How another agent's hook is matched: of a changed guard with what was approved. */
  readonly dialect: AgentHook | undefined;
  /** Nothing but its matcher can keep it from running, or from having its fault heard. */
  readonly mayRun: boolean;
  /** A pattern that ran out of time once is not run again. */
  gaveUp: boolean;
  /** What the engine of regular expressions threw, when it did. */
  failure?: string;
}

/** A hook that was looked at for one event. */
export interface CandidateHook {
  readonly compiled: CompiledHook;
  readonly reasons: SkipReason[];
  readonly timedOut: boolean;
}

export const isRunning = ({ reasons }: CandidateHook): boolean => reasons.length === 0;

export const isLapsed = ({ compiled, reasons }: CandidateHook): boolean =>
  compiled.lapsed !== undefined && reasons.every(isLapse);

/** Which candidates are the same hook. */
export interface Copies {
  of(candidate: CandidateHook): readonly CandidateHook[];
  originalOf(candidate: CandidateHook): ConfiguredHook | undefined;
}

/** Of several copies the most trusted one runs, of equally trusted ones the first; the others are its duplicates. */
export const copiesAmong = (candidates: readonly CandidateHook[]): Copies => {
  const groups = new Map<string, CandidateHook[]>();
  for (const candidate of candidates) {
    // Its match is unknown, so it must not replace a copy that does match.
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
