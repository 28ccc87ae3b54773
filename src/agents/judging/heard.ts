import { parseOutput } from '../../runners/commands.ts';
import type { Ended } from '../answers/answer.ts';
import type { AnswerContext, Dialect } from '../dialect.ts';
import { blocks, effectOf, refusalsOf } from './endings.ts';

const contextOf = (dialect: Dialect, event: string): AnswerContext | undefined => {
  const { latest: version } = dialect;
  const rule = dialect.events(version)[event];
  return rule === undefined ? undefined : { event, rule, version, failClosed: false };
};

/** What somebody does when a hook ends in some way; nothing where it refuses as well. */
export type Hearer = (ended: Ended) => string | undefined;

export const heardBy = (dialect: Dialect, event: string): Hearer => {
  const context = contextOf(dialect, event);
  return (ended) => {
    if (context === undefined) return undefined;
    const answer = dialect.readAnswer(ended, context);
    return blocks(answer) ? undefined : effectOf(answer);
  };
};

const refusals: readonly unknown[] = ['deny', 'block'];

/** Our own engine, asked with the answers that the scripts of others give. */
export const heardByUs: Hearer = ({ exitCode, stdout, stderr, timedOut }) => {
  const { output } = timedOut === true ? {} : parseOutput({ exitCode, stdout, stderr });
  const isRefused = refusals.includes(output?.decision) || output?.continue === false;
  return isRefused ? undefined : 'goes on';
};

/** Ways to say no that its agent hears and another does not: a script that comes along says them all the same. */
export const unheardRefusals = (from: Dialect, event: string, title: string, hear: Hearer): string[] => {
  const here = contextOf(from, event);
  if (here === undefined || !here.rule.blocks) return [];
  return refusalsOf(from, event, here.rule).flatMap(({ when, ended }) => {
    const effect = hear(ended);
    if (effect === undefined || !blocks(from.readAnswer(ended, here))) return [];
    const said = when.replace('as it is written there', `as it is written for ${from.title}`);
    return [`${said} blocks in ${from.title}; ${title} ${effect}`];
  });
};
