/** Checks of `doctor` for matchers that match nothing, or more than expected. */
import { catalogue, type HookEventName, isHookEventName } from '../../events/index.ts';
import {
  type CompiledMatcher,
  compileMatcher,
  formatToolNameFix,
  type KnownTools,
  matchesAny,
  matchRegex,
  suggestName,
} from '../../planner/index.ts';
import { suggestMatcher } from '../../protocol/index.ts';
import type { CheckInput, Diagnosis, DoctorCheck, ExaminedHook } from './check-types.ts';
import { findMissedCallsOfHook, findUnknownToolsOfHook } from './known-tools.ts';

const diagnoseTools = (hook: ExaminedHook, { tools, agents = [] }: CheckInput): Diagnosis[] => {
  const why = 'It runs only for tools that match; case matters.';
  const { matcher = '', dialect } = hook.row;
  const pattern = dialect === undefined ? suggestMatcher(matcher) : undefined;
  const unknown = findUnknownToolsOfHook(hook, tools).map(
    ({ what, near }): Diagnosis => ({
      severity: tools.isComplete || near !== undefined ? 'warning' : 'note',
      what,
      why,
      fix: pattern ?? (near === undefined ? formatMatcherFix(tools.isComplete) : formatToolNameFix(near)),
    }),
  );
  if (unknown.some(({ severity }) => severity === 'warning')) return unknown;
  const missed = findMissedCallsOfHook(hook, agents).map(
    ({ message, fix = '' }): Diagnosis => ({ severity: 'warning', what: message, why, fix }),
  );
  return missed.length === 0 ? unknown : missed;
};

const formatMatcherFix = (isComplete: boolean): string =>
  isComplete ? 'write the name of one of them, or remove the matcher' : 'name your tools with --tool to be sure';

const diagnoseWords = (
  eventName: HookEventName,
  matcher: string,
  compiled: CompiledMatcher,
  possible: readonly string[] = [],
): Diagnosis | [] => {
  if (possible.length === 0 || compiled.kind === 'literal' || matchesAny(compiled, possible)) return [];
  const near = suggestName(matcher, possible);
  return {
    severity: 'warning',
    what: `the matcher ${JSON.stringify(matcher)} matches none of ${possible.join(', ')}`,
    why: `${eventName} has no other value, so the hook never runs.`,
    fix: near === undefined ? 'write one of them, or remove the matcher' : `write ${near}`,
  };
};

const findUnintendedMatches = (matcher: string, compiled: CompiledMatcher, { names }: KnownTools): Diagnosis | [] => {
  const words = matcher.trim().split('|');
  // A part of a name is probably meant for all tools that contain it.
  if (compiled.kind !== 'words' || !words.every((word) => names.includes(word))) return [];
  const more = names.filter((name) => !words.includes(name) && compiled.test(name) === true);
  if (more.length === 0) return [];
  return {
    severity: 'note',
    what: `the matcher ${JSON.stringify(matcher)} also matches ${more.join(', ')}`,
    why: 'A word matches every tool whose name contains it.',
    fix: `if only ${words.join(' and ')} ${words.length === 1 ? 'is' : 'are'} meant, write ^(${words.join('|')})$`,
  };
};

export const broadMatcherCheck: DoctorCheck = {
  id: 'matcher-breadth',
  title: 'matchers that match more than expected',
  about:
    'A matcher is a regular expression that may match anywhere in the name of a tool: Edit|Write also matches MultiEdit and TodoWrite. This is only a note, since it is often intended; ^(Edit|Write)$ matches exactly these two.',
  examine: ({ row: { eventName, matcher, dialect } }, { tools }) => {
    if (dialect !== undefined) return [];
    const subject = isHookEventName(eventName) ? catalogue[eventName].subject : undefined;
    if (matcher === undefined || subject?.from !== 'toolName') return [];
    return findUnintendedMatches(matcher, compileMatcher(matcher, subject.compare, matchRegex), tools);
  },
};

export const deadMatcherCheck: DoctorCheck = {
  id: 'matcher',
  title: 'matchers that match no tool, or no value of their event',
  about:
    'Matchers are tried on the tools of --tool; without it, on those called in .hookwright/sessions and those of well-known agents. A matcher that matches none of these is a warning when a similar name is known, otherwise a note: your agent may have tools of its own. A tool in an `if` that none of them has is a warning when a known name differs by a letter, and so is a name that an agent does not have whose settings start hookwright, if it calls such a tool otherwise. A matcher and an `if` that are about different tools exclude each other, and the hook never runs.',
  examine: (hook, input) => {
    const { eventName, matcher, dialect } = hook.row;
    if (!isHookEventName(eventName)) return [];
    const { subject } = catalogue[eventName];
    if (subject?.from !== 'trigger') return diagnoseTools(hook, input);
    if (dialect !== undefined) return [];
    return diagnoseWords(eventName, matcher ?? '', compileMatcher(matcher, subject.compare, matchRegex), subject.words);
  },
};
