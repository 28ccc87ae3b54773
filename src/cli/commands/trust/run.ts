/** `hookwright trust`: reviews hooks and abilities, and approves them. */
import { HookwrightError } from '../../../errors.ts';
import { formatSuggestion } from '../../../kit/index.ts';
import { shortenHookName } from '../../../protocol/index.ts';
import type { TrustReview } from '../../../trust/internal.ts';
import { loadSettingsWithAgent, selectAgent } from '../../agents/select-agent.ts';
import type { CommandValues } from '../../arguments/spec.ts';
import type { CommandMain } from '../../command.ts';
import type { CliProblem, CommandOutcome } from '../../command-outcome.ts';
import { type Context, isTypedYes } from '../../context.ts';
import { listMissedProblems, withMissedCallNotices } from '../../doctor/known-tools.ts';
import { findLostCanaries } from '../../hook-tests/lost-canaries.ts';
import { type Cell, type Column, renderTable } from '../../rendering/layout.ts';
import { createProblemOutcome, formatCount, formatLocation, formatProblems } from '../../rendering/problem-lines.ts';
import { createReportingContext } from '../../rendering/reporters.ts';
import { createSpan, type Text, type TextLine } from '../../rendering/text.ts';
import { readConfiguredEntries } from '../../sources/read-configuration.ts';
import { collectReview, type HookReview, type HookUnderReview } from '../../trusting/collect-review.ts';
import { catchAsProblem, createLockCheckOutcome, createLockOutcome, writeLock } from '../../trusting/lock-outcome.ts';
import { formatFullReview, formatGoneHooks, formatHookReview, statusStyles } from '../../trusting/review-lines.ts';
import { UsageError } from '../../usage-error.ts';
import type { trustSpec } from './spec.ts';

export const run: CommandMain<typeof trustSpec> = async (options, outer) => {
  const mode = findMode(options);
  const { hooks: names, yes, secrets, reporter, 'dry-run': dryRun } = options;
  if (reporter !== undefined && mode !== 'check') throw new UsageError('--reporter needs --check');
  const context = createReportingContext(outer, reporter);
  const selected = await selectAgent(options, undefined, context);
  const collected = await collectReview(names, await loadSettingsWithAgent(selected, context));
  const found = await reportMissedCalls(collected, context);
  expectRequestedSecrets(secrets, found);
  if (mode === 'check') return createLockCheckOutcome(found, reporter, context);
  if (mode === 'list') return createListOutcome(found, context);
  if (mode === 'revoke') {
    if (names.length > 0 || yes) return createRevokeOutcome(found, dryRun, context);
    const how = 'hookwright trust --revoke --yes takes all approvals back';
    throw new UsageError('--revoke needs the names of hooks', how);
  }
  if (mode === 'lock' && !yes) return createLockOutcome(found, { dryRun }, context);
  return createApproveOutcome(found, options, context);
};

type TrustOptions = CommandValues<typeof trustSpec>;

const reportMissedCalls = async (found: HookReview, context: Context): Promise<HookReview> => {
  const ids = new Set(found.hooks.map(({ hookId }) => hookId));
  const entries = (await readConfiguredEntries(found.config, context)).filter(({ row }) => ids.has(row.hookId));
  const missed = listMissedProblems(await withMissedCallNotices(entries, context));
  return { ...found, settings: [...found.settings, ...missed] };
};

const trustModes = ['list', 'revoke', 'check', 'lock'] as const;

const findMode = (options: TrustOptions): (typeof trustModes)[number] | undefined => {
  const [first, second] = trustModes.filter((mode) => options[mode]);
  if (second !== undefined) throw new UsageError(`--${first} and --${second} cannot be combined`);
  if (options.yes && (first === 'list' || first === 'check')) {
    throw new UsageError(`--${first} approves nothing; leave out --yes`);
  }
  if (options.secrets.length > 0 && !options.yes) {
    throw new UsageError('--secrets needs --yes', 'without it, each secret is asked about on the terminal');
  }
  if (options.hooks.length > 0 && (first === 'check' || (first === 'lock' && !options.yes))) {
    throw new UsageError(`--${first} is for all hooks of the project; leave out ${options.hooks.join(', ')}`);
  }
  return first;
};

const expectRequestedSecrets = (secrets: readonly string[], { hooks }: HookReview): void => {
  const requested = [...new Set(hooks.flatMap((hook) => (hook.secrets ?? []).map(({ name }) => name)))];
  const other = secrets.find((name) => !requested.includes(name));
  if (other === undefined) return;
  throw new UsageError(
    `no hook asks for ${JSON.stringify(other)} in its "secrets"${formatSuggestion(other, requested)}`,
    requested.length === 0 ? 'leave out --secrets' : `asked for: ${requested.join(', ')}`,
  );
};

const joinNames = (hooks: readonly { readonly name: string }[]): string =>
  hooks.map(({ name }) => shortenHookName(name)).join(', ');

const chooseByYes = (hooks: readonly HookUnderReview[], names: readonly string[]): ChosenHook[] =>
  hooks
    .map((hook) => {
      const requested = (hook.secrets ?? []).map(({ name }) => name);
      return { hook, secrets: requested.filter((name) => names.includes(name)) };
    })
    .filter(({ hook, secrets }) => hook.status !== 'approved' || secrets.length > 0);

const approveEach = async (chosen: readonly ChosenHook[], review: TrustReview): Promise<void> => {
  const plain = chosen.filter(({ secrets }) => secrets.length === 0);
  if (plain.length > 0) await review.approve(plain.map(({ hook }) => hook.id));
  for (const { hook, secrets } of chosen) if (secrets.length > 0) await review.approve([hook.id], { secrets });
};

const formatWithheld = (chosen: readonly ChosenHook[]): Text =>
  chosen.flatMap(({ hook, secrets }): Text => {
    const names = (hook.secrets ?? []).filter(({ name, isAllowed }) => !isAllowed && !secrets.includes(name));
    if (names.length === 0) return [];
    const list = names.map(({ name }) => name);
    return [
      [createSpan('yellow', `${hook.name} does not get ${list.join(', ')}`), ', which it asks for; to allow that:'],
      `  hookwright trust ${JSON.stringify(hook.name)} --yes --secrets ${list.join(',')}`,
    ];
  });

const formatSummary = (
  approved: readonly HookUnderReview[],
  left: readonly HookUnderReview[],
  dryRun: boolean,
): Text => [
  ...(approved.length === 0
    ? []
    : [[createSpan('green', dryRun ? 'would be approved' : 'approved'), `: ${joinNames(approved)}`]]),
  ...(left.length === 0 ? [] : [[createSpan('yellow', 'not approved'), `: ${joinNames(left)}`]]),
];

const formatHowTo = (count: number): Text => [
  `${formatCount(count, 'hook')} will not run until you approve ${count === 1 ? 'it' : 'them'}:`,
  '  hookwright trust                on a terminal, to decide on each',
  '  hookwright trust <name> --yes   one that you have reviewed',
];

const createApproveOutcome = async (
  found: HookReview,
  { yes, secrets, lock, 'dry-run': dryRun }: TrustOptions,
  context: Context,
): Promise<CommandOutcome> => {
  const { review, hooks, gone, unread, settings } = found;
  const waiting = hooks.filter(({ status }) => status !== 'approved');
  const isAsked = !yes && !dryRun && context.canAsk && found.problems.length === 0;
  const decided = yes ? chooseByYes(hooks, secrets) : isAsked ? await promptForEach(waiting, review, context) : [];
  const chosen = decided.map(({ hook }) => hook);
  const problems: CliProblem[] = [...found.problems];
  if (chosen.length > 0 && !dryRun) {
    const refused = await catchAsProblem(() => approveEach(decided, review));
    if (refused !== undefined) problems.push(refused);
  }
  const left = problems.length > 0 ? waiting : waiting.filter((hook) => !chosen.includes(hook));
  const written = lock && left.length === 0 ? await writeLock(found, { dryRun }) : undefined;
  if (written?.problem !== undefined) problems.push(written.problem);
  const lost = dryRun || problems.length > 0 ? [] : await findLostCanaries(context);
  return {
    findings: left.length > 0 || problems.length + unread.length + lost.length > 0,
    data: {
      ...toReviewData(found),
      approved: problems.length > 0 ? [] : chosen.map(({ id }) => id),
      dryRun,
      lock: written?.file,
    },
    problems: [...problems, ...unread, ...settings, ...lost],
    text: () => [
      ...(hooks.length + gone.length + unread.length + settings.length === 0 ? [nothingToTrust] : []),
      ...(isAsked ? [] : waiting.flatMap((hook) => [...formatHookReview(hook, context), ''])),
      ...formatProblems(settings, context),
      ...formatGoneHooks(gone, context),
      ...(problems.length > 0
        ? formatProblems(problems, context)
        : [...formatSummary(chosen, left, dryRun), ...formatWithheld(decided)]),
      ...(hooks.length > 0 && waiting.length === 0 && gone.every(({ unreadable }) => !unreadable)
        ? [`${formatCount(hooks.length, 'hook')}, all approved`]
        : []),
      ...(left.length > 0 && !isAsked && problems.length === 0 ? formatHowTo(left.length) : []),
      ...(written?.text ?? []),
      ...formatProblems([...unread, ...lost], context),
      ...(lock && written === undefined ? ['the lock file is not written until all hooks are approved'] : []),
    ],
  };
};

type PromptAnswer = 'approve' | 'leave' | 'approve-rest' | 'view' | 'stop';

const answerByWord: ReadonlyMap<string, PromptAnswer> = new Map([
  ['y', 'approve'],
  ['yes', 'approve'],
  ['n', 'leave'],
  ['no', 'leave'],
  ['', 'leave'],
  ['a', 'approve-rest'],
  ['all', 'approve-rest'],
  ['v', 'view'],
  ['view', 'view'],
  ['q', 'stop'],
  ['quit', 'stop'],
]);

const promptWord = async (question: TextLine, context: Context): Promise<string | undefined> => {
  const text = await context.ask(question);
  if (!context.signal.aborted) return text;
  throw new HookwrightError('cancelled', 'Interrupted; nothing was approved', { cause: context.signal.reason });
};

const promptAgreement = async (question: TextLine, context: Context): Promise<boolean> =>
  isTypedYes(await promptWord(question, context));

const promptAnswer = async (name: string, context: Context): Promise<PromptAnswer> => {
  for (;;) {
    const question = ['approve ', createSpan('bold', name), '? [y]es, [N]o, [a]ll, [v]iew all, [q]uit:'];
    const word = (await promptWord(question, context))?.trim().toLowerCase();
    const answer = word === undefined ? 'stop' : answerByWord.get(word);
    if (answer !== undefined) return answer;
  }
};

/** Shows the remaining hooks first, so that the user approves nothing unseen. */
const promptAgreementToAll = async (rest: readonly HookUnderReview[], context: Context): Promise<boolean> => {
  const unseen = rest.slice(1);
  if (unseen.length === 0) return true;
  for (const hook of unseen) context.item(hook, () => ['', ...formatHookReview(hook, context)]);
  return promptAgreement([`approve these ${rest.length}? [y]es, [N]one of them:`], context);
};

interface ChosenHook {
  readonly hook: HookUnderReview;
  readonly secrets: readonly string[];
}

/** The approval of a hook does not include its secrets, so the user is asked about each secret. */
const withSecrets = async (hook: HookUnderReview, context: Context): Promise<ChosenHook> => {
  const allowed: string[] = [];
  for (const { name } of hook.secrets ?? []) {
    const question = [
      'may ',
      createSpan('bold', hook.name),
      ' see the value of ',
      createSpan('bold', name),
      '? [y]es, [N]o:',
    ];
    if (await promptAgreement(question, context)) allowed.push(name);
  }
  return { hook, secrets: allowed };
};

const promptForEach = async (
  waiting: readonly HookUnderReview[],
  review: TrustReview,
  context: Context,
): Promise<ChosenHook[]> => {
  const approved: ChosenHook[] = [];
  for (const [index, hook] of waiting.entries()) {
    context.item(hook, () => ['', ...formatHookReview(hook, context)]);
    let answer = await promptAnswer(hook.name, context);
    while (answer === 'view') {
      const scripts = await review.scripts(hook.id);
      context.item(scripts, () => formatFullReview(hook, scripts));
      answer = await promptAnswer(hook.name, context);
    }
    if (answer === 'stop') break;
    if (answer === 'approve-rest') {
      const rest = waiting.slice(index);
      if (!(await promptAgreementToAll(rest, context))) return approved;
      for (const one of rest) approved.push(await withSecrets(one, context));
      return approved;
    }
    if (answer === 'approve') approved.push(await withSecrets(hook, context));
  }
  return approved;
};

const createRevokeOutcome = async (
  { review, hooks, gone }: HookReview,
  dryRun: boolean,
  context: Context,
): Promise<CommandOutcome> => {
  // The trust store has a changed hook under the id of its approved version, so both ids are revoked.
  const held = [...hooks.filter(({ status }) => status !== 'new'), ...gone];
  const ids = held.flatMap(({ id, hookId }) => [id, hookId]);
  const problem = dryRun || held.length === 0 ? undefined : await catchAsProblem(() => review.revoke(ids));
  if (problem !== undefined) return createProblemOutcome({ revoked: [], dryRun }, [problem], context);
  const names = held.map(({ name }) => name).join(', ');
  return {
    data: { revoked: held.map(({ hookId }) => hookId), dryRun },
    text: () => [
      held.length === 0 ? 'none of these was approved' : `${dryRun ? 'would be revoked' : 'revoked'}: ${names}`,
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

const formatReviewRows = ({ hooks, gone }: HookReview, cwd: string): Cell[][] => [
  ...hooks.map(({ status, name, entry: { event }, script: { covered }, file, line }): Cell[] => [
    createSpan(statusStyles[status], status),
    shortenHookName(name),
    typeof event === 'string' ? event : '',
    covered ? 'covered' : createSpan('yellow', 'in part'),
    formatLocation({ file, line }, cwd) ?? '',
  ]),
  ...gone.map(({ name, unreadable }): Cell[] => [
    unreadable ? createSpan('red', 'unreadable') : createSpan('dim', 'gone'),
    name,
  ]),
];

const toReviewData = ({ review: { projectDir, file }, hooks, gone }: HookReview): Record<string, unknown> => ({
  projectDir,
  store: file,
  hooks,
  gone,
});

const createListOutcome = (found: HookReview, context: Context): CommandOutcome => {
  const refused = [...found.problems, ...found.unread];
  const problems = [...refused, ...found.settings];
  const cells = formatReviewRows(found, context.cwd);
  return {
    findings: refused.length > 0,
    data: toReviewData(found),
    problems,
    text: () => [
      ...(cells.length + problems.length === 0 ? [nothingToTrust] : []),
      ...renderTable(columns, cells, context.width),
      ...formatProblems(problems, context),
    ],
  };
};
