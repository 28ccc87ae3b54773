import type { EventRule } from '../../dialect.ts';
import type { MatcherRule } from '../../matcher.ts';

/** Events in camelCase: a pattern for the whole runtime name. */
export const camel: MatcherRule = { everything: [], otherwise: 'whole', invalid: 'left-out' };

/** Events in PascalCase: Claude's names, as a list or as a pattern for the whole. */
const pascal: MatcherRule = {
  everything: ['', '*', '**'],
  names: /^[\w|-]+$/,
  separators: /\|/,
  otherwise: 'whole',
  invalid: 'left-out',
};

interface Names {
  readonly camel: string;
  readonly pascal?: string;
}

const rules: readonly (readonly [Names, EventRule])[] = [
  [
    { camel: 'preToolUse', pascal: 'PreToolUse' },
    { moment: 'BeforeTool', subject: 'tool', blocks: true },
  ],
  [
    { camel: 'postToolUse', pascal: 'PostToolUse' },
    { moment: 'AfterTool', subject: 'tool', blocks: false },
  ],
  [
    { camel: 'postToolUseFailure', pascal: 'PostToolUseFailure' },
    { moment: 'AfterToolFailure', blocks: false },
  ],
  [
    { camel: 'permissionRequest', pascal: 'PermissionRequest' },
    { moment: 'PermissionRequest', subject: 'tool', blocks: true },
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
    { moment: 'PreCompress', subject: 'trigger', blocks: false },
  ],
  [{ camel: 'notification' }, { moment: 'Notification', subject: 'notification_type', blocks: false }],
  [{ camel: 'subagentStart' }, { moment: 'SubagentStart', subject: 'agentName', blocks: false }],
  [
    { camel: 'subagentStop', pascal: 'SubagentStop' },
    { moment: 'SubagentStop', blocks: true },
  ],
  [{ camel: 'userPromptTransformed' }, { blocks: false }],
  [{ camel: 'errorOccurred', pascal: 'ErrorOccurred' }, { blocks: false }],
];

export const PASCAL = 'PascalCase';

export const events: Readonly<Record<string, EventRule>> = Object.fromEntries(
  rules.flatMap(([names, rule]) => [
    [names.camel, { ...rule, matcher: camel }],
    ...(names.pascal === undefined ? [] : [[names.pascal, { ...rule, matcher: pascal, variant: PASCAL }]]),
  ]),
);

const toCamel = new Map(
  rules.flatMap(([{ camel: name, pascal: other }]) => (other === undefined ? [] : [[other, name] as const])),
);

export const plainName = (event: string): string => toCamel.get(event) ?? event;
