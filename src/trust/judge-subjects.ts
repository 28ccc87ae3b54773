// Compares subjects (hooks, abilities) with approvals, and lets approved hooks check their files at each run.
import { isSameList } from '../kit/index.ts';
import { describeUnapproved, getOrigin, withOrigin } from '../protocol/index.ts';
import type { TrustQuestion } from '../registry/index.ts';
import type { Approval } from './approval.ts';
import { toCanonicalJson } from './canonical.ts';
import { listChangedFiles } from './differences.ts';
import { readFileStamp } from './file-stamps.ts';
import { whyNotCovered } from './scripts/coverage.ts';
import { FileStateReader } from './scripts/file-state-reader.ts';
import { type FileState, hashApprovedVersion, type TrustSubject } from './subject.ts';

export type TrustStatus = 'approved' | 'new' | 'changed';

type Stamps = readonly (string | undefined)[];

export interface SubjectStatus {
  readonly subject: TrustSubject;
  readonly status: TrustStatus;
  readonly previous?: Approval | undefined;
  readonly files: readonly FileState[];
  /** Taken before the files were read, so that a concurrent change shows. */
  readonly stamps?: Stamps | undefined;
  readonly notCovered?: readonly string[] | undefined;
  readonly secrets?: readonly string[] | undefined;
  /** Absent if no approval has the subject's content; the files were not read then. */
  readonly hash?: string | undefined;
}

export interface JudgedSubjects {
  readonly judgements: readonly SubjectStatus[];
  readonly gone: readonly Approval[];
}

interface MatchedSubject extends Omit<SubjectStatus, 'status' | 'previous' | 'secrets'> {
  readonly approval?: Approval | undefined;
}

const matchSubject = async (
  subject: TrustSubject,
  byContent: ReadonlyMap<string, readonly Approval[]>,
  look: FileStateReader,
  lookAtAll: boolean,
): Promise<MatchedSubject> => {
  const candidates = byContent.get(toCanonicalJson(subject.content)) ?? [];
  if (candidates.length === 0 && !lookAtAll) return { subject, files: [] };
  const stamps = candidates.length === 0 ? undefined : readStamps(subject);
  const all = await look.statesOf(subject.files, subject.roots);
  const notCovered = lookAtAll ? await whyNotCovered(subject, look) : undefined;
  for (const approval of candidates) {
    const files = await look.statesOf(subject.files, subject.roots, approval.files);
    const hash = hashApprovedVersion(subject.content, files);
    if (hash === approval.hash) return { subject, files, stamps, notCovered, hash, approval };
  }
  return { subject, files: all, stamps, notCovered, hash: hashApprovedVersion(subject.content, all) };
};

/** Finds the approval of an earlier version of each hook, by the surest identifiers first; uses no approval twice. */
const findPreviousVersions = (subjects: readonly TrustSubject[], left: Set<Approval>): Map<TrustSubject, Approval> => {
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

export const judgeSubjects = async (
  subjects: readonly TrustSubject[],
  approvals: readonly Approval[],
  look: FileStateReader,
  { lookAtAll = false }: { lookAtAll?: boolean } = {},
): Promise<JudgedSubjects> => {
  const byContent = new Map<string, Approval[]>();
  for (const approval of approvals) {
    const key = toCanonicalJson(approval.content);
    byContent.set(key, [...(byContent.get(key) ?? []), approval]);
  }
  const seen: MatchedSubject[] = [];
  for (const subject of subjects) seen.push(await matchSubject(subject, byContent, look, lookAtAll));
  const left = new Set(approvals);
  for (const { approval } of seen) if (approval !== undefined) left.delete(approval);
  const unapproved = seen.filter(({ approval }) => approval === undefined).map(({ subject }) => subject);
  const previous = findPreviousVersions(unapproved, left);
  const judgements = seen.map(({ approval, ...rest }): SubjectStatus => {
    const earlier = previous.get(rest.subject);
    const status = approval !== undefined ? 'approved' : earlier === undefined ? 'new' : 'changed';
    return { status, previous: earlier, secrets: approval?.secrets, ...rest };
  });
  return { judgements, gone: [...left] };
};

const readStamps = ({ files }: TrustSubject): Stamps => files.map(({ path }) => readFileStamp(path));

/** An agent may edit the scripts of its own hooks, so each run compares them with the approved version. */
export const attachApprovalCheck = (
  { config, source }: TrustQuestion,
  { subject, hash, files, stamps = [], secrets }: SubjectStatus,
  isCovered: boolean,
): void => {
  const origin = {
    ...(getOrigin(config) ?? { source: source.kind, extension: source.extension }),
    approved: true as const,
    ...(isCovered || subject.start?.interpreter !== undefined ? { programsOutside: true as const } : {}),
    ...(secrets === undefined ? {} : { secrets }),
  };
  withOrigin(config, origin);
  if (subject.files.length === 0) return;
  let known = stamps;
  const lookAgain = async (): Promise<string | undefined> => {
    const found = readStamps(subject);
    const states = await new FileStateReader().statesOf(subject.files, subject.roots, files);
    if (hashApprovedVersion(subject.content, states) !== hash) {
      return describeUnapproved('changed-since-trusted', listChangedFiles(files, states).join('; ') || undefined);
    }
    known = found;
    return undefined;
  };
  const changed = (): string | undefined | Promise<string | undefined> =>
    isSameList(known, readStamps(subject)) ? undefined : lookAgain();
  withOrigin(config, { ...origin, changed });
};
