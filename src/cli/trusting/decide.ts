import { HookwrightError } from '../../errors.ts';
import type { TrustReview } from '../../settings/internal.ts';
import type { Context } from '../context.ts';
import type { Page } from '../rendering/row-lines.ts';
import { styled, type TextLine } from '../terminal/text.ts';
import type { ShownHook } from './review.ts';
import { hookText } from './review-lines.ts';
import { wholeText } from './script-lines.ts';

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
const agreesToAll = async (rest: readonly ShownHook[], page: Page, context: Context): Promise<boolean> => {
  const unseen = rest.slice(1);
  if (unseen.length === 0) return true;
  for (const hook of unseen) context.item(hook, () => ['', ...hookText(hook, page)]);
  return agrees([`approve these ${rest.length}? [y]es, [N]one of them:`], context);
};

/** A hook that is approved, and what it may be told of the secrets it asks for. */
export interface Chosen {
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
export const askAboutEach = async (
  waiting: readonly ShownHook[],
  review: TrustReview,
  context: Context,
): Promise<Chosen[]> => {
  const page = { width: context.screen.width, cwd: context.cwd };
  const approved: Chosen[] = [];
  for (const [index, hook] of waiting.entries()) {
    context.item(hook, () => ['', ...hookText(hook, page)]);
    let answer = await ask(hook.name, context);
    while (answer === 'view') {
      const scripts = await review.scripts(hook.id);
      context.item(scripts, () => wholeText(hook, scripts));
      answer = await ask(hook.name, context);
    }
    if (answer === 'stop') break;
    if (answer === 'approve-rest') {
      const rest = waiting.slice(index);
      if (!(await agreesToAll(rest, page, context))) return approved;
      for (const one of rest) approved.push(await withSecrets(one, context));
      return approved;
    }
    if (answer === 'approve') approved.push(await withSecrets(hook, context));
  }
  return approved;
};
