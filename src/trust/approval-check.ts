/** Checks whether the user approved a project's hooks in their current version. */
import { cacheByKey, createSlicer, isSameList, textOf } from '../kit/index.ts';
import { findRealPath, toPathWithin } from '../kit/node.ts';
import type { TrustQuestion, TrustVerdict } from '../registry/index.ts';
import { type Approval, isStrictOnFault, readHookEntry } from './approval.ts';
import { findMisplacedScript, summarizeChanges } from './differences.ts';
import { readFileStamp } from './file-stamps.ts';
import { describeHookSubject } from './hook-subject.ts';
import { attachApprovalCheck, type JudgedSubjects, judgeSubjects, type SubjectStatus } from './judge-subjects.ts';
import { whyNotCovered } from './scripts/coverage.ts';
import { FileStateReader } from './scripts/file-state-reader.ts';
import { findSearchPathInto } from './scripts/programs.ts';
import { TrustStore } from './store/trust-store.ts';
import type { TrustSubject } from './subject.ts';

export interface TrustScope {
  readonly home: string;
  readonly projectDir: string;
  readonly cwd?: string | undefined;
  /** Parent directories whose approved guards apply to the project. */
  readonly outer?: readonly string[] | undefined;
}

export const findScopeOfHook = ({ source: { file } }: Pick<TrustQuestion, 'source'>, scope: TrustScope): TrustScope => {
  if (file === undefined || toPathWithin(scope.projectDir, file) !== undefined) return scope;
  const projectDir = scope.outer?.find((outer) => toPathWithin(outer, file) !== undefined);
  return projectDir === undefined ? scope : { home: scope.home, projectDir };
};

type ApprovalCheck = (question: TrustQuestion) => Promise<TrustVerdict>;

const scopesOfChecks = new WeakMap<object, TrustScope>();

/** For reviews, which must use the same directories as the trust check of their configuration. */
export const getScopeOfTrustCheck = (check: object | undefined): TrustScope | undefined =>
  check === undefined ? undefined : scopesOfChecks.get(check);

/** Creates a check that judges all hooks of one event loop turn together. */
export const createTrustCheck = (
  options: TrustScope & { readonly onTrouble?: ((message: string) => void) | undefined },
): ApprovalCheck => {
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
  scopesOfChecks.set(check, options);
  return check;
};

export interface ProjectJudgement extends JudgedSubjects {
  readonly approvals: readonly Approval[];
  readonly off: readonly string[];
}

export interface JudgedHooks {
  readonly verdicts: readonly TrustVerdict[];
  readonly projects: ReadonlyMap<string, ProjectJudgement>;
  readonly troubles: readonly string[];
  isCurrent(): boolean;
}

/** Compares hooks with the user's approvals. Approved hooks then run only as long as their files stay as approved. */
export const judgeHooks = async (questions: readonly TrustQuestion[], scope: TrustScope): Promise<JudgedHooks> => {
  const store = new TrustStore(scope.home);
  const directories = [...new Set([scope.projectDir, ...(scope.outer ?? [])])];
  const stampsNow = () => [process.env.PATH, ...directories.map(findRealPath), ...store.stamps()];
  const stamps = stampsNow();
  const verdicts = new Map<TrustQuestion, TrustVerdict>();
  const projects = new Map<string, ProjectJudgement>();
  const troubles: string[] = [];
  const look = new FileStateReader();
  for (const projectDir of directories) {
    const own = questions.filter((question) => findScopeOfHook(question, scope).projectDir === projectDir);
    const where = projectDir === scope.projectDir ? scope : { ...scope, projectDir, cwd: projectDir };
    const { approvals, off, trouble } = await store.approvalsFor(projectDir);
    if (trouble !== undefined) troubles.push(trouble);
    const subjects = approvals.length === 0 ? [] : await describeHooks(own, where);
    const judged = await judgeSubjects(subjects, approvals, look);
    for (const [index, question] of own.entries()) {
      const judgement = judged.judgements[index];
      if (judgement === undefined) continue;
      verdicts.set(question, toTrustVerdict(judgement));
      if (judgement.status !== 'approved') continue;
      const isCovered = (await whyNotCovered(judgement.subject, look)).length === 0;
      attachApprovalCheck(question, judgement, isCovered);
    }
    projects.set(projectDir, { ...judged, approvals, off });
  }
  const isCurrent = (): boolean =>
    isSameList(stamps, stampsNow()) &&
    [...projects].every(([projectDir, { judgements }]) => isUnchanged(judgements, projectDir));
  return { verdicts: questions.map((one) => verdicts.get(one) ?? 'untrusted'), projects, troubles, isCurrent };
};

const isUnchanged = (judgements: readonly SubjectStatus[], projectDir: string): boolean => {
  const stampNow = cacheByKey(readFileStamp);
  return judgements.every(({ subject, stamps }) => {
    if (stamps === undefined) return true;
    // If PATH leads into the project, any word of the command line may become a program.
    const mayGainPrograms = findSearchPathInto(projectDir, subject.start?.directory ?? projectDir) !== undefined;
    return !mayGainPrograms && subject.files.every(({ path }, index) => stamps[index] === stampNow(path));
  });
};

const describeHooks = async (questions: readonly TrustQuestion[], scope: TrustScope): Promise<TrustSubject[]> => {
  const subjects: TrustSubject[] = [];
  const giveTurn = createSlicer();
  for (const question of questions) {
    subjects.push(describeHookSubject(question, scope));
    await giveTurn();
  }
  return subjects;
};

const toTrustVerdict = ({ status, previous, subject, files }: SubjectStatus): TrustVerdict => {
  if (status === 'approved') return 'trusted';
  if (previous === undefined) return status === 'changed' ? 'changed-since-trusted' : 'untrusted';
  const { matcher } = previous.content;
  const { onFault, agentEvent } = readHookEntry(previous.content);
  return {
    changed: {
      onFault: isStrictOnFault(onFault) ? onFault : undefined,
      changes: summarizeChanges(previous, subject, files),
      misplaced: findMisplacedScript(previous.files, files),
      isOfOtherAgent: !isSameAgent(previous.content, subject.content),
      agentEvent: textOf(agentEvent),
      ...(typeof matcher === 'string' ? { matcher } : {}),
    },
  };
};

/** An entry names its agent in a settings file of hookwright, but not in a settings file of the agent. */
const isSameAgent = (before: Approval['content'], now: Approval['content']): boolean => {
  const [was, is] = [readHookEntry(before), readHookEntry(now)];
  const isKnownAlike = (was.agentEvent === undefined) === (is.agentEvent === undefined);
  return isKnownAlike && ['agent', 'agentVersion'].every((key) => was[key] === is[key]);
};
