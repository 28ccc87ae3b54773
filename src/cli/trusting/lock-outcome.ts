/** Writes and checks the lock file of approvals: `trust --lock` and `trust --check`. */
import { HookwrightError } from '../../errors.ts';
import type { ReviewedHook } from '../../trust/index.ts';
import { checkTrustLock, getLockFilePath, writeTrustLock } from '../../trust/internal.ts';
import type { CliProblem, CommandOutcome } from '../command-outcome.ts';
import type { Context } from '../context.ts';
import { formatCount, formatProblems } from '../rendering/problem-lines.ts';
import { type ReportedCheck, withReporter } from '../rendering/reporters.ts';
import { shortenPath } from '../rendering/short-path.ts';
import { createSpan, type Text } from '../rendering/text.ts';
import type { HookReview } from './collect-review.ts';
import { formatHookReview } from './review-lines.ts';

export const catchAsProblem = async (work: () => Promise<unknown>): Promise<CliProblem | undefined> => {
  try {
    await work();
    return undefined;
  } catch (error) {
    if (HookwrightError.is(error)) return { severity: 'error', message: error.message };
    throw error;
  }
};

export const writeLock = async (
  { config, options, review: { projectDir } }: HookReview,
  { dryRun }: { readonly dryRun: boolean },
) => {
  const file = getLockFilePath(projectDir);
  const problem = dryRun ? undefined : await catchAsProblem(() => writeTrustLock(config, options));
  const name = shortenPath(file, projectDir);
  return { file, problem, text: problem === undefined ? [dryRun ? `${name} would be written` : `wrote ${name}`] : [] };
};

export const createLockOutcome = async (
  found: HookReview,
  { dryRun }: { readonly dryRun: boolean },
  context: Context,
): Promise<CommandOutcome> => {
  const { file, problem, text } = await writeLock(found, { dryRun });
  const approved = found.hooks.filter(({ status, switchedOff }) => status === 'approved' && switchedOff !== true);
  const left = found.hooks.filter(({ status }) => status !== 'approved');
  const problems = [...(problem === undefined ? [] : [problem]), ...found.settings];
  return {
    findings: problem !== undefined || left.length > 0,
    data: {
      lock: file,
      dryRun,
      locked: approved.map(({ hookId }) => hookId),
      left: left.map(({ hookId }) => hookId),
    },
    problems,
    text: () => [
      ...text,
      ...formatProblems(problems, context),
      ...left.map(({ name, status }) => [
        createSpan('yellow', `${name} is ${status} and not in it`),
        ': approve it first with hookwright trust',
      ]),
    ],
  };
};

const formatHookList = (title: string, hooks: readonly ReviewedHook[], { width, cwd }: Context): Text =>
  hooks.length === 0
    ? []
    : [
        [createSpan('red', `${formatCount(hooks.length, 'hook')} ${title}`)],
        ...hooks.flatMap((hook) => formatHookReview(hook, { width, cwd })),
      ];

const GONE_TEXT = 'is in the lock file but no longer exists';
const SWITCHED_OFF_TEXT = 'is in the lock file but the project switches it off';

/** Needs neither a home directory nor the network, because pipelines may lack both. */
export const createLockCheckOutcome = async (
  { config, options, unread, settings }: HookReview,
  reporter: string | undefined,
  context: Context,
): Promise<CommandOutcome> => {
  const checked = await checkTrustLock(config, options);
  const { ok, file, new: unknown, changed, gone, switchedOff, problems: reasons } = checked;
  const refused: CliProblem[] = reasons.map((message) => ({
    severity: 'error',
    message,
    hint: 'hookwright trust --yes --lock writes it; commit it then',
  }));
  const problems = [...refused, ...unread, ...settings];
  const toChecks = (
    hooks: readonly Pick<ReportedCheck, 'name' | 'file' | 'line'>[],
    rule: string,
    what: string,
  ): ReportedCheck[] =>
    hooks.map(({ name, file, line }) => ({ name, rule, level: 'error', message: `${name} ${what}`, file, line }));
  const checks = (): ReportedCheck[] => [
    ...(refused.length > 0 ? [] : toChecks(unknown, 'not-locked', 'is not in the lock file')),
    ...toChecks(changed, 'changed-since-locked', 'changed since the lock file was written'),
    ...toChecks(gone, 'locked-and-gone', GONE_TEXT),
    ...toChecks(switchedOff, 'locked-and-off', SWITCHED_OFF_TEXT),
  ];
  const outcome: CommandOutcome = {
    findings: !ok || unread.length > 0,
    data: { ok, lock: file, new: unknown, changed, gone, switchedOff },
    problems,
    text: () => [
      ...formatProblems(problems, context),
      ...(refused.length > 0 ? [] : formatHookList('not in the lock file', unknown, context)),
      ...formatHookList('changed since the lock file was written', changed, context),
      ...gone.map(({ name }) => [createSpan('red', `${name} ${GONE_TEXT}`)]),
      ...switchedOff.map(({ name }) => [createSpan('red', `${name} ${SWITCHED_OFF_TEXT}`)]),
      ...(ok && unread.length === 0 ? [[createSpan('green', 'all hooks match the lock file')]] : []),
      ...(ok || refused.length > 0 ? [] : ['review and approve them, then write it again: hookwright trust --lock']),
    ],
  };
  return withReporter(outcome, reporter, { command: 'trust', cwd: context.cwd, checks });
};
