import type { TrustReview } from '../../config/internal.ts';
import { HookwrightError } from '../../errors.ts';
import type { Context } from '../context.ts';
import type { Page } from '../rendering/row-lines.ts';
import { styled } from '../terminal/text.ts';
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

const ask = async (name: string, context: Context): Promise<Answer> => {
  for (;;) {
    const said = await context.ask([
      'approve ',
      styled('bold', name),
      '? [y]es, [N]o, [a]ll, [v]iew the whole, [q]uit:',
    ]);
    if (context.signal.aborted) {
      throw new HookwrightError('cancelled', 'Interrupted; nothing was approved', { cause: context.signal.reason });
    }
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
  const said = await context.ask([`approve these ${rest.length}? [y]es, [N]o, nothing of them:`]);
  if (context.signal.aborted) {
    throw new HookwrightError('cancelled', 'Interrupted; nothing was approved', { cause: context.signal.reason });
  }
  return /^y(?:es)?$/i.test(said?.trim() ?? '');
};

/** Shows one after the other, and asks about each. Gives those that were approved. */
export const askAboutEach = async (
  waiting: readonly ShownHook[],
  review: TrustReview,
  context: Context,
): Promise<ShownHook[]> => {
  const page = { width: context.screen.width, cwd: context.cwd };
  const approved: ShownHook[] = [];
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
      return (await agreesToAll(rest, page, context)) ? [...approved, ...rest] : approved;
    }
    if (answer === 'approve') approved.push(hook);
  }
  return approved;
};
