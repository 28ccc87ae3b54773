// Collects the hooks, approvals and files that a review compares.
import type { TriggerConfig } from '../../config.ts';
import { findHomeDirectory } from '../../kit/node.ts';
import { getProjectDir, getWorkingDir, listHookTypes } from '../../protocol/index.ts';
import { type ConfiguredHook, HookRegistry, type TrustQuestion } from '../../registry/index.ts';
import type { Approval } from '../approval.ts';
import { findScopeOfHook, getScopeOfTrustCheck, type TrustScope } from '../approval-check.ts';
import { describeHookSubject } from '../hook-subject.ts';
import { judgeSubjects, type SubjectStatus } from '../judge-subjects.ts';
import { FileStateReader } from '../scripts/file-state-reader.ts';
import { TrustStore } from '../store/trust-store.ts';
import type { TrustSubject } from '../subject.ts';

/** A configuration as triggers take it. `loadConfig` creates configurations with `getHome`. */
export interface ReviewableConfig extends TriggerConfig {
  getHome?(): string | undefined;
}

export interface TrustOptions {
  /** The home directory with the approvals. Default: that of `loadConfig`, else this user's. */
  readonly home?: string | undefined;
  /** Default: the working directory of the configuration. */
  readonly projectDir?: string | undefined;
  /** Further subjects to review: the questions to another `trustCheck`, such as that of `loadAbilityHooks`. */
  readonly questions?: readonly TrustQuestion[] | undefined;
}

const resolveTrustScope = (config: ReviewableConfig, { home, projectDir }: TrustOptions): TrustScope => {
  const checked = getScopeOfTrustCheck(config.getDeps?.()?.trustCheck);
  const scope = checked ?? { projectDir: getProjectDir(config), cwd: getWorkingDir(config) };
  return {
    ...(projectDir === undefined ? scope : { projectDir }),
    home: home ?? checked?.home ?? config.getHome?.() ?? findHomeDirectory(),
  };
};

/** Ignores a pause by the user, because the lock file is for all machines. */
const isDisabledBySettings = ({ disabled, skipReasons, switchedOff }: ConfiguredHook): boolean =>
  disabled === true || (skipReasons.includes('hooks-disabled') && switchedOff === undefined);

const collectTrustQuestions = async (
  config: ReviewableConfig,
): Promise<{ readonly questions: TrustQuestion[]; readonly switchedOff: ReadonlySet<string> }> => {
  const questions: TrustQuestion[] = [];
  const hasApprovalCheck = getScopeOfTrustCheck(config.getDeps?.()?.trustCheck) !== undefined;
  const registry = new HookRegistry(config, {
    hookTypes: listHookTypes(config.getDeps?.()?.lanes),
    trustCheck: (question) => {
      if (hasApprovalCheck || question.source.file !== undefined) questions.push(question);
      return 'untrusted';
    },
  });
  await registry.initialize();
  const off = registry.getConfiguredHooks().filter(isDisabledBySettings);
  return { questions, switchedOff: new Set(off.map(({ hookId }) => hookId)) };
};

export interface Survey {
  readonly scope: TrustScope;
  readonly store: TrustStore;
  readonly judgements: readonly SubjectStatus[];
  readonly gone: readonly Approval[];
  readonly questions: ReadonlyMap<TrustSubject, TrustQuestion>;
  readonly switchedOff: ReadonlySet<string>;
  readonly problems: readonly string[];
}

export const surveyHooks = async (config: ReviewableConfig, options: TrustOptions): Promise<Survey> => {
  const scope = resolveTrustScope(config, options);
  const questions = new Map<TrustSubject, TrustQuestion>();
  const collected = await collectTrustQuestions(config);
  for (const question of collected.questions) {
    // Guards of a parent project are reviewed in that project.
    if (findScopeOfHook(question, scope) === scope) questions.set(describeHookSubject(question, scope), question);
  }
  // Abilities and their hooks start in the root of the project.
  const { projectDir } = scope;
  for (const question of options.questions ?? [])
    questions.set(describeHookSubject(question, { projectDir }), question);
  const store = new TrustStore(scope.home);
  const { approvals, trouble } = await store.approvalsFor(scope.projectDir);
  const judged = await judgeSubjects([...questions.keys()], approvals, new FileStateReader(), { lookAtAll: true });
  const { switchedOff } = collected;
  return { ...judged, scope, store, questions, switchedOff, problems: trouble === undefined ? [] : [trouble] };
};
