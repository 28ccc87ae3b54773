// Compares subjects with approvals, and ties approved hooks to their approved version.
import { isSameList } from '../kit/index.ts';
import { type HookConfig, originOf, type RowSource, unapprovedText, withOrigin } from '../protocol/index.ts';
import type { Approval } from './approval.ts';
import { canonicalJson } from './canonical.ts';
import { changedFiles } from './differences.ts';
import { stampOf } from './file-stamps.ts';
import { whyNotCovered } from './scripts/coverage.ts';
import { FileStateReader } from './scripts/look-at-files.ts';
import { approvalHash, type FileState, type TrustSubject } from './subject.ts';

export type TrustStatus = 'approved' | 'new' | 'changed';

/** A subject compared with the approvals. */
export interface SubjectStatus {
  readonly subject: TrustSubject;
  readonly status: TrustStatus;
  /** The approval of an earlier version, if the subject has changed. */
  readonly previous?: Approval | undefined;
  readonly files: readonly FileState[];
  /** Stamps of its files from before they were read. */
  readonly stamps?: readonly (string | undefined)[] | undefined;
  /** Present only if everything was examined. */
  readonly notCovered?: readonly string[] | undefined;
  /** Names of secrets that the user allowed. */
  readonly secrets?: readonly string[] | undefined;
  /** Absent if not needed: files of a never approved subject are not read. */
  readonly hash?: string | undefined;
}

export interface Judged {
  readonly judgements: readonly SubjectStatus[];
  /** Approvals whose subjects no longer exist. */
  readonly gone: readonly Approval[];
}

interface Seen {
  readonly subject: TrustSubject;
  readonly files: readonly FileState[];
  readonly stamps?: SubjectStatus['stamps'];
  readonly notCovered?: SubjectStatus['notCovered'];
  readonly hash?: string | undefined;
  readonly approval?: Approval | undefined;
}

const see = async (
  subject: TrustSubject,
  byContent: ReadonlyMap<string, readonly Approval[]>,
  look: FileStateReader,
  lookAtAll: boolean,
): Promise<Seen> => {
  const candidates = byContent.get(canonicalJson(subject.content)) ?? [];
  if (candidates.length === 0 && !lookAtAll) return { subject, files: [] };
  const stamps = candidates.length === 0 ? undefined : stampsOf(subject);
  const all = await look.statesOf(subject.files, subject.roots);
  const notCovered = lookAtAll ? await whyNotCovered(subject, look) : undefined;
  for (const approval of candidates) {
    const files = await look.statesOf(subject.files, subject.roots, approval.files);
    const hash = approvalHash(subject.content, files);
    if (hash === approval.hash) return { subject, files, stamps, notCovered, hash, approval };
  }
  return { subject, files: all, stamps, notCovered, hash: approvalHash(subject.content, all) };
};

/** Finds the earlier version of each changed subject; surer signs go first, and no approval is used twice. */
const previousOf = (subjects: readonly TrustSubject[], left: Set<Approval>): Map<TrustSubject, Approval> => {
  const found = new Map<TrustSubject, Approval>();
  const longest = Math.max(0, ...subjects.map(({ kin }) => kin.length));
  for (let rank = 0; rank < longest; rank += 1) {
    for (const subject of subjects) {
      const sign = subject.kin[rank];
      if (sign === undefined || found.has(subject)) continue;
      const previous = [...left].find(({ kin }) => kin.includes(sign));
      if (previous === undefined) continue;
      left.delete(previous);
      found.set(subject, previous);
    }
  }
  return found;
};

/** Compares subjects with approvals. A subject is approved if an approval has its hash, whatever its id. */
export const judgeSubjects = async (
  subjects: readonly TrustSubject[],
  approvals: readonly Approval[],
  look: FileStateReader,
  { lookAtAll = false }: { lookAtAll?: boolean } = {},
): Promise<Judged> => {
  const byContent = new Map<string, Approval[]>();
  for (const approval of approvals) {
    const key = canonicalJson(approval.content);
    byContent.set(key, [...(byContent.get(key) ?? []), approval]);
  }
  const seen: Seen[] = [];
  for (const subject of subjects) seen.push(await see(subject, byContent, look, lookAtAll));
  const left = new Set(approvals);
  for (const { approval } of seen) if (approval !== undefined) left.delete(approval);
  const unapproved = seen.filter(({ approval }) => approval === undefined).map(({ subject }) => subject);
  const previous = previousOf(unapproved, left);
  const judgements = seen.map(({ approval, ...rest }): SubjectStatus => {
    const earlier = previous.get(rest.subject);
    const status = approval !== undefined ? 'approved' : earlier === undefined ? 'new' : 'changed';
    return { status, previous: earlier, secrets: approval?.secrets, ...rest };
  });
  return { judgements, gone: [...left] };
};

type Stamps = readonly (string | undefined)[];

export const stampsOf = ({ files }: TrustSubject): Stamps => files.map(({ path }) => stampOf(path));

interface Sealed {
  readonly subject: TrustSubject;
  readonly hook: HookConfig;
  readonly source: Pick<RowSource, 'kind' | 'extension'>;
}

interface Sealing {
  readonly files: readonly FileState[];
  /** From before the files were read. */
  readonly stamps: Stamps;
  readonly secrets?: readonly string[] | undefined;
  readonly isCovered: boolean;
}

/** Ties a hook to its approved version for the session: an agent may edit the scripts of its own hooks. */
export const tieToApproval = (
  { subject, hook, source }: Sealed,
  hash: string,
  { files, stamps, secrets, isCovered }: Sealing,
): void => {
  const origin = {
    ...(originOf(hook) ?? { source: source.kind, extension: source.extension }),
    approved: true as const,
    ...(isCovered || subject.start?.interpreter !== undefined ? { programsOutside: true as const } : {}),
    ...(secrets === undefined ? {} : { secrets }),
  };
  withOrigin(hook, origin);
  if (subject.files.length === 0) return;
  let known = stamps;
  const lookAgain = async (): Promise<string | undefined> => {
    const found = stampsOf(subject);
    const states = await new FileStateReader().statesOf(subject.files, subject.roots, files);
    if (approvalHash(subject.content, states) !== hash) {
      return unapprovedText('changed-since-trusted', changedFiles(files, states).join('; ') || undefined);
    }
    known = found;
    return undefined;
  };
  const changed = (): string | undefined | Promise<string | undefined> =>
    isSameList(known, stampsOf(subject)) ? undefined : lookAgain();
  withOrigin(hook, { ...origin, changed });
};
