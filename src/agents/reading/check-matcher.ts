import { matchRegex } from '../../planner/index.ts';
import type { Dialect, EventRule } from '../dialect.ts';
import { compileDialectMatcher, type DialectMatcher } from '../matcher.ts';
import { dialects } from '../table.ts';

/** What is odd about a matcher: its agent says nothing of it. */
export interface MatcherFlaw {
  readonly message: string;
  readonly fix: string;
}

const toolSubjects: readonly string[] = ['tool', 'tool_name'];

const takes = ({ test }: DialectMatcher, name: string): boolean => test([name]) === true;

/** Tools that others call what the matcher says, and what they are called here. */
const strangers = (
  matcher: DialectMatcher,
  dialect: Dialect,
  rule: EventRule,
  version: string,
): MatcherFlaw | undefined => {
  const own = dialect.toolsFor?.(rule, version) ?? dialect.tools;
  // What takes too long for one name would for all of them.
  if (own.tools.some(({ names }) => matcher.test(names) === 'timeout')) return undefined;
  if (own.tools.some(({ names }) => names.some((name) => takes(matcher, name)))) return undefined;
  const others = dialects.filter(({ name }) => name !== dialect.name);
  for (const { title, tools } of others) {
    for (const { kind, names } of tools.tools) {
      const theirs = names.find((name) => takes(matcher, name));
      if (theirs === undefined) continue;
      const ours = own.tools.find((tool) => tool.kind === kind)?.names[0];
      const here = ours === undefined ? `${dialect.title} has no such tool` : `${dialect.title} calls it "${ours}"`;
      return {
        message: `"${theirs}" is what ${title} calls a tool; ${here}, and the hook never runs for it`,
        fix: ours === undefined ? 'put the hook where it can run' : `write "${ours}"`,
      };
    }
  }
  return undefined;
};

/** Why a hook may never run, or run always, because of what its matcher says. */
export const matcherFlaw = (
  dialect: Dialect,
  rule: EventRule,
  event: string,
  version: string,
  written: string,
): MatcherFlaw | undefined => {
  const { subject, literal } = rule;
  const form = rule.matcher ?? dialect.matcher(version);
  if ((subject ?? literal) === undefined || form.otherwise === 'ignored') {
    const isAll = written.trim() === '' || written === '*';
    const message = `${dialect.title} ignores the matcher "${written}" on ${event}: the hook runs each time`;
    return isAll ? undefined : { message, fix: 'take it away, and let the hook look for itself' };
  }
  const matcher = compileDialectMatcher(written, form, matchRegex);
  if (matcher.problem !== undefined) return { message: matcher.problem, fix: 'correct the pattern' };
  if (literal !== undefined) {
    const message = `on ${event} a matcher is compared with "${literal}" alone, and "${written}" is none: the hook never runs`;
    return takes(matcher, literal) ? undefined : { message, fix: 'take the matcher away' };
  }
  return subject !== undefined && toolSubjects.includes(subject) && rule.kinds === undefined
    ? strangers(matcher, dialect, rule, version)
    : undefined;
};
