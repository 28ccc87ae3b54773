import type { SkipReason } from '../../protocol/index.ts';
import type { DialectMatcher, MatcherKind } from '../agent-matcher.ts';
import type { Dialect } from '../dialect.ts';
import type { ForeignHook } from '../foreign.ts';
import type { DialectEntry, DialectReading } from '../reading/read-file.ts';

/** Why an agent would not run a hook, or not in the way its author expects. */
export interface JudgedReason {
  readonly code: SkipReason;
  readonly message: string;
  readonly fix?: string | undefined;
  /** A mistake, until the user changes the file. */
  readonly isBroken: boolean;
}

/** How an agent understands a matcher, and whether it fits what was asked about. */
export interface MatcherJudgement {
  readonly kind: MatcherKind;
  readonly text: string;
  readonly matches?: boolean | 'timeout';
}

/** What a matcher is compared with. */
export interface About {
  readonly toolName?: string | undefined;
  readonly trigger?: string | undefined;
  /** More of the moment, by our names. */
  readonly fields?: Readonly<Record<string, unknown>> | undefined;
}

const understood: Readonly<Record<MatcherKind, (matcher: string) => string>> = {
  everything: () => 'it matches everything',
  ignored: (matcher) => `${matcher}, which is ignored here: the hook runs whatever it says`,
  names: (matcher) => `${matcher}, read as whole names`,
  'names or pattern': (matcher) => `${matcher}, read as whole names, then as a pattern that is searched anywhere`,
  pattern: (matcher) => `${matcher}, read as a pattern that is searched anywhere`,
  whole: (matcher) => `${matcher}, read as a pattern for the whole`,
  equal: (matcher) => `${matcher}, compared as text with the whole`,
  none: (matcher) => `${matcher}, which never matches`,
};

const subjectOf = ({ toolName, trigger }: About): string | undefined => toolName ?? trigger;

const matchedBy = (hook: ForeignHook, about: About): boolean | 'timeout' | undefined => {
  const { toolName, trigger, fields } = about;
  if (toolName === undefined && trigger === undefined) return undefined;
  const planned = hook.plans({ toolName, trigger });
  if (planned !== true || fields === undefined) return planned;
  return hook.inputFor(toolName === undefined ? fields : { ...fields, tool_name: toolName }, '').matches;
};

/** What a matcher means to its agent; `hook` is absent for an event the agent does not have. */
export const judgeMatcher = (
  { matcher, rule }: DialectEntry,
  hook: ForeignHook | undefined,
  about: About,
): MatcherJudgement => {
  const isIgnored = matcher !== undefined && rule !== undefined && rule.subject === undefined;
  const read: Pick<DialectMatcher, 'kind' | 'problem'> =
    hook === undefined || isIgnored ? { kind: isIgnored ? 'ignored' : 'everything' } : hook.matcher;
  const only = rule?.kinds === undefined ? '' : `; only calls of the kind ${rule.kinds.join(', ')}`;
  const shown = matcher === undefined ? 'none' : JSON.stringify(matcher);
  const how = matcher === undefined ? 'none: it matches everything' : understood[read.kind](shown);
  const matches = hook === undefined ? undefined : matchedBy(hook, about);
  const subject = subjectOf(about);
  const fits =
    matches === undefined || subject === undefined || (matcher === undefined && only === '')
      ? ''
      : `; ${JSON.stringify(subject)} ${matches === true ? 'matches' : 'does not match'}`;
  const said = read.problem === undefined ? '' : ` (${read.problem})`;
  return { kind: read.kind, text: `${how}${only}${fits}${said}`, ...(matches === undefined ? {} : { matches }) };
};

const quietly = (title: string): string => ` (${title} says nothing about it)`;

/** Reasons that hold for all hooks of a file. */
export const fileReasons = (reading: DialectReading, { title }: Dialect): JudgedReason[] => [
  ...(reading.void === undefined
    ? []
    : [
        {
          code: 'invalid-config' as const,
          message: `the whole file counts for nothing: ${reading.void}${quietly(title)}`,
          fix: 'put that right, and all hooks of the file are back',
          isBroken: true,
        },
      ]),
  ...(reading.off === undefined
    ? []
    : [
        {
          code: 'hooks-disabled' as const,
          message: `hooks are switched off by ${reading.off}`,
          fix: `change ${reading.off}`,
          isBroken: false,
        },
      ]),
];

/** Reasons of one entry alone. */
export const entryReasons = (
  { rule, event, refusal, off }: DialectEntry,
  { title }: Dialect,
  matcher: MatcherJudgement,
): JudgedReason[] => {
  if (rule === undefined) {
    const message = `"${event}" is not an event of ${title}${quietly(title)}`;
    return [
      {
        code: 'unknown-event',
        message,
        fix: 'use the name of an event; hookwright validate knows them',
        isBroken: true,
      },
    ];
  }
  if (refusal !== undefined && refusal.onlyHere !== true) {
    return [
      { code: 'invalid-config', message: `${refusal.message}${quietly(title)}`, fix: refusal.fix, isBroken: true },
    ];
  }
  if (off !== undefined) {
    return [{ code: 'disabled', message: `it is switched off by ${off}`, fix: `change ${off}`, isBroken: false }];
  }
  if (matcher.kind === 'none') {
    return [{ code: 'invalid-config', message: matcher.text, fix: 'write a pattern that can be read', isBroken: true }];
  }
  if (matcher.matches === undefined || matcher.matches === true) return [];
  const [message = 'its matcher does not match'] = [`its matcher does not match: ${matcher.text}`];
  return [{ code: 'matcher-mismatch', message, isBroken: false }];
};
