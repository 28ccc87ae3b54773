import { writeClaudeLike } from '../../hosting/claude-like.ts';
import { type HostRule, namedEvent } from '../../hosting/host-rule.ts';
import { readShared } from '../../hosting/read.ts';

export const qwenHost: HostRule = {
  knownBy: { signs: [['hook_event_name', 'timestamp', 'transcript_path']], variable: 'QWEN_CODE_CLI' },
  eventOf: namedEvent,
  read: readShared,
  write: writeClaudeLike({
    title: 'Qwen Code',
    contexts: [
      'PreToolUse',
      'PostToolUse',
      'PostToolUseFailure',
      'UserPromptSubmit',
      'SessionStart',
      'SubagentStart',
      'Stop',
    ],
    permissions: { deny: ['interrupt'] },
    asks: true,
    allows: true,
  }),
  mayHave: ['permission_mode', 'agent_id', 'agent_type', 'model', 'is_interrupt', 'title', 'permission_suggestions'],
};
