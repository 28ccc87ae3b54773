import { objectOf } from '../../answers/documents.ts';
import { writeClaudeLike } from '../../hosting/claude-like.ts';
import { type HostRule, namedEvent } from '../../hosting/host-rule.ts';
import { readShared } from '../../hosting/read.ts';

export const codexHost: HostRule = {
  knownBy: {
    signs: [
      ['hook_event_name', 'turn_id'],
      ['hook_event_name', 'model', 'permission_mode'],
    ],
    never: ['timestamp', 'cursor_version', 'conversation_id'],
  },
  eventOf: namedEvent,
  read: (document, spot) => {
    const described = objectOf(document.tool_input)?.description;
    const reason = document.reason ?? (document.hook_event_name === 'PermissionRequest' ? described : undefined);
    return readShared({ ...document, reason }, spot);
  },
  write: writeClaudeLike({
    title: 'Codex',
    contexts: ['PreToolUse', 'PostToolUse', 'UserPromptSubmit', 'SessionStart', 'SubagentStart'],
    refusesByStopping: ['SessionStart', 'PreCompact'],
    asks: false,
    allows: false,
    neverStops: ['PreToolUse', 'PermissionRequest'],
  }),
  mayHave: ['agent_id', 'agent_type', 'description', 'turn_id', 'permission_mode', 'model', 'trigger'],
};
