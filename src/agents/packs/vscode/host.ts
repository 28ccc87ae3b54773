import { writeClaudeLike } from '../../hosting/claude-like.ts';
import { type HostRule, namedEvent } from '../../hosting/host-rule.ts';
import { readShared } from '../../hosting/read.ts';
import { nameOf } from './events.ts';

export const vscodeHost: HostRule = {
  // Others that send the same set a variable of theirs.
  knownBy: {
    signs: [
      ['hook_event_name', 'timestamp', 'session_id', 'cwd'],
      ['hook_event_name', 'timestamp'],
    ],
  },
  eventOf: namedEvent,
  read: readShared,
  write: writeClaudeLike({
    title: 'VS Code',
    contexts: ['PreToolUse', 'PostToolUse', 'UserPromptSubmit', 'SessionStart', 'SubagentStart'],
    asks: true,
    allows: true,
    blocksInside: ['Stop', 'SubagentStop'],
    neverStops: [],
    nameOf,
  }),
};
