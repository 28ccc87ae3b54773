import { HookwrightError } from '../../../errors.ts';
import { suggestion } from '../../../kit/index.ts';
import { shownName } from '../../../protocol/index.ts';
import type { TrustReview } from '../../../trust/internal.ts';
import { settingsWithAgent, whoseHooks } from '../../agents/whose-hooks.ts';
import type { Given } from '../../arguments/spec.ts';
import type { Run } from '../../command.ts';
import type { CliProblem, CommandOutcome } from '../../command-outcome.ts';
import type { Context } from '../../context.ts';
import { lostCanaries } from '../../hook-tests/lost-canaries.ts';
import { type Cell, type Column, table } from '../../rendering/layout.ts';
import { counted, problemsText, shownPlace } from '../../rendering/problem-lines.ts';
import { styled, type Text, type TextLine } from '../../rendering/text.ts';
import { reportingContext } from '../../reporting/reporter-flag.ts';
import { checkOutcome, lockOutcome, refusedProblem, writeLock } from '../../trusting/lock.ts';
import { goneText, hookText, statusStyles, wholeText } from '../../trusting/review-lines.ts';
import { type Reviewed, reviewed, type ShownHook } from '../../trusting/reviewed.ts';
import { UsageError } from '../../usage-error.ts';
import type { trustSpec } from './spec.ts';

type Wish = Given<typeof trustSpec>;

/** What cannot be asked for together. `--yes --lock` can: approve, then write down. */
const ways = ['list', 'revoke', 'check', 'lock'] as const;

const wayOf = (given: Wish): (typeof ways)[number] | undefined => {
  const asked = ways.filter((way) => given[way]);
  const [first, second] = asked;
  if (second !== undefined) throw new UsageError(`--${first} and --${second} cannot be combined`);
  if (given.yes && (first === 'list' || first === 'check')) {
    throw new UsageError(`--${first} approves nothing; leave out --yes`);
  }
  if (given.secrets.length > 0 && !given.yes) {
    throw new UsageError('--secrets needs --yes', 'without it, each secret is asked about on the terminal');
  }
  if (given.hooks.length > 0 && (first === 'check' || (first === 'lock' && !given.yes))) {
    throw new UsageError(`--${first} is for all hooks of the project; leave out ${given.hooks.join(', ')}`);
  }
  return first;
};

/** A secret that no hook asks for is a mistake, or meant for another hook. */
const expectAsked = (secrets: readonly string[], { hooks }: Reviewed): void => {
  const asked = [...new Set(hooks.flatMap((hook) => (hook.secrets ?? []).map(({ name }) => name)))];
  const unasked = secrets.find((name) => !asked.includes(name));
  if (unasked === undefined) return;
  throw new UsageError(
    `no hook asks for ${JSON.stringify(unasked)} in its "secrets"${suggestion(unasked, asked)}`,
    asked.length === 0 ? 'leave out --secrets' : `asked for: ${asked.join(', ')}`,
  );
};

export const run: Run<typeof trustSpec> = async (given: Wish, asked: Context): Promise<CommandOutcome> => {
  const way = wayOf(given);
  const { reporter } = given;
  if (reporter !== undefined && way !== 'check') throw new UsageError('--reporter needs --check');
  const context = reportingContext(asked, reporter);
  const { hooks: wishes, yes, secrets, 'dry-run': dryRun } = given;
  const whose = await whoseHooks(given, undefined, context);
  const found = await reviewed(wishes, await settingsWithAgent(whose, context));
  expectAsked(secrets, found);
  if (way === 'check') return checkOutcome(found, reporter, context);
  if (way === 'list') return listOutcome(found, context);
  if (way === 'revoke') {
    if (wishes.length === 0 && !yes) {
      throw new UsageError(
        '--revoke needs the names of hooks',
        'hookwright trust --revoke --yes takes all approvals back',
      );
    }
    return revokeOutcome(found, { dryRun }, context);
  }
  if (way === 'lock' && !yes) return lockOutcome(found, { dryRun }, context);
  return approveOutcome(found, { yes, secrets, dryRun, lock: way === 'lock' }, context);
};

interface ApproveOptions {
  readonly yes: boolean;
  /** The secrets that hooks may read without a question about each. */
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

/** A hook may not work without what it asked for, for no visible reason. */
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

/** Approves what waits for it: all with `--yes`, what the user says on a terminal, and nothing without a terminal. */
const approveOutcome = async (found: Reviewed, options: ApproveOptions, context: Context): Promise<CommandOutcome> => {
  const { yes, secrets, dryRun, lock } = options;
  const { review, hooks, gone, unread, settings } = found;
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
  return {
    findings: left.length > 0 || problems.length + unread.length + lost.length > 0,
    data: {
      ...reviewData(found),
      approved: problems.length > 0 ? [] : chosen.map(({ id }) => id),
      dryRun,
      ...(written === undefined ? {} : { lock: written.file }),
    },
    problems: [...problems, ...unread, ...settings, ...lost],
    text: () => [
      ...(hooks.length + gone.length + unread.length + settings.length === 0 ? [nothingToTrust] : []),
      ...(isAsked ? [] : waiting.flatMap((hook) => [...hookText(hook, context), ''])),
      ...problemsText(settings, context),
      ...goneText(gone, context),
      ...(problems.length > 0 ? problemsText(problems, context) : summary(chosen, left, dryRun)),
      ...(problems.length > 0 ? [] : untold(decided)),
      ...(hooks.length > 0 && waiting.length === 0 && gone.every(({ unreadable }) => !unreadable)
        ? [`${counted(hooks.length, 'hook')}, all approved`]
        : []),
      ...(left.length > 0 && !isAsked && problems.length === 0 ? howTo(left.length) : []),
      ...(written?.text ?? []),
      ...problemsText([...unread, ...lost], context),
      ...(lock && written === undefined ? ['the lock file is not written until all hooks are approved'] : []),
    ],
  };
};

const answers = {
  y: 'approve',
  yes: 'approve',
  n: 'leave',
  no: 'leave',
  '': 'leave',
  a: 'approve-rest',
  all: 'approve-rest',
  v: 'view',
  view: 'view',
  q: 'stop',
  quit: 'stop',
} as const satisfies Record<string, 'approve' | 'leave' | 'approve-rest' | 'view' | 'stop'>;

type Answer = (typeof answers)[keyof typeof answers];

const isAnswer = (word: string): word is keyof typeof answers => Object.hasOwn(answers, word);

const told = async (question: TextLine, context: Context): Promise<string | undefined> => {
  const said = await context.ask(question);
  if (!context.signal.aborted) return said;
  throw new HookwrightError('cancelled', 'Interrupted; nothing was approved', { cause: context.signal.reason });
};

const agrees = async (question: TextLine, context: Context): Promise<boolean> =>
  /^y(?:es)?$/i.test((await told(question, context))?.trim() ?? '');

const ask = async (name: string, context: Context): Promise<Answer> => {
  for (;;) {
    const question = ['approve ', styled('bold', name), '? [y]es, [N]o, [a]ll, [v]iew all, [q]uit:'];
    const said = await told(question, context);
    if (said === undefined) return 'stop';
    const word = said.trim().toLowerCase();
    if (isAnswer(word)) return answers[word];
  }
};

/** Nothing is approved that was not shown: the rest is, and then it is asked once about all of it. */
const agreesToAll = async (rest: readonly ShownHook[], context: Context): Promise<boolean> => {
  const unseen = rest.slice(1);
  if (unseen.length === 0) return true;
  for (const hook of unseen) context.item(hook, () => ['', ...hookText(hook, context)]);
  return agrees([`approve these ${rest.length}? [y]es, [N]one of them:`], context);
};

/** A hook that is approved, and what it may be told of the secrets it asks for. */
interface Chosen {
  readonly hook: ShownHook;
  readonly secrets: readonly string[];
}

/** Each secret is allowed by its name, or not at all: that a hook may run does not say that it may have it. */
const withSecrets = async (hook: ShownHook, context: Context): Promise<Chosen> => {
  const allowed: string[] = [];
  for (const { name } of hook.secrets ?? []) {
    const question = ['may ', styled('bold', hook.name), ' see the value of ', styled('bold', name), '? [y]es, [N]o:'];
    if (await agrees(question, context)) allowed.push(name);
  }
  return { hook, secrets: allowed };
};

/** Shows one after the other, and asks about each. Gives those that were approved. */
const askAboutEach = async (
  waiting: readonly ShownHook[],
  review: TrustReview,
  context: Context,
): Promise<Chosen[]> => {
  const approved: Chosen[] = [];
  for (const [index, hook] of waiting.entries()) {
    context.item(hook, () => ['', ...hookText(hook, context)]);
    let answer = await ask(hook.name, context);
    while (answer === 'view') {
      const scripts = await review.scripts(hook.id);
      context.item(scripts, () => wholeText(hook, scripts));
      answer = await ask(hook.name, context);
    }
    if (answer === 'stop') break;
    if (answer === 'approve-rest') {
      const rest = waiting.slice(index);
      if (!(await agreesToAll(rest, context))) return approved;
      for (const one of rest) approved.push(await withSecrets(one, context));
      return approved;
    }
    if (answer === 'approve') approved.push(await withSecrets(hook, context));
  }
  return approved;
};

/** Takes approvals back. */
const revokeOutcome = async (
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
  return {
    findings: problems.length > 0,
    data: { revoked: problem === undefined ? held.map(({ hookId }) => hookId) : [], dryRun },
    problems,
    text: () => [
      ...problemsText(problems, context),
      ...(problems.length > 0
        ? []
        : [held.length === 0 ? 'none of these was approved' : `${dryRun ? 'would be revoked' : 'revoked'}: ${names}`]),
    ],
  };
};

const columns: readonly Column[] = [
  { title: 'status', min: 8 },
  { title: 'hook', min: 8 },
  { title: 'event', min: 8 },
  { title: 'script', min: 6 },
  { title: 'where', min: 8, keepEnd: true },
];

const nothingToTrust = 'Nothing here needs an approval: no hook comes from a project or an extension.';

const rows = ({ hooks, gone }: Reviewed, cwd: string): Cell[][] => [
  ...hooks.map(({ status, name, entry: { event }, script: { covered }, file, line }): Cell[] => [
    styled(statusStyles[status], status),
    shownName(name),
    typeof event === 'string' ? event : '',
    covered ? 'covered' : styled('yellow', 'in part'),
    shownPlace({ file, line }, cwd) ?? '',
  ]),
  ...gone.map(({ name, unreadable }): Cell[] => [
    unreadable ? styled('red', 'unreadable') : styled('dim', 'gone'),
    name,
    '',
    '',
    '',
  ]),
];

const listText = (found: Reviewed, problems: readonly CliProblem[], context: Context): Text => {
  const { hooks, gone } = found;
  return [
    ...(hooks.length + gone.length + problems.length === 0
      ? [nothingToTrust]
      : hooks.length + gone.length === 0
        ? []
        : table(columns, rows(found, context.cwd), context.width)),
    ...problemsText(problems, context),
  ];
};

/** What a review has to say, as data. */
const reviewData = ({ review: { projectDir, file }, hooks, gone }: Reviewed): Record<string, unknown> => ({
  projectDir,
  store: file,
  hooks,
  gone,
});

const listOutcome = (found: Reviewed, context: Context): CommandOutcome => {
  const refused = [...found.problems, ...found.unread];
  const problems = [...refused, ...found.settings];
  return {
    findings: refused.length > 0,
    data: reviewData(found),
    problems,
    text: () => listText(found, problems, context),
  };
};
