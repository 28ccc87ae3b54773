import type { EventRule } from '../../dialect.ts';

const pascal: Readonly<Record<string, EventRule>> = {
  PreToolUse: { moment: 'BeforeTool', blocks: true },
  PostToolUse: { moment: 'AfterTool', blocks: true },
  UserPromptSubmit: { moment: 'BeforeAgent', blocks: true },
  Stop: { moment: 'AfterAgent', blocks: true },
  SessionStart: { moment: 'SessionStart', blocks: false },
  PreCompact: { moment: 'PreCompress', blocks: false },
  SubagentStart: { moment: 'SubagentStart', blocks: false },
  SubagentStop: { moment: 'SubagentStop', blocks: true },
};

/** Names as Copilot writes them become these. */
const camel: Readonly<Record<string, string>> = {
  preToolUse: 'PreToolUse',
  postToolUse: 'PostToolUse',
  userPromptSubmitted: 'UserPromptSubmit',
  agentStop: 'Stop',
  sessionStart: 'SessionStart',
  preCompact: 'PreCompact',
  subagentStart: 'SubagentStart',
  subagentStop: 'SubagentStop',
};

export const nameOf = (event: string): string => camel[event] ?? event;

export const events: Readonly<Record<string, EventRule>> = {
  ...pascal,
  ...Object.fromEntries(
    Object.entries(camel).map(([name, other]) => [name, { ...pascal[other], blocks: pascal[other]?.blocks === true }]),
  ),
};
