/** Creates an ability hook: its declaration, its script and its test. */
import { join, resolve } from 'node:path';
import { type ScaffoldedFile, type ScaffoldLanguage, scaffoldAbilityHook } from '../../abilities/index.ts';
import type { AbilityEventType } from '../../events/index.ts';
import { reviewTrust } from '../../trust/internal.ts';
import type { CommandOutcome } from '../command-outcome.ts';
import type { Context } from '../context.ts';
import { createProblemOutcome } from '../rendering/problem-lines.ts';
import { createSpan, type TextLine } from '../rendering/text.ts';
import { loadSettings } from '../sources/load-settings.ts';
import { collectAbilitySubjects } from '../trusting/ability-subjects.ts';
import { catchAsProblem } from '../trusting/lock-outcome.ts';
import { UsageError } from '../usage-error.ts';
import type { Language } from './language-names.ts';

export interface NewAbilityHookOptions {
  readonly name: string;
  readonly eventType: AbilityEventType;
  readonly language: Language;
  readonly matcher: string | undefined;
  readonly dryRun: boolean;
}

const toScaffoldLanguage = (language: Language): ScaffoldLanguage => {
  if (language !== 'typescript') return language;
  throw new UsageError('ability hooks can be created in node, sh or python', 'without --language, it is node');
};

export const approveFiles = async (files: readonly string[], context: Context): Promise<boolean> => {
  const { config } = await loadSettings(context);
  const { questions } = await collectAbilitySubjects(config);
  const review = await reviewTrust(config, { questions });
  const paths = files.map((file) => resolve(config.getProjectDir(), file));
  const own = review.hooks.filter(({ file = '' }) => paths.includes(resolve(config.getProjectDir(), file)));
  if (own.length > 0) await review.approve(own.map(({ id }) => id));
  return own.length > 0;
};

export const formatNewFileLines = (files: readonly ScaffoldedFile[]): TextLine[] =>
  files.map(({ file }): TextLine => [createSpan('bold', file), ', a new file']);

export const createAbilityHook = async (wish: NewAbilityHookOptions, context: Context): Promise<CommandOutcome> => {
  const { name, eventType, dryRun, matcher } = wish;
  const { config } = await loadSettings(context);
  const root = config.getProjectDir();
  const language = toScaffoldLanguage(wish.language);
  const scope = matcher === undefined ? {} : { scope: matcher.split(',').map((glob) => glob.trim()) };
  let files: readonly ScaffoldedFile[] = [];
  const problem = await catchAsProblem(async () => {
    files = await scaffoldAbilityHook({ root, id: name, eventType, language, dryRun, ...scope });
  });
  if (problem !== undefined) return createProblemOutcome({ name, files: [] }, [problem], context);
  const paths = files.map(({ file }) => join(root, file));
  const approved = !dryRun && (await approveFiles(paths.slice(0, 1), context));
  return {
    data: { name, eventType, dryRun, approved, files: paths },
    text: () => [
      [createSpan('bold', name), dryRun ? ' would be' : ' is', ` a hook for ${eventType}`],
      ...formatNewFileLines(files),
      ...(approved ? ['approved; after you change it, approve it again: hookwright trust'] : []),
      ...(dryRun ? [] : ['run its test: hookwright test']),
    ],
  };
};
