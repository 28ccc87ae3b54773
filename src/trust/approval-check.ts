/** Tells of the hooks that a project brings whether the user approved them as they are now. */
import { inSlices, isRecord, isSameList, remembered, textOf } from '../kit/index.ts';
import { realPathOf, within } from '../kit/node.ts';
import type { OnFault } from '../protocol/index.ts';
import type { TrustQuestion, TrustVerdict } from '../registry/index.ts';
import { type Approval, isStrict } from './approval.ts';
import { changesSince, misplacedIn } from './differences.ts';
import { stampOf } from './file-stamps.ts';
import { hookSubject } from './hook-subject.ts';
import { type Judged, judge, type SubjectStatus, sealHook } from './judge-subjects.ts';
import { notCoveredBy } from './scripts/coverage.ts';
import { FileLook } from './scripts/look-at-files.ts';
import { pathInto } from './scripts/programs.ts';
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
  /** Called if the store cannot be relied on, so that nothing is trusted. */
  readonly onTrouble?: ((message: string) => void) | undefined;
}

export type ApprovalCheck = (question: TrustQuestion) => Promise<TrustVerdict>;

const places = new WeakMap<object, TrustPlace>();

/** The place a check was made for, so that a review looks where the check does. */
export const placeOfCheck = (check: object | undefined): TrustPlace | undefined =>
  check === undefined ? undefined : places.get(check);

/** Returns a check that judges together the hooks it is called with in one turn of the event loop. */
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

/** The approvals of one project, and how its hooks compare with them. */
export interface ProjectJudgement extends Judged {
  readonly approvals: readonly Approval[];
  /** Names of hooks that the user switched off in files of the project. */
  readonly off: readonly string[];
}

export interface JudgedHooks {
  /** In the order of the questions. */
  readonly verdicts: readonly TrustVerdict[];
  /** By directory, the project of the session first. */
  readonly projects: ReadonlyMap<string, ProjectJudgement>;
  /** Why the store cannot be relied on; one line for each project. */
  readonly troubles: readonly string[];
  /** Whether judging again would come to the same: neither the approvals nor the files that they cover changed. */
  isCurrent(): boolean;
}

/**
 * Compares hooks with what the user approved, and keeps each approved one to its approval from then on. It executes nothing;
 * it reads the store and the scripts that approved hooks name.
 */
export const judgeHooks = async (questions: readonly TrustQuestion[], place: TrustPlace): Promise<JudgedHooks> => {
  const store = new TrustStore(place.home);
  const directories = [...new Set([place.projectDir, ...(place.outer ?? [])])];
  const stampsNow = () => [process.env.PATH, ...directories.map(realPathOf), ...store.stamps()];
  const stamps = stampsNow();
  const verdicts = new Map<TrustQuestion, TrustVerdict>();
  const projects = new Map<string, ProjectJudgement>();
  const troubles: string[] = [];
  const look = new FileLook();
  for (const projectDir of directories) {
    const own = questions.filter((question) => placeOf(question, place).projectDir === projectDir);
    const where = projectDir === place.projectDir ? place : { ...place, projectDir, cwd: projectDir };
    const { approvals, off, trouble } = await store.approvalsFor(projectDir);
    if (trouble !== undefined) troubles.push(trouble);
    // Without approvals every hook is new, and comparing them is not worth the time.
    const subjects = approvals.length === 0 ? [] : await subjectsOf(own, where);
    const judged = await judge(subjects, approvals, look);
    for (const [index, question] of own.entries()) {
      const judgement = judged.judgements[index];
      if (judgement === undefined) continue;
      const { status, subject, hash, files, stamps: before = [], secrets } = judgement;
      verdicts.set(question, verdictOf(judgement));
      if (status !== 'approved' || hash === undefined) continue;
      const isCovered = (await notCoveredBy(subject, look)).length === 0;
      const sealed = { subject, hook: question.config, source: question.source };
      sealHook(sealed, hash, { files, stamps: before, secrets, isCovered });
    }
    projects.set(projectDir, { ...judged, approvals, off });
  }
  const isCurrent = (): boolean =>
    isSameList(stamps, stampsNow()) &&
    [...projects].every(([projectDir, { judgements }]) => isUnchanged(judgements, projectDir));
  return { verdicts: questions.map((one) => verdicts.get(one) ?? 'untrusted'), projects, troubles, isCurrent };
};

/** Whether the files that were compared with approvals are as they were. */
const isUnchanged = (judgements: readonly SubjectStatus[], projectDir: string): boolean => {
  const stampNow = remembered(stampOf);
  return judgements.every(({ subject, stamps }) => {
    if (stamps === undefined) return true;
    // If PATH leads into the project, any word of a line may become a program.
    const mayGainPrograms = pathInto(projectDir, subject.start?.directory ?? projectDir) !== undefined;
    return !mayGainPrograms && subject.files.every(({ path }, index) => stamps[index] === stampNow(path));
  });
};

/** Long commands take a while to be taken apart. */
const subjectsOf = async (questions: readonly TrustQuestion[], place: TrustPlace): Promise<TrustSubject[]> => {
  const subjects: TrustSubject[] = [];
  const giveTurn = inSlices();
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
  const asked = typeof matcher === 'string' ? { matcher, agentEvent } : { agentEvent };
  const changes = changesSince(previous, subject, files);
  const misplaced = misplacedIn(previous.files, files);
  const isOfOtherAgent = !isSameAgent(previous.content, subject.content);
  return { changed: { onFault: onFaultIn(previous.content), changes, misplaced, isOfOtherAgent, ...asked } };
};

const onFaultIn = ({ hook }: Approval['content']): OnFault | undefined => {
  const onFault = isRecord(hook) ? hook.onFault : undefined;
  return isStrict(onFault) ? onFault : undefined;
};

/** A file of an agent says by its place whose hooks it has; an entry of ours by its members. */
const isSameAgent = (before: Approval['content'], now: Approval['content']): boolean => {
  const [was, is] = [before.hook, now.hook].map((hook) => (isRecord(hook) ? hook : {}));
  const isKnownAlike = (was?.agentEvent === undefined) === (is?.agentEvent === undefined);
  return isKnownAlike && ['agent', 'agentVersion'].every((key) => was?.[key] === is?.[key]);
};
