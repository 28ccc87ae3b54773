// Events of Claude Code, and how their matchers are read.
import { keepAgentEventNames } from '../../agent-events.ts';
import type { MatcherRule } from '../../agent-matcher.ts';
import { isAtLeast } from '../../agent-version.ts';
import { readObject } from '../../answers/answer.ts';
import { createClaudeLikeWriter } from '../../hosting/claude-like.ts';
import { type HostRule, readEventName, readSharedPayload } from '../../hosting/host-rule.ts';
import type { EventRule } from '../../rule-types.ts';
import { pickEventsOfVersion } from '../shared.ts';

const everythingMatchers = ['', '*'] as const;

/** Lists of names may contain commas since 2.1.191 and hyphens since 2.1.195; any other character makes a pattern. */
export const createClaudeMatcher = (version: string): MatcherRule => {
  const hasHyphens = isAtLeast(version, '2.1.195');
  const hasCommas = isAtLeast(version, '2.1.191');
  return {
    everything: everythingMatchers,
    names: hasHyphens ? /^[\w\- ,|]+$/ : hasCommas ? /^[\w ,|]+$/ : /^[\w|]+$/,
    separators: hasCommas ? /[|,]/ : /\|/,
    trimsNames: true,
    otherwise: 'anywhere',
    invalid: 'never',
  };
};

const strictNamesMatcher: MatcherRule = {
  everything: everythingMatchers,
  names: /^[\w|]+$/,
  separators: /\|/,
  otherwise: 'anywhere',
  invalid: 'never',
};

const createToolEvent = (more: Partial<EventRule> = {}): EventRule => ({ subject: 'tool_name', blocks: true, ...more });
const createNonBlockingEvent = (more: Partial<EventRule> = {}): EventRule => ({ blocks: false, ...more });

const allClaudeEvents: Readonly<Record<string, EventRule>> = {
  PreToolUse: createToolEvent({ moment: 'BeforeTool' }),
  PostToolUse: createToolEvent({ moment: 'AfterTool', keepsResult: true }),
  UserPromptSubmit: { moment: 'BeforeAgent', blocks: true, timeoutMs: 30_000 },
  Stop: { moment: 'AfterAgent', blocks: true },
  SessionStart: createNonBlockingEvent({ moment: 'SessionStart', subject: 'source' }),
  SessionEnd: createNonBlockingEvent({ moment: 'SessionEnd', subject: 'reason', timeoutMs: 1_500 }),
  PreCompact: { moment: 'PreCompress', subject: 'trigger', blocks: true },
  Notification: createNonBlockingEvent({ moment: 'Notification', subject: 'notification_type' }),
  PermissionRequest: createToolEvent({ moment: 'PermissionRequest' }),
  PostToolUseFailure: createToolEvent({ moment: 'AfterToolFailure', blocks: false }),
  SubagentStart: createNonBlockingEvent({ moment: 'SubagentStart', subject: 'agent_type' }),
  SubagentStop: { moment: 'SubagentStop', subject: 'agent_type', blocks: true },
  Setup: createNonBlockingEvent({ subject: 'trigger' }),
  UserPromptExpansion: { subject: 'command_name', blocks: true },
  PermissionDenied: createToolEvent({ blocks: false, since: '2.1.89' }),
  PostToolBatch: { blocks: true },
  StopFailure: createNonBlockingEvent({ subject: 'error', matcher: strictNamesMatcher, since: '2.1.78' }),
  MessageDisplay: createNonBlockingEvent({ timeoutMs: 10_000, since: '2.1.152' }),
  TaskCreated: { blocks: true, since: '2.1.84' },
  TaskCompleted: { blocks: true },
  TeammateIdle: { blocks: true },
  PostCompact: createNonBlockingEvent({ subject: 'trigger', since: '2.1.76' }),
  InstructionsLoaded: createNonBlockingEvent({ subject: 'load_reason', since: '2.1.69' }),
  ConfigChange: { subject: 'source', blocks: true },
  CwdChanged: createNonBlockingEvent({ since: '2.1.83' }),
  DirectoryAdded: createNonBlockingEvent({ subject: 'source', since: '2.1.219' }),
  FileChanged: createNonBlockingEvent({ subject: 'file_path', matcher: strictNamesMatcher, since: '2.1.83' }),
  WorktreeCreate: { blocks: true, since: '2.1.50' },
  WorktreeRemove: createNonBlockingEvent({ since: '2.1.50' }),
  Elicitation: { subject: 'mcp_server_name', blocks: true, since: '2.1.76' },
  ElicitationResult: { subject: 'mcp_server_name', blocks: true, since: '2.1.76' },
  PreModelSwitch: { blocks: true, timeoutMs: 30_000, since: '2.1.251' },
  PostModelSwitch: createNonBlockingEvent({ timeoutMs: 30_000, since: '2.1.251' }),
};

export const listClaudeEvents = (version: string): Readonly<Record<string, EventRule>> => {
  const events: Record<string, EventRule> = { ...keepAgentEventNames(pickEventsOfVersion(allClaudeEvents, version)) };
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
  eventOf: readEventName,
  read: readSharedPayload,
  write: createClaudeLikeWriter({
    title: 'Claude Code',
    contextEvents: [
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
    specificMembersByEvent: {
      CwdChanged: ['watchPaths'],
      FileChanged: ['watchPaths'],
      Elicitation: ['action', 'content'],
      ElicitationResult: ['action', 'content'],
      PermissionDenied: ['retry'],
    },
    jsonOnlyEvents: ['PermissionRequest'],
    permissionMembers: { allow: ['updatedPermissions'], deny: ['interrupt'] },
    canAsk: true,
    takesPlainAllow: true,
  }),
  replaceResult: (updated, { tool_response: given }) => {
    const shell = readObject(given);
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
