import type { CommandOutcome } from '../command-outcome.ts';
import type { Context } from '../context.ts';
import { problemsText } from '../rendering/problem-lines.ts';
import { styled, type TextLine } from '../rendering/text.ts';
import { changeData, changeText } from '../settings-edit/change-lines.ts';
import { shortPath } from '../sources/sessions.ts';
import type { Made } from './make-hook.ts';
import type { HookPlan } from './plan.ts';

export interface MadeHook {
  readonly plan: HookPlan;
  readonly made: Made;
  readonly dryRun: boolean;
  readonly head: TextLine;
  readonly next: readonly string[];
}

/** Tells what was made and what to do with it. */
export const madeOutcome = ({ plan, made, dryRun, head, next }: MadeHook, context: Context): CommandOutcome => {
  const { settings, isApproved, problems } = made;
  const { width } = context.screen;
  const change = settings === undefined ? undefined : changeData(settings);
  const [{ name, command, if: condition, verdict }] = plan.definition.hooks;
  const paths = plan.files.map(({ path }) => path);
  return {
    findings: problems.length > 0,
    data: {
      name,
      ...(command === undefined ? { if: condition, verdict } : { command }),
      dryRun,
      approved: isApproved,
      files: settings === undefined ? [] : paths,
      ...(change === undefined ? {} : { settings: change }),
    },
    problems,
    text: () => [
      ...(change === undefined
        ? []
        : [
            head,
            ...paths.map((path): TextLine => [styled('bold', shortPath(path, context.cwd)), ', a new file']),
            ...changeText(change, context.cwd),
          ]),
      ...problemsText(problems, width, context.cwd),
      ...(isApproved ? ['approved; after you change it, approve it again: hookwright trust'] : []),
      ...(change === undefined || dryRun ? [] : next),
    ],
  };
};
