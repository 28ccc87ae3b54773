// Events of Claude Code, and how their matchers are read.
import { withAgentEvents } from '../../agent-events.ts';
import type { MatcherRule } from '../../agent-matcher.ts';
import { isAtLeast } from '../../agent-version.ts';
import { objectOf } from '../../answers/answer.ts';
import { writeClaudeLike } from '../../hosting/claude-like.ts';
import { type HostRule, namedEvent, readSharedMembers } from '../../hosting/host-rule.ts';
import type { EventRule } from '../../rule-types.ts';

const everything = ['', '*'] as const;

/** Lists of names may have commas since 2.1.191 and hyphens since 2.1.195; any other character makes a pattern. */
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
  UserPromptSubmit: { moment: 'BeforeAgent', blocks: true, timeoutMs: 30_000 },
  Stop: { moment: 'AfterAgent', blocks: true },
  SessionStart: side({ moment: 'SessionStart', subject: 'source' }),
  SessionEnd: side({ moment: 'SessionEnd', subject: 'reason', timeoutMs: 1_500 }),
  PreCompact: { moment: 'PreCompress', subject: 'trigger', blocks: true },
  Notification: side({ moment: 'Notification', subject: 'notification_type' }),
  PermissionRequest: tool({ moment: 'PermissionRequest' }),
  PostToolUseFailure: tool({ moment: 'AfterToolFailure', blocks: false }),
  SubagentStart: side({ moment: 'SubagentStart', subject: 'agent_type' }),
  SubagentStop: { moment: 'SubagentStop', subject: 'agent_type', blocks: true },
  Setup: side({ subject: 'trigger' }),
  UserPromptExpansion: { subject: 'command_name', blocks: true },
  PermissionDenied: tool({ blocks: false, since: '2.1.89' }),
  PostToolBatch: { blocks: true },
  StopFailure: side({ subject: 'error', matcher: narrow, since: '2.1.78' }),
  MessageDisplay: side({ timeoutMs: 10_000, since: '2.1.152' }),
  TaskCreated: { blocks: true, since: '2.1.84' },
  TaskCompleted: { blocks: true },
  TeammateIdle: { blocks: true },
  PostCompact: side({ subject: 'trigger', since: '2.1.76' }),
  InstructionsLoaded: side({ subject: 'load_reason', since: '2.1.69' }),
  ConfigChange: { subject: 'source', blocks: true },
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
  const events: Record<string, EventRule> = { ...withAgentEvents(Object.fromEntries(known)) };
  const { PreCompact: compact } = events;
  if (compact !== undefined && !isAtLeast(version, '2.1.105')) events.PreCompact = { ...compact, blocks: false };
  return events;
};

export const claudeHost: HostRule = {
  knownBy: {
    signs: [['hook_event_name']],
    never: ['timestamp', 'turn_id', 'cursor_version', 'conversation_id'],
    variable: 'CLAUDECODE',
  },
  eventOf: namedEvent,
  read: readSharedMembers,
  write: writeClaudeLike({
    title: 'Claude Code',
    contexts: [
      'PreToolUse',
      'PostToolUse',
      'PostToolUseFailure',
      'PostToolBatch',
      'UserPromptSubmit',
      'UserPromptExpansion',
      'SessionStart',
      'SubagentStart',
      'Setup',
    ],
    passes: {
      CwdChanged: ['watchPaths'],
      FileChanged: ['watchPaths'],
      Elicitation: ['action', 'content'],
      ElicitationResult: ['action', 'content'],
      PermissionDenied: ['retry'],
    },
    onlyAsJson: ['PermissionRequest'],
    permissions: { allow: ['updatedPermissions'], deny: ['interrupt'] },
    asks: true,
    allows: true,
  }),
  replaceResult: (updated, { tool_response: given }) => {
    const shell = objectOf(given);
    const isShell = typeof updated === 'string' && typeof shell?.stdout === 'string';
    const updatedToolOutput = isShell ? { ...shell, stdout: updated, stderr: '' } : updated;
    return { hookSpecificOutput: { hookEventName: 'PostToolUse', updatedToolOutput } };
  },
  mayHave: [
    'prompt_id',
    'permission_mode',
    'effort',
    'agent_id',
    'agent_type',
    'duration_ms',
    'model',
    'title',
    'session_title',
    'permission_suggestions',
    'is_interrupt',
    'background_tasks',
    'session_crons',
  ],
};
