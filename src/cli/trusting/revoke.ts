import type { Context } from '../context.ts';
import type { CommandOutcome } from '../outcome.ts';
import { problemsText } from '../rendering/problem-lines.ts';
import { refusedProblem } from './lock.ts';
import type { Reviewed } from './review.ts';

/** Takes approvals back. */
export const revokeOutcome = async (
  { review, hooks, gone }: Reviewed,
  { dryRun }: { readonly dryRun: boolean },
  context: Context,
): Promise<CommandOutcome> => {
  // Of a hook that changed, what was approved is an earlier version: its id is what the store knows it by.
  const held = [...hooks.filter(({ status }) => status !== 'new'), ...gone];
  const ids = held.flatMap(({ id, hookId }) => [id, hookId]);
  const problem = dryRun || held.length === 0 ? undefined : await refusedProblem(() => review.revoke(ids));
  const problems = problem === undefined ? [] : [problem];
  const names = held.map(({ name }) => name).join(', ');
  const { width } = context.screen;
  return {
    findings: problems.length > 0,
    data: { revoked: problem === undefined ? held.map(({ hookId }) => hookId) : [], dryRun },
    problems,
    text: () => [
      ...problemsText(problems, width, context.cwd),
      ...(problems.length > 0
        ? []
        : [held.length === 0 ? 'none of these was approved' : `${dryRun ? 'would be revoked' : 'revoked'}: ${names}`]),
    ],
  };
};
