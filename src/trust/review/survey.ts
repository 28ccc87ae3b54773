// Collects everything that a review compares: hooks, approvals and files.
import type { TriggerConfig } from '../../config.ts';
import { findHomeDirectory } from '../../kit/node.ts';
import { hookTypesWith, projectDirOf, workingDirOf } from '../../protocol/index.ts';
import { HookRegistry, type TrustQuestion } from '../../registry/index.ts';
import type { Approval } from '../approval.ts';
import { placeOf, placeOfCheck, type TrustPlace } from '../approval-check.ts';
import { hookSubject } from '../hook-subject.ts';
import { judgeSubjects, type SubjectStatus } from '../judge-subjects.ts';
import { FileStateReader } from '../scripts/look-at-files.ts';
import { TrustStore } from '../store/trust-store.ts';
import type { TrustSubject } from '../subject.ts';

/** A configuration as for triggers; one by `loadConfig` also knows its home directory. */
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

const trustPlaceOf = (config: ReviewableConfig, { home, projectDir }: TrustOptions): TrustPlace => {
  const checked = placeOfCheck(config.getDeps?.()?.trustCheck);
  const place = checked ?? { projectDir: projectDirOf(config), cwd: workingDirOf(config) };
  return {
    ...(projectDir === undefined ? place : { projectDir }),
    home: home ?? checked?.home ?? config.getHome?.() ?? findHomeDirectory(),
  };
};

/** The hooks whose trust the engine would check. */
const questionsOf = async (config: ReviewableConfig): Promise<TrustQuestion[]> => {
  const questions: TrustQuestion[] = [];
  const isAskedAboutAll = placeOfCheck(config.getDeps?.()?.trustCheck) !== undefined;
  const registry = new HookRegistry(config, {
    hookTypes: hookTypesWith(config.getDeps?.()?.lanes),
    trustCheck: (question) => {
      if (isAskedAboutAll || question.source.file !== undefined) questions.push(question);
      return 'untrusted';
    },
  });
  await registry.initialize();
  return questions;
};

export interface Survey {
  readonly place: TrustPlace;
  readonly store: TrustStore;
  readonly judgements: readonly SubjectStatus[];
  readonly gone: readonly Approval[];
  readonly questions: ReadonlyMap<TrustSubject, TrustQuestion>;
  readonly problems: readonly string[];
}

export const surveyHooks = async (config: ReviewableConfig, options: TrustOptions): Promise<Survey> => {
  const place = trustPlaceOf(config, options);
  const questions = new Map<TrustSubject, TrustQuestion>();
  for (const question of await questionsOf(config)) {
    // Guards of a parent project are reviewed there.
    if (placeOf(question, place) === place) questions.set(hookSubject(question, place), question);
  }
  // Abilities and their hooks start at the root of the project.
  const { projectDir } = place;
  for (const question of options.questions ?? []) questions.set(hookSubject(question, { projectDir }), question);
  const store = new TrustStore(place.home);
  const { approvals, trouble } = await store.approvalsFor(place.projectDir);
  const judged = await judgeSubjects([...questions.keys()], approvals, new FileStateReader(), { lookAtAll: true });
  return { ...judged, place, store, questions, problems: trouble === undefined ? [] : [trouble] };
};
