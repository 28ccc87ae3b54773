import type { Context } from '../context.ts';
import type { CliProblem, Outcome } from '../outcome.ts';
import { counted, problemsText } from '../rendering/problem-lines.ts';
import { styled, type Text } from '../terminal/text.ts';
import { askAboutEach } from './decide.ts';
import { nothingToTrust, reviewData } from './list.ts';
import { refusedProblem, writeLock } from './lock.ts';
import type { Reviewed, ShownHook } from './review.ts';
import { goneText, hookText } from './review-lines.ts';

export interface ApproveOptions {
  readonly yes: boolean;
  readonly dryRun: boolean;
  readonly lock: boolean;
}

const namesOf = (hooks: readonly { readonly name: string }[]): string => hooks.map(({ name }) => name).join(', ');

const summary = (approved: readonly ShownHook[], left: readonly ShownHook[], dryRun: boolean): Text => [
  ...(approved.length === 0
    ? []
    : [[styled('green', dryRun ? 'would be approved' : 'approved'), `: ${namesOf(approved)}`]]),
  ...(left.length === 0 ? [] : [[styled('yellow', 'not approved'), `: ${namesOf(left)}`]]),
];

const howTo = (count: number): Text => [
  `${counted(count, 'hook')} will not run until you approve ${count === 1 ? 'it' : 'them'}:`,
  '  hookwright trust                on a terminal, to decide about each',
  '  hookwright trust <name> --yes   what you have looked at',
];

/** Approves what waits for it: all with `--yes`, what a person says on a terminal, and nothing where nobody is asked. */
export const approveOutcome = async (found: Reviewed, options: ApproveOptions, context: Context): Promise<Outcome> => {
  const { yes, dryRun, lock } = options;
  const { review, hooks, gone } = found;
  const waiting = hooks.filter(({ status }) => status !== 'approved');
  const isAsked = !yes && !dryRun && context.canAsk && found.problems.length === 0;
  const chosen = yes ? waiting : isAsked ? await askAboutEach(waiting, review, context) : [];
  const problems: CliProblem[] = [...found.problems];
  if (chosen.length > 0 && !dryRun) {
    const refused = await refusedProblem(() => review.approve(chosen.map(({ id }) => id)));
    if (refused !== undefined) problems.push(refused);
  }
  const left = problems.length > 0 ? waiting : waiting.filter((hook) => !chosen.includes(hook));
  const written = lock && left.length === 0 ? await writeLock(found, { dryRun }) : undefined;
  if (written?.problem !== undefined) problems.push(written.problem);
  const { width } = context.screen;
  const page = { width, cwd: context.cwd };
  return {
    findings: left.length > 0 || problems.length > 0,
    data: {
      ...reviewData(found),
      approved: problems.length > 0 ? [] : chosen.map(({ id }) => id),
      dryRun,
      ...(written === undefined ? {} : { lock: written.file }),
    },
    problems,
    text: () => [
      ...(hooks.length + gone.length === 0 ? [nothingToTrust] : []),
      ...(isAsked ? [] : waiting.flatMap((hook) => [...hookText(hook, page), ''])),
      ...goneText(gone, page),
      ...(problems.length > 0 ? problemsText(problems, width, context.cwd) : summary(chosen, left, dryRun)),
      ...(hooks.length > 0 && waiting.length === 0 ? [`${counted(hooks.length, 'hook')}, all approved`] : []),
      ...(left.length > 0 && !isAsked && problems.length === 0 ? howTo(left.length) : []),
      ...(written?.text ?? []),
      ...(lock && written === undefined ? ['the lock file is not written as long as a hook is not approved'] : []),
    ],
  };
};
