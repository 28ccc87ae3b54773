// Finds the hooks of one event that may run, and the duplicates among them.
import { type AgentHook, isMoreTrusted, type Notice, type OnFault, type SkipReason } from '../protocol/index.ts';
import type { ConfiguredHook } from '../registry/index.ts';
import { isExpiredApproval } from './expired-approval.ts';
import type { CompiledMatcher } from './matcher.ts';

export interface CompiledHook {
  readonly hook: ConfiguredHook;
  readonly matcher: CompiledMatcher;
  readonly duplicateKey: string;
  readonly warnings: readonly Notice[];
  /** `onFault` of a guard whose approval expired. Such a guard counts as failed until the user approves it again. */
  readonly expiredOnFault: OnFault | undefined;
  /** The rules of the agent that the hook was written for; for a changed guard, with the approved matcher. */
  readonly dialect: AgentHook | undefined;
  /** True if only the matcher decides whether the hook runs or fails. False if the hook is always skipped. */
  readonly mayRun: boolean;
  /** True after the pattern timed out. Such a pattern is not tried again. */
  gaveUp: boolean;
  /** The error that the host's `matchRegex` threw. */
  failure?: string;
}

export interface CandidateHook {
  readonly compiled: CompiledHook;
  readonly reasons: SkipReason[];
  readonly timedOut: boolean;
}

export const willRun = ({ reasons }: CandidateHook): boolean => reasons.length === 0;

export const isExpiredGuard = ({ compiled, reasons }: CandidateHook): boolean =>
  compiled.expiredOnFault !== undefined && reasons.every(isExpiredApproval);

export interface CopyGroups {
  copiesOf(candidate: CandidateHook): readonly CandidateHook[];
  originalOf(candidate: CandidateHook): ConfiguredHook | undefined;
}

/** Of identical hooks the most trusted one runs. If several are equally trusted, the first runs. */
export const groupCopies = (candidates: readonly CandidateHook[]): CopyGroups => {
  const groups = new Map<string, CandidateHook[]>();
  for (const candidate of candidates) {
    // The matcher timed out, so it is unknown whether the hook matches. It must not replace a copy that does.
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
    copiesOf: (candidate) => copies.get(candidate) ?? [],
    originalOf: (candidate) => originals.get(candidate)?.compiled.hook,
  };
};
