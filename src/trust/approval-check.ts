import { inSlices, isRecord } from '../kit/index.ts';
import { within } from '../kit/node.ts';
import type { HookConfig, OnFault, RowSource } from '../protocol/index.ts';
import type { TrustQuestion, TrustVerdict } from '../registry/index.ts';

import type { Approval } from './approval.ts';
import { changesSince, misplacedIn } from './differences.ts';
import { hookSubject } from './hook-subject.ts';
import { type Judged, judge, type SubjectStatus, sealHook } from './judge-subjects.ts';
import { notCoveredBy } from './scripts/coverage.ts';
import { FileLook } from './scripts/look-at-files.ts';
import { TrustStore } from './store/trust-store.ts';
import type { TrustSubject } from './subject.ts';

/** Where trust is kept and which project it is about. */
export interface TrustPlace {
  /** The user's home; approvals are in its `.hookwright/trust.json`. */
  readonly home: string;
  readonly projectDir: string;
  /** Where hooks run, when that is below the project's directory. */
  readonly cwd?: string | undefined;
  /** Directories above the project whose approved guards hold in it. */
  readonly outer?: readonly string[] | undefined;
}

/** Whose approvals decide about a hook: those of the project in whose file it stands. */
export const placeOf = ({ source: { file } }: Pick<TrustQuestion, 'source'>, place: TrustPlace): TrustPlace => {
  if (file === undefined || within(place.projectDir, file) !== undefined) return place;
  const projectDir = place.outer?.find((outer) => within(outer, file) !== undefined);
  return projectDir === undefined ? place : { home: place.home, projectDir };
};

export interface TrustCheckOptions extends TrustPlace {
  /** Told when the store cannot be relied on, so that nothing is trusted. */
  readonly onTrouble?: ((message: string) => void) | undefined;
  /** Told how the hooks that were asked about together stand to what was approved. */
  readonly onJudged?: ((judged: Judged, projectDir: string) => void) | undefined;
}

export type ApprovalCheck = (question: TrustQuestion) => Promise<TrustVerdict>;

const onFaultIn = ({ hook }: Approval['content']): OnFault | undefined => {
  const wish = isRecord(hook) ? hook.onFault : undefined;
  return wish === 'deny' || wish === 'ask' ? wish : undefined;
};

const verdictOf = ({ status, previous, subject, files }: SubjectStatus): TrustVerdict => {
  if (status === 'approved') return 'trusted';
  if (previous === undefined) return status === 'changed' ? 'changed-since-trusted' : 'untrusted';
  const { matcher } = previous.content;
  const asked = typeof matcher === 'string' ? { matcher } : {};
  const changes = changesSince(previous, subject, files);
  const misplaced = misplacedIn(previous.files, files);
  return { changed: { onFault: onFaultIn(previous.content), changes, misplaced, ...asked } };
};

/** Something to be judged, and the hook that it becomes when it may run. */
interface Candidate {
  readonly subject: TrustSubject;
  readonly hook: HookConfig;
  readonly source: Pick<RowSource, 'kind' | 'extension'>;
}

/**
 * Says of each whether the user approved it as it is now, and keeps what is approved to that from then on. Nothing is
 * executed; only files that approved subjects name are read.
 */
const judgeAll = async (
  candidates: readonly Candidate[],
  { home, projectDir, onTrouble, onJudged }: TrustCheckOptions,
): Promise<readonly TrustVerdict[]> => {
  const subjects = candidates.map(({ subject }) => subject);
  const { approvals, trouble } = await new TrustStore(home).approvalsFor(projectDir);
  if (trouble !== undefined) onTrouble?.(trouble);
  const look = new FileLook();
  const judged = await judge(subjects, approvals, look);
  const { judgements } = judged;
  onJudged?.(judged, projectDir);
  const verdicts: TrustVerdict[] = [];
  for (const [index, candidate] of candidates.entries()) {
    const judgement = judgements[index];
    const { status, hash, files = [], stamps = [], secrets } = judgement ?? {};
    if (status === 'approved' && hash !== undefined) {
      const isCovered = (await notCoveredBy(candidate.subject, look)).length === 0;
      sealHook(candidate, hash, { files, stamps, secrets, isCovered });
    }
    verdicts.push(judgement === undefined ? 'untrusted' : verdictOf(judgement));
  }
  return verdicts;
};

interface Asked {
  readonly question: TrustQuestion;
  readonly answer: (verdict: TrustVerdict) => void;
  readonly fail: (error: unknown) => void;
}

/** Long commands take a while to be taken apart. */
const candidatesOf = async (asked: readonly Asked[], place: TrustPlace): Promise<Candidate[]> => {
  const candidates: Candidate[] = [];
  const giveTurn = inSlices();
  for (const { question } of asked) {
    const { config: hook, source } = question;
    candidates.push({ subject: hookSubject(question, place), hook, source });
    await giveTurn();
  }
  return candidates;
};

const places = new WeakMap<object, TrustPlace>();

/** The place a check was made for, so that a review looks where the check does. */
export const placeOfCheck = (check: object | undefined): TrustPlace | undefined =>
  check === undefined ? undefined : places.get(check);

/**
 * Answers for every hook it is asked about whether the user approved it as it is now. It executes nothing; it reads the
 * store and the scripts that approved hooks name. What is asked in one turn is judged together.
 */
export const createTrustCheck = (options: TrustCheckOptions): ApprovalCheck => {
  let asked: Asked[] = [];
  const answerAll = async (): Promise<void> => {
    const together = asked;
    asked = [];
    try {
      for (const projectDir of new Set([options.projectDir, ...(options.outer ?? [])])) {
        const ofProject = together.filter(({ question }) => placeOf(question, options).projectDir === projectDir);
        const place = projectDir === options.projectDir ? options : { ...options, projectDir, cwd: projectDir };
        const answers = await judgeAll(await candidatesOf(ofProject, place), place);
        for (const [index, { answer }] of ofProject.entries()) answer(answers[index] ?? 'untrusted');
      }
    } catch (error) {
      for (const { fail } of together) fail(error);
    }
  };
  const check: ApprovalCheck = (question) =>
    new Promise((answer, fail) => {
      asked.push({ question, answer, fail });
      if (asked.length === 1) setImmediate(answerAll);
    });
  places.set(check, options);
  return check;
};
