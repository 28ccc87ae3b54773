import type { EventRule } from '../../dialect.ts';
import type { MatcherRule } from '../../matcher.ts';
import { isAtLeast } from '../../version.ts';

const everything = ['', '*'] as const;

/** Names with commas since 2.1.191, with hyphens since 2.1.195; what has other characters is a pattern. */
export const claudeMatcher = (version: string): MatcherRule => {
  const hasHyphens = isAtLeast(version, '2.1.195');
  const hasCommas = isAtLeast(version, '2.1.191');
  return {
    everything,
    names: hasHyphens ? /^[\w\- ,|]+$/ : hasCommas ? /^[\w ,|]+$/ : /^[\w|]+$/,
    separators: hasCommas ? /[|,]/ : /\|/,
    trimsNames: true,
    otherwise: 'anywhere',
    invalid: 'never',
  };
};

const narrow: MatcherRule = {
  everything,
  names: /^[\w|]+$/,
  separators: /\|/,
  otherwise: 'anywhere',
  invalid: 'never',
};

const tool = (more: Partial<EventRule> = {}): EventRule => ({ subject: 'tool_name', blocks: true, ...more });
const side = (more: Partial<EventRule> = {}): EventRule => ({ blocks: false, ...more });

const all: Readonly<Record<string, EventRule>> = {
  PreToolUse: tool({ moment: 'BeforeTool' }),
  PostToolUse: tool({ moment: 'AfterTool', keepsResult: true }),
  UserPromptSubmit: { moment: 'BeforeAgent', blocks: true, timeoutMs: 30_000, since: '1.0.54' },
  Stop: { moment: 'AfterAgent', blocks: true },
  SessionStart: side({ moment: 'SessionStart', subject: 'source', since: '1.0.62' }),
  SessionEnd: side({ moment: 'SessionEnd', subject: 'reason', timeoutMs: 1_500, since: '1.0.85' }),
  PreCompact: { moment: 'PreCompress', subject: 'trigger', blocks: true, since: '1.0.48' },
  Notification: side({ moment: 'Notification', subject: 'notification_type' }),
  PermissionRequest: tool({ moment: 'PermissionRequest', since: '2.0.45' }),
  PostToolUseFailure: tool({ moment: 'AfterToolFailure', blocks: false }),
  SubagentStart: side({ moment: 'SubagentStart', subject: 'agent_type', since: '2.0.42' }),
  SubagentStop: { moment: 'SubagentStop', subject: 'agent_type', blocks: true, since: '1.0.41' },
  Setup: side({ subject: 'trigger', since: '2.1.10' }),
  UserPromptExpansion: { subject: 'command_name', blocks: true },
  PermissionDenied: tool({ blocks: false, since: '2.1.89' }),
  PostToolBatch: { blocks: true },
  StopFailure: side({ subject: 'error', matcher: narrow, since: '2.1.78' }),
  MessageDisplay: side({ timeoutMs: 10_000, since: '2.1.152' }),
  TaskCreated: { blocks: true, since: '2.1.84' },
  TaskCompleted: { blocks: true, since: '2.1.33' },
  TeammateIdle: { blocks: true, since: '2.1.33' },
  PostCompact: side({ subject: 'trigger', since: '2.1.76' }),
  InstructionsLoaded: side({ subject: 'load_reason', since: '2.1.69' }),
  ConfigChange: { subject: 'source', blocks: true, since: '2.1.49' },
  CwdChanged: side({ since: '2.1.83' }),
  DirectoryAdded: side({ subject: 'source', since: '2.1.219' }),
  FileChanged: side({ subject: 'file_path', matcher: narrow, since: '2.1.83' }),
  WorktreeCreate: { blocks: true, since: '2.1.50' },
  WorktreeRemove: side({ since: '2.1.50' }),
  Elicitation: { subject: 'mcp_server_name', blocks: true, since: '2.1.76' },
  ElicitationResult: { subject: 'mcp_server_name', blocks: true, since: '2.1.76' },
  PreModelSwitch: { blocks: true, timeoutMs: 30_000, since: '2.1.251' },
  PostModelSwitch: side({ timeoutMs: 30_000, since: '2.1.251' }),
};

export const claudeEvents = (version: string): Readonly<Record<string, EventRule>> => {
  const known = Object.entries(all).filter(([, { since }]) => since === undefined || isAtLeast(version, since));
  const events: Record<string, EventRule> = Object.fromEntries(known);
  const { PreCompact: compact, Notification: notification } = events;
  if (compact !== undefined && !isAtLeast(version, '2.1.105')) events.PreCompact = { ...compact, blocks: false };
  if (notification !== undefined && !isAtLeast(version, '2.0.37')) {
    const { subject: _unread, ...without } = notification;
    events.Notification = without;
  }
  return events;
};
