import { objectOf } from '../../answers/documents.ts';
import { writeClaudeLike } from '../../hosting/claude-like.ts';
import { type HostRule, namedEvent } from '../../hosting/host-rule.ts';
import { readShared } from '../../hosting/read.ts';

export const claudeHost: HostRule = {
  knownBy: {
    signs: [['hook_event_name']],
    never: ['timestamp', 'turn_id', 'cursor_version', 'conversation_id'],
    variable: 'CLAUDECODE',
  },
  eventOf: namedEvent,
  read: readShared,
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
