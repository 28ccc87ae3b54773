import type { TrustReview } from '../../settings/internal.ts';
import type { Context } from '../context.ts';
import { lostCanaries } from '../hook-tests/canaries.ts';
import type { CliProblem, CommandOutcome } from '../outcome.ts';
import { counted, problemsText } from '../rendering/problem-lines.ts';
import { shownName } from '../rendering/shown-name.ts';
import { styled, type Text } from '../terminal/text.ts';
import { askAboutEach, type Chosen } from './decide.ts';
import { nothingToTrust, reviewData } from './list.ts';
import { refusedProblem, writeLock } from './lock.ts';
import type { Reviewed, ShownHook } from './review.ts';
import { goneText, hookText } from './review-lines.ts';

export interface ApproveOptions {
  readonly yes: boolean;
  /** What hooks may be told of the secrets they ask for, where nobody is asked about each. */
  readonly secrets: readonly string[];
  readonly dryRun: boolean;
  readonly lock: boolean;
}

const namesOf = (hooks: readonly { readonly name: string }[]): string =>
  hooks.map(({ name }) => shownName(name)).join(', ');

const asksFor = ({ secrets = [] }: ShownHook, names: readonly string[]): readonly string[] =>
  secrets.map(({ name }) => name).filter((name) => names.includes(name));

/** With `--yes`: what waits, and what is approved already and is to be told more. */
const chosenAtOnce = (hooks: readonly ShownHook[], names: readonly string[]): Chosen[] =>
  hooks
    .map((hook) => ({ hook, secrets: asksFor(hook, names) }))
    .filter(({ hook, secrets }) => hook.status !== 'approved' || secrets.length > 0);

const approveEach = async (chosen: readonly Chosen[], review: TrustReview): Promise<void> => {
  const plain = chosen.filter(({ secrets }) => secrets.length === 0);
  if (plain.length > 0) await review.approve(plain.map(({ hook }) => hook.id));
  for (const { hook, secrets } of chosen) if (secrets.length > 0) await review.approve([hook.id], { secrets });
};

/** A hook may not work without what it asked for, and nobody would know why. */
const untold = (chosen: readonly Chosen[]): Text =>
  chosen.flatMap(({ hook, secrets }): Text => {
    const names = (hook.secrets ?? []).filter(({ name, isAllowed }) => !isAllowed && !secrets.includes(name));
    if (names.length === 0) return [];
    const list = names.map(({ name }) => name);
    return [
      [styled('yellow', `${hook.name} does not get ${list.join(', ')}`), ', which it asks for; to allow that:'],
      `  hookwright trust ${JSON.stringify(hook.name)} --yes --secrets ${list.join(',')}`,
    ];
  });

const summary = (approved: readonly ShownHook[], left: readonly ShownHook[], dryRun: boolean): Text => [
  ...(approved.length === 0
    ? []
    : [[styled('green', dryRun ? 'would be approved' : 'approved'), `: ${namesOf(approved)}`]]),
  ...(left.length === 0 ? [] : [[styled('yellow', 'not approved'), `: ${namesOf(left)}`]]),
];

const howTo = (count: number): Text => [
  `${counted(count, 'hook')} will not run until you approve ${count === 1 ? 'it' : 'them'}:`,
  '  hookwright trust                on a terminal, to decide on each',
  '  hookwright trust <name> --yes   one that you have reviewed',
];

/** Approves what waits for it: all with `--yes`, what a person says on a terminal, and nothing where nobody is asked. */
export const approveOutcome = async (
  found: Reviewed,
  options: ApproveOptions,
  context: Context,
): Promise<CommandOutcome> => {
  const { yes, secrets, dryRun, lock } = options;
  const { review, hooks, gone, unread } = found;
  const waiting = hooks.filter(({ status }) => status !== 'approved');
  const isAsked = !yes && !dryRun && context.canAsk && found.problems.length === 0;
  const decided = yes ? chosenAtOnce(hooks, secrets) : isAsked ? await askAboutEach(waiting, review, context) : [];
  const chosen = decided.map(({ hook }) => hook);
  const problems: CliProblem[] = [...found.problems];
  if (chosen.length > 0 && !dryRun) {
    const refused = await refusedProblem(() => approveEach(decided, review));
    if (refused !== undefined) problems.push(refused);
  }
  const left = problems.length > 0 ? waiting : waiting.filter((hook) => !chosen.includes(hook));
  const written = lock && left.length === 0 ? await writeLock(found, { dryRun }) : undefined;
  if (written?.problem !== undefined) problems.push(written.problem);
  const lost = dryRun || problems.length > 0 ? [] : await lostCanaries(context);
  const { width } = context.screen;
  const page = { width, cwd: context.cwd };
  return {
    findings: left.length > 0 || problems.length + unread.length + lost.length > 0,
    data: {
      ...reviewData(found),
      approved: problems.length > 0 ? [] : chosen.map(({ id }) => id),
      dryRun,
      ...(written === undefined ? {} : { lock: written.file }),
    },
    problems: [...problems, ...unread, ...lost],
    text: () => [
      ...(hooks.length + gone.length + unread.length === 0 ? [nothingToTrust] : []),
      ...(isAsked ? [] : waiting.flatMap((hook) => [...hookText(hook, page), ''])),
      ...goneText(gone, page),
      ...(problems.length > 0 ? problemsText(problems, width, context.cwd) : summary(chosen, left, dryRun)),
      ...(problems.length > 0 ? [] : untold(decided)),
      ...(hooks.length > 0 && waiting.length === 0 && gone.every(({ unreadable }) => !unreadable)
        ? [`${counted(hooks.length, 'hook')}, all approved`]
        : []),
      ...(left.length > 0 && !isAsked && problems.length === 0 ? howTo(left.length) : []),
      ...(written?.text ?? []),
      ...problemsText([...unread, ...lost], width, context.cwd),
      ...(lock && written === undefined ? ['the lock file is not written until all hooks are approved'] : []),
    ],
  };
};
