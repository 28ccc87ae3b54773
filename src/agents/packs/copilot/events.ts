// Events of GitHub Copilot, in camelCase and PascalCase, and how their matchers are read.
import type { MatcherRule } from '../../agent-matcher.ts';
import { isAtLeast } from '../../agent-version.ts';
import type { EventRule } from '../../rule-types.ts';

/** Matchers of camelCase events are patterns for the whole name. */
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

interface EventNames {
  readonly camel: string;
  readonly pascal?: string;
  readonly matchersSince?: string;
}

const eventRules: readonly (readonly [EventNames, EventRule])[] = [
  [
    { camel: 'preToolUse', pascal: 'PreToolUse', matchersSince: '1.0.36' },
    { moment: 'BeforeTool', subject: 'tool', blocks: true },
  ],
  [
    { camel: 'postToolUse', pascal: 'PostToolUse', matchersSince: '1.0.63' },
    { moment: 'AfterTool', subject: 'tool', blocks: false, keepsResult: true },
  ],
  [
    { camel: 'postToolUseFailure', pascal: 'PostToolUseFailure' },
    { moment: 'AfterToolFailure', blocks: false, since: '1.0.15' },
  ],
  [
    { camel: 'permissionRequest', pascal: 'PermissionRequest' },
    { moment: 'PermissionRequest', subject: 'tool', blocks: true, since: '1.0.16' },
  ],
  [
    { camel: 'userPromptSubmitted', pascal: 'UserPromptSubmit' },
    { moment: 'BeforeAgent', blocks: false },
  ],
  [
    { camel: 'agentStop', pascal: 'Stop' },
    { moment: 'AfterAgent', blocks: true },
  ],
  [
    { camel: 'sessionStart', pascal: 'SessionStart' },
    { moment: 'SessionStart', blocks: false },
  ],
  [
    { camel: 'sessionEnd', pascal: 'SessionEnd' },
    { moment: 'SessionEnd', blocks: false },
  ],
  [
    { camel: 'preCompact', pascal: 'PreCompact' },
    { moment: 'PreCompress', subject: 'trigger', blocks: false, since: '1.0.5' },
  ],
  [{ camel: 'notification' }, { moment: 'Notification', subject: 'notification_type', blocks: false, since: '1.0.18' }],
  [{ camel: 'subagentStart' }, { moment: 'SubagentStart', subject: 'agentName', blocks: false, since: '1.0.7' }],
  [
    { camel: 'subagentStop', pascal: 'SubagentStop' },
    { moment: 'SubagentStop', blocks: true },
  ],
  [{ camel: 'userPromptTransformed' }, { blocks: false }],
  [{ camel: 'errorOccurred', pascal: 'ErrorOccurred' }, { blocks: false }],
];

export const PASCAL = 'PascalCase';

const PASCAL_SINCE = '1.0.6';

const pickLaterVersion = (one: string, other = '0'): string => (isAtLeast(one, other) ? one : other);

const dropUnreadMatcher = (rule: EventRule, { matchersSince = '0' }: EventNames, version: string): EventRule => {
  const { subject: _unread, ...without } = rule;
  return isAtLeast(version, matchersSince) ? rule : without;
};

const allCopilotEvents: readonly (readonly [string, EventNames, EventRule])[] = eventRules.flatMap(([names, rule]) => {
  const { camel: name, pascal: other } = names;
  const inCamel = [name, names, { ...rule, matcher: camelMatcher }] as const;
  if (other === undefined) return [inCamel];
  const since = pickLaterVersion(PASCAL_SINCE, rule.since);
  return [inCamel, [other, names, { ...rule, matcher: pascalMatcher, variant: PASCAL, since }] as const];
});

export const listCopilotEvents = (version: string): Readonly<Record<string, EventRule>> =>
  Object.fromEntries(
    allCopilotEvents.flatMap(([name, names, rule]) =>
      rule.since === undefined || isAtLeast(version, rule.since)
        ? [[name, dropUnreadMatcher(rule, names, version)]]
        : [],
    ),
  );

export const isCopilotEvent = (name: string): boolean => allCopilotEvents.some(([one]) => one === name);

const camelNames = new Map(
  eventRules.flatMap(([{ camel: name, pascal: other }]) => (other === undefined ? [] : [[other, name] as const])),
);

export const toCamelName = (event: string): string => camelNames.get(event) ?? event;
