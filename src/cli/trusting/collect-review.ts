/** Collects the hooks that need an approval, for `trust`. */
import { resolve } from 'node:path';
import { formatSuggestion } from '../../kit/index.ts';
import { type ConfigProblem, ConfigSource, findByName, shortenHookName } from '../../protocol/index.ts';
import type { TrustQuestion } from '../../registry/index.ts';
import type { LoadedConfig } from '../../settings/index.ts';
import type { GoneHook, ReviewedHook } from '../../trust/index.ts';
import { reviewTrust, type ScriptText, type TrustReview } from '../../trust/internal.ts';
import type { CliProblem } from '../command-outcome.ts';
import type { LoadedSettings } from '../sources/load-settings.ts';
import { UsageError } from '../usage-error.ts';
import { collectAbilitySubjects } from './ability-subjects.ts';

export interface HookUnderReview extends ReviewedHook {
  readonly notes?: readonly string[] | undefined;
  readonly scripts?: readonly ScriptText[] | undefined;
}

/** The approval of a hook that was removed, or whose file cannot be read now. */
export interface GoneHookUnderReview extends GoneHook {
  readonly unreadable?: true;
  readonly problems?: readonly CliProblem[];
}

export interface HookReview {
  readonly config: LoadedConfig;
  readonly options: { readonly questions: readonly TrustQuestion[] };
  readonly review: TrustReview;
  readonly hooks: readonly HookUnderReview[];
  readonly gone: readonly GoneHookUnderReview[];
  readonly problems: readonly CliProblem[];
  /** Unreadable files that were never approved. They do not keep other hooks from being approved. */
  readonly unread: readonly CliProblem[];
  readonly settings: readonly CliProblem[];
}

interface NamedSubject {
  readonly id: string;
  readonly hookId: string;
  readonly name: string;
}

const findByIdOrName = (all: readonly NamedSubject[], wish: string): readonly NamedSubject[] => {
  const byId = all.filter(({ id, hookId }) => id === wish || hookId === wish);
  return byId.length > 0 ? byId : findByName(wish, all, ({ name }) => name);
};

const getDeclarationPath = ({ entry: { file } }: GoneHook, config: LoadedConfig): string =>
  typeof file === 'string' ? resolve(config.getProjectDir(), file) : '';

/** The review itself shows missing approvals, so their problems are left out. */
const isProjectProblem = ({ code, source }: CliProblem & Partial<Pick<ConfigProblem, 'source'>>): boolean =>
  code !== 'awaiting-approval' &&
  code !== 'removed' &&
  (source === ConfigSource.Project || source === ConfigSource.Extensions);

export const collectReview = async (
  wishes: readonly string[],
  { config, problems: found }: LoadedSettings,
): Promise<HookReview> => {
  const { questions, notes, unreadable } = await collectAbilitySubjects(config);
  const options = { questions };
  const review = await reviewTrust(config, options);
  const all: readonly NamedSubject[] = [...review.hooks, ...review.gone];
  const unknown = wishes.find((wish) => findByIdOrName(all, wish).length === 0);
  if (unknown !== undefined) {
    const names = [...new Set(all.map(({ name }) => shortenHookName(name)))];
    throw new UsageError(
      `no hook that needs an approval is called ${JSON.stringify(unknown)}${formatSuggestion(unknown, names)}`,
      names.length === 0 ? 'nothing here needs one' : `there are: ${names.join(', ')}`,
    );
  }
  const meant = new Set(wishes.flatMap((wish) => findByIdOrName(all, wish)));
  const known = new Set(review.gone.map((hook) => getDeclarationPath(hook, config)));
  const isMeant = (named: NamedSubject): boolean => wishes.length === 0 || meant.has(named);
  const addDetails = async (hook: ReviewedHook): Promise<HookUnderReview> => ({
    ...hook,
    notes: hook.file === undefined ? undefined : notes.get(hook.file),
    scripts: hook.status === 'changed' ? await review.scripts(hook.id) : undefined,
  });
  return {
    config,
    options,
    review,
    hooks: await Promise.all(review.hooks.filter(isMeant).map(addDetails)),
    gone: review.gone.filter(isMeant).map((hook) => {
      const problems = unreadable.get(getDeclarationPath(hook, config));
      return problems === undefined ? hook : { ...hook, unreadable: true, problems };
    }),
    settings: wishes.length > 0 ? [] : found.filter(isProjectProblem),
    problems: review.problems.map((message) => ({ severity: 'error', message })),
    unread: [...unreadable].flatMap(([file, [first]]) =>
      first === undefined || wishes.length > 0 || known.has(file)
        ? []
        : { ...first, message: `this cannot be approved: ${first.message}` },
    ),
  };
};
