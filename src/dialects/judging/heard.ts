import type { AnswerContext, Dialect } from '../dialect.ts';
import { blocks, effectOf, refusalsOf } from './endings.ts';

const contextOf = (dialect: Dialect, event: string): AnswerContext | undefined => {
  const { latest: version } = dialect;
  const rule = dialect.events(version)[event];
  return rule === undefined ? undefined : { event, rule, version, failClosed: false };
};

/** Ways to say no that one agent hears and another does not: a script that comes along says them all the same. */
export const unheardRefusals = (
  [from, event]: readonly [Dialect, string],
  [to, other]: readonly [Dialect, string],
  title = to.title,
): string[] => {
  const here = contextOf(from, event);
  const there = contextOf(to, other);
  if (here === undefined || there === undefined || !here.rule.blocks) return [];
  return refusalsOf(from, event, here.rule).flatMap(({ when, ended }) => {
    const answer = to.readAnswer(ended, there);
    if (!blocks(from.readAnswer(ended, here)) || blocks(answer)) return [];
    const said = when.replace('as it is written there', `as it is written for ${from.title}`);
    return [`${said} blocks in ${from.title}; ${title} ${effectOf(answer)}`];
  });
};
