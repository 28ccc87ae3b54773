// Events of GitHub Copilot, in camelCase and PascalCase, and how their matchers are read.
import type { MatcherRule } from '../../agent-matcher.ts';
import { isAtLeast } from '../../agent-version.ts';
import type { EventRule } from '../../rule-types.ts';

export const camelMatcher: MatcherRule = { everything: [], otherwise: 'whole', invalid: 'left-out' };

/** Matchers of PascalCase events list Claude Code's names, or are patterns for the whole name. */
const pascalMatcher: MatcherRule = {
  everything: ['', '*', '**'],
  names: /^[\w|-]+$/,
  separators: /\|/,
  otherwise: 'whole',
  patternsOn: 'first',
  invalid: 'left-out',
};

interface CopilotEvent extends EventRule {
  readonly pascal?: string;
  readonly matchersSince?: string;
}

const eventsByCamelName: Readonly<Record<string, CopilotEvent>> = {
  preToolUse: { pascal: 'PreToolUse', matchersSince: '1.0.36', moment: 'BeforeTool', subject: 'tool', blocks: true },
  postToolUse: {
    pascal: 'PostToolUse',
    matchersSince: '1.0.63',
    moment: 'AfterTool',
    subject: 'tool',
    blocks: false,
    keepsResult: true,
  },
  postToolUseFailure: { pascal: 'PostToolUseFailure', moment: 'AfterToolFailure', blocks: false, since: '1.0.15' },
  permissionRequest: {
    pascal: 'PermissionRequest',
    moment: 'PermissionRequest',
    subject: 'tool',
    blocks: true,
    since: '1.0.16',
  },
  userPromptSubmitted: { pascal: 'UserPromptSubmit', moment: 'BeforeAgent', blocks: false },
  agentStop: { pascal: 'Stop', moment: 'AfterAgent', blocks: true },
  sessionStart: { pascal: 'SessionStart', moment: 'SessionStart', blocks: false },
  sessionEnd: { pascal: 'SessionEnd', moment: 'SessionEnd', blocks: false },
  preCompact: { pascal: 'PreCompact', moment: 'PreCompress', subject: 'trigger', blocks: false, since: '1.0.5' },
  notification: { moment: 'Notification', subject: 'notification_type', blocks: false, since: '1.0.18' },
  subagentStart: { moment: 'SubagentStart', subject: 'agentName', blocks: false, since: '1.0.7' },
  subagentStop: { pascal: 'SubagentStop', moment: 'SubagentStop', blocks: true },
  userPromptTransformed: { blocks: false },
  errorOccurred: { pascal: 'ErrorOccurred', blocks: false },
};

export const PASCAL_VARIANT = 'PascalCase';

const PASCAL_EVENTS_SINCE = '1.0.6';

const pickLaterVersion = (one: string, other = '0'): string => (isAtLeast(one, other) ? one : other);

const namedEvents = Object.entries(eventsByCamelName).flatMap(([camel, { pascal, matchersSince = '0', ...rule }]) => {
  const inCamel = { name: camel, matchersSince, rule: { ...rule, matcher: camelMatcher } };
  if (pascal === undefined) return [inCamel];
  const since = pickLaterVersion(PASCAL_EVENTS_SINCE, rule.since);
  return [
    inCamel,
    { name: pascal, matchersSince, rule: { ...rule, matcher: pascalMatcher, variant: PASCAL_VARIANT, since } },
  ];
});

export const listCopilotEvents = (version: string): Readonly<Record<string, EventRule>> =>
  Object.fromEntries(
    namedEvents
      .filter(({ rule: { since = '0' } }) => isAtLeast(version, since))
      .map(({ name, matchersSince, rule }) => {
        const { subject: _unread, ...withoutSubject } = rule;
        return [name, isAtLeast(version, matchersSince) ? rule : withoutSubject];
      }),
  );

export const isCopilotEvent = (event: string): boolean => namedEvents.some(({ name }) => name === event);

const camelNames = new Map(
  Object.entries(eventsByCamelName).flatMap(([camel, { pascal }]) =>
    pascal === undefined ? [] : [[pascal, camel] as const],
  ),
);

export const toCamelName = (event: string): string => camelNames.get(event) ?? event;
