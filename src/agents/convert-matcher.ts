// Converts a matcher of one agent for another agent, and notes the calls that it no longer matches.
import { catalogue, isHookEventName } from '../events/index.ts';
import { escapeRegex } from '../kit/index.ts';
import { matchRegex } from '../planner/index.ts';
import { createSampleCall } from './agent-events.ts';
import { compileAgentMatcher } from './agent-matcher.ts';
import type { DialectEntry } from './reading/read-file.ts';
import { type EventRule, isToolSubject } from './rule-types.ts';
import type { AgentRules } from './rules.ts';
import type { Vocabulary } from './tools/vocabulary.ts';

export interface MatcherTarget {
  readonly title: string;
  /** Absent if the host configures its own tool names. */
  readonly tools?: Vocabulary | undefined;
  /** Patterns are searched anywhere in a name, so whole names need anchors. */
  readonly anchors: boolean;
  readonly ignoresMatchers: boolean;
  /** Absent if hookwright is the target. */
  readonly dialect?: AgentRules | undefined;
}

/** `never`: why the target could never run the hook. */
export type ConvertedMatcher = {
  readonly matcher?: string;
  readonly never?: string;
  readonly notes: readonly string[];
};

/** Maps hookwright's values to the agent's, such as `compress` → `compact`, by sample stdin of the agent's rules. */
const mapSubjectValues = (dialect: AgentRules, event: string, rule: EventRule): ReadonlyMap<string, string> => {
  const { moment, subject } = rule;
  const known = moment !== undefined && isHookEventName(moment) ? catalogue[moment].subject : undefined;
  if (known === undefined || subject === undefined || known.from === 'toolName') return new Map();
  const { field, words = [] } = known;
  return new Map(
    words.flatMap((word) => {
      const input = { session_id: '', transcript_path: '', cwd: '', timestamp: '', message: '', [field]: word };
      const theirs = dialect.stdin(createSampleCall({ event, rule, version: dialect.latest }, input))[subject];
      return typeof theirs === 'string' ? [[word, theirs] as const] : [];
    }),
  );
};

const isListOfNames = (matcher: string): boolean => /^[\w\- ,|:]+$/.test(matcher);

const splitNames = (matcher: string): string[] =>
  matcher
    .split(/[|,]/)
    .map((name) => name.trim())
    .filter((name) => name !== '');

const formatNamesMatcher = (names: readonly string[], { anchors }: MatcherTarget): string => {
  const unique = [...new Set(names)];
  return anchors ? `^(?:${unique.map(escapeRegex).join('|')})$` : unique.join('|');
};

const listNamesOfKinds = ({ tools }: Vocabulary, kinds: readonly string[]): string[] =>
  tools.flatMap(({ kind, names: [name] }) => (kinds.includes(kind) && name !== undefined ? [name] : []));

const translateNames = (names: readonly string[], from: Vocabulary, to: MatcherTarget): ConvertedMatcher => {
  const notes: string[] = [];
  const found = names.flatMap((name) => {
    if (to.tools === undefined) return name;
    const kinds = from.tools.filter((tool) => tool.names.includes(name)).map(({ kind }) => kind);
    if (kinds.length === 0) return name;
    const others = listNamesOfKinds(to.tools, kinds);
    if (others.length === 0) notes.push(`${to.title} has no tool for "${name}"; it is left out of the matcher`);
    return others;
  });
  return found.length === 0
    ? { never: `${to.title} has no tool for ${names.map((name) => `"${name}"`).join(', ')}`, notes: [] }
    : { matcher: formatNamesMatcher(found, to), notes };
};

const findMatchedTools = (matcher: string, dialect: AgentRules): string[] => {
  const compiled = compileAgentMatcher(matcher, dialect.matcher(dialect.latest), matchRegex);
  return dialect.tools.tools.flatMap(({ names }) => (compiled.test(names) === true ? (names[0] ?? []) : []));
};

const convertToolMatcher = (matcher: string, from: AgentRules, to: MatcherTarget): ConvertedMatcher => {
  if (isListOfNames(matcher)) return translateNames(splitNames(matcher), from.tools, to);
  const asItIs = `the pattern "${matcher}" is written for the tool names of ${from.title}; it is copied as it is`;
  const taken = to.tools === undefined ? [] : findMatchedTools(matcher, from);
  if (taken.length === 0) return { matcher, notes: [asItIs] };
  const names = translateNames(taken, from.tools, to);
  return { ...names, notes: [...names.notes, `the pattern "${matcher}" is written as the tools it takes there`] };
};

/** An event for one kind of tool becomes an event for all tools, with a matcher for that kind. */
const convertKindsToMatcher = (
  { matcher, event }: DialectEntry,
  kinds: readonly string[],
  from: AgentRules,
  to: MatcherTarget,
): ConvertedMatcher => {
  const names = listNamesOfKinds(from.tools, kinds);
  const lost =
    matcher === undefined
      ? []
      : [`the matcher "${matcher}" of ${event} is compared with more than a name; it is left out`];
  if (names.length === 0)
    return { notes: [...lost, `${event} is only for ${kinds.join(', ')}; here it is for every tool`] };
  const converted = translateNames(names, from.tools, to);
  return { ...converted, notes: [...lost, ...converted.notes] };
};

const convertValueMatcher = (
  matcher: string,
  words: ReadonlyMap<string, string>,
  targetWords: ReadonlyMap<string, string>,
): ConvertedMatcher => {
  if (!isListOfNames(matcher)) return { matcher, notes: [] };
  const ours = new Map([...words].map(([our, theirs]) => [theirs, our]));
  const names = splitNames(matcher).map((name) => {
    const our = ours.get(name) ?? name;
    return targetWords.get(our) ?? our;
  });
  return { matcher: names.join('|'), notes: [] };
};

export const convertMatcher = (
  entry: DialectEntry,
  from: AgentRules,
  to: MatcherTarget,
  targetEvent: string,
): ConvertedMatcher => {
  const { matcher, rule, event } = entry;
  if (rule?.kinds !== undefined) return convertKindsToMatcher(entry, rule.kinds, from, to);
  const { everything } = from.matcher(from.latest);
  if (matcher === undefined || rule === undefined || everything.includes(matcher.trim())) return { notes: [] };
  if (rule.subject === undefined)
    return { notes: [`${from.title} ignores the matcher "${matcher}" on ${event}; it is left out`] };
  const { dialect } = to;
  const targetRule = dialect?.events(dialect.latest)[targetEvent];
  if (to.ignoresMatchers || (targetRule !== undefined && targetRule.subject === undefined))
    return { notes: [`${to.title} ignores matchers here: the hook runs whatever "${matcher}" says`] };
  if (isToolSubject(rule.subject)) return convertToolMatcher(matcher, from, to);
  const targetWords =
    dialect === undefined || targetRule === undefined ? new Map() : mapSubjectValues(dialect, targetEvent, targetRule);
  return convertValueMatcher(matcher, mapSubjectValues(from, event, rule), targetWords);
};
