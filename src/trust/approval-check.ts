/** Checks whether the user approved a project's hooks in their current version. */
import { cacheByKey, createSlicer, isRecord, isSameList, textOf } from '../kit/index.ts';
import { findRealPath, toPathWithin } from '../kit/node.ts';
import type { OnFault } from '../protocol/index.ts';
import type { TrustQuestion, TrustVerdict } from '../registry/index.ts';
import { type Approval, isStrict } from './approval.ts';
import { changesSince, misplacedScript } from './differences.ts';
import { stampOf } from './file-stamps.ts';
import { hookSubject } from './hook-subject.ts';
import { type Judged, judgeSubjects, type SubjectStatus, tieToApproval } from './judge-subjects.ts';
import { whyNotCovered } from './scripts/coverage.ts';
import { FileStateReader } from './scripts/look-at-files.ts';
import { pathInto } from './scripts/programs.ts';
import { TrustStore } from './store/trust-store.ts';
import type { TrustSubject } from './subject.ts';

/** The location of approvals and the project they belong to. */
export interface TrustPlace {
  /** The user's home; approvals are in its `.hookwright/trust.json`. */
  readonly home: string;
  readonly projectDir: string;
  /** The directory where hooks run, if it is below the project's. */
  readonly cwd?: string | undefined;
  /** Parent directories whose approved guards apply to the project. */
  readonly outer?: readonly string[] | undefined;
}

/** The project whose approvals decide about a hook: the one with the hook's file. */
export const placeOf = ({ source: { file } }: Pick<TrustQuestion, 'source'>, place: TrustPlace): TrustPlace => {
  if (file === undefined || toPathWithin(place.projectDir, file) !== undefined) return place;
  const projectDir = place.outer?.find((outer) => toPathWithin(outer, file) !== undefined);
  return projectDir === undefined ? place : { home: place.home, projectDir };
};

export interface TrustCheckOptions extends TrustPlace {
  /** Called if the store cannot be used, so that no hook is trusted. */
  readonly onTrouble?: ((message: string) => void) | undefined;
}

export type ApprovalCheck = (question: TrustQuestion) => Promise<TrustVerdict>;

const places = new WeakMap<object, TrustPlace>();

/** The place that a check was created for, so that a review uses the same. */
export const placeOfCheck = (check: object | undefined): TrustPlace | undefined =>
  check === undefined ? undefined : places.get(check);

/** Creates a check that judges all hooks of one event loop turn together. */
export const createTrustCheck = (options: TrustCheckOptions): ApprovalCheck => {
  let waiting: {
    question: TrustQuestion;
    resolve: (verdict: TrustVerdict) => void;
    reject: (error: unknown) => void;
  }[] = [];
  const judgeAll = async (): Promise<void> => {
    const together = waiting;
    waiting = [];
    try {
      const questions = together.map(({ question }) => question);
      const { verdicts, troubles } = await judgeHooks(questions, options);
      for (const trouble of troubles) options.onTrouble?.(trouble);
      for (const [index, { resolve }] of together.entries()) resolve(verdicts[index] ?? 'untrusted');
    } catch (error) {
      for (const { reject } of together) reject(error);
    }
  };
  const check: ApprovalCheck = (question) =>
    new Promise((resolve, reject) => {
      waiting.push({ question, resolve, reject });
      if (waiting.length === 1) setImmediate(judgeAll);
    });
  places.set(check, options);
  return check;
};

export interface ProjectJudgement extends Judged {
  readonly approvals: readonly Approval[];
  /** Names of hooks that the user disabled in files of the project. */
  readonly off: readonly string[];
}

export interface JudgedHooks {
  /** In the order of the questions. */
  readonly verdicts: readonly TrustVerdict[];
  /** Project directory → judgement, the session's project first. */
  readonly projects: ReadonlyMap<string, ProjectJudgement>;
  /** Why the store cannot be used; one line per project. */
  readonly troubles: readonly string[];
  /** Whether the approvals and the covered files are unchanged, so that another judgement would be the same. */
  isCurrent(): boolean;
}

/**
 * Compares hooks with approvals, and ties each approved hook to its approved version for the session. Runs nothing;
 * reads the store and the scripts of approved hooks.
 */
export const judgeHooks = async (questions: readonly TrustQuestion[], place: TrustPlace): Promise<JudgedHooks> => {
  const store = new TrustStore(place.home);
  const directories = [...new Set([place.projectDir, ...(place.outer ?? [])])];
  const stampsNow = () => [process.env.PATH, ...directories.map(findRealPath), ...store.stamps()];
  const stamps = stampsNow();
  const verdicts = new Map<TrustQuestion, TrustVerdict>();
  const projects = new Map<string, ProjectJudgement>();
  const troubles: string[] = [];
  const look = new FileStateReader();
  for (const projectDir of directories) {
    const own = questions.filter((question) => placeOf(question, place).projectDir === projectDir);
    const where = projectDir === place.projectDir ? place : { ...place, projectDir, cwd: projectDir };
    const { approvals, off, trouble } = await store.approvalsFor(projectDir);
    if (trouble !== undefined) troubles.push(trouble);
    // Without approvals every hook is new, and comparing is a waste of time.
    const subjects = approvals.length === 0 ? [] : await subjectsOf(own, where);
    const judged = await judgeSubjects(subjects, approvals, look);
    for (const [index, question] of own.entries()) {
      const judgement = judged.judgements[index];
      if (judgement === undefined) continue;
      const { status, subject, hash, files, stamps: before = [], secrets } = judgement;
      verdicts.set(question, verdictOf(judgement));
      if (status !== 'approved' || hash === undefined) continue;
      const isCovered = (await whyNotCovered(subject, look)).length === 0;
      const sealed = { subject, hook: question.config, source: question.source };
      tieToApproval(sealed, hash, { files, stamps: before, secrets, isCovered });
    }
    projects.set(projectDir, { ...judged, approvals, off });
  }
  const isCurrent = (): boolean =>
    isSameList(stamps, stampsNow()) &&
    [...projects].every(([projectDir, { judgements }]) => isUnchanged(judgements, projectDir));
  return { verdicts: questions.map((one) => verdicts.get(one) ?? 'untrusted'), projects, troubles, isCurrent };
};

/** Whether the files compared with approvals are unchanged. */
const isUnchanged = (judgements: readonly SubjectStatus[], projectDir: string): boolean => {
  const stampNow = cacheByKey(stampOf);
  return judgements.every(({ subject, stamps }) => {
    if (stamps === undefined) return true;
    // If PATH leads into the project, any word of a line may become a program.
    const mayGainPrograms = pathInto(projectDir, subject.start?.directory ?? projectDir) !== undefined;
    return !mayGainPrograms && subject.files.every(({ path }, index) => stamps[index] === stampNow(path));
  });
};

/** Parsing long command lines takes time. */
const subjectsOf = async (questions: readonly TrustQuestion[], place: TrustPlace): Promise<TrustSubject[]> => {
  const subjects: TrustSubject[] = [];
  const giveTurn = createSlicer();
  for (const question of questions) {
    subjects.push(hookSubject(question, place));
    await giveTurn();
  }
  return subjects;
};

const verdictOf = ({ status, previous, subject, files }: SubjectStatus): TrustVerdict => {
  if (status === 'approved') return 'trusted';
  if (previous === undefined) return status === 'changed' ? 'changed-since-trusted' : 'untrusted';
  const { matcher, hook } = previous.content;
  const agentEvent = isRecord(hook) ? textOf(hook.agentEvent) : undefined;
  const approvedMatch = typeof matcher === 'string' ? { matcher, agentEvent } : { agentEvent };
  const changes = changesSince(previous, subject, files);
  const misplaced = misplacedScript(previous.files, files);
  const isOfOtherAgent = !isSameAgent(previous.content, subject.content);
  return { changed: { onFault: onFaultIn(previous.content), changes, misplaced, isOfOtherAgent, ...approvedMatch } };
};

const onFaultIn = ({ hook }: Approval['content']): OnFault | undefined => {
  const onFault = isRecord(hook) ? hook.onFault : undefined;
  return isStrict(onFault) ? onFault : undefined;
};

/** A file of an agent implies the agent; an entry of ours names it. */
const isSameAgent = (before: Approval['content'], now: Approval['content']): boolean => {
  const [was, is] = [before.hook, now.hook].map((hook) => (isRecord(hook) ? hook : {}));
  const isKnownAlike = (was?.agentEvent === undefined) === (is?.agentEvent === undefined);
  return isKnownAlike && ['agent', 'agentVersion'].every((key) => was?.[key] === is?.[key]);
};
