import { agentScopeFlag, dialectChoices } from '../../agents/agent-flags.ts';
import { defineSpec } from '../../arguments/spec.ts';
import { dryRunFlag } from '../../settings-edit/settings-files.ts';

export const installSpec = defineSpec({
  name: 'install',
  summary: 'connect another agent to hookwright: adds a line for each event to its settings',
  description: [
    'From then on that agent runs the hooks that are configured for hookwright, and gets answers in its own format. Events for model requests, which are frequent, are left out unless you name them. The change is shown, and the line is started once, without running a hook; undo takes the change back byte for byte, and uninstall removes the lines.',
  ],
  flags: {
    into: { kind: 'text', value: 'agent', summary: 'whose settings', choices: dialectChoices },
    event: {
      kind: 'list',
      formerly: 'events',
      value: 'name',
      summary: 'only these events, by the agent’s names or by hookwright’s',
      complete: 'events',
    },
    ...agentScopeFlag,
    program: {
      kind: 'text',
      value: 'command',
      summary: 'how the agent starts hookwright; default: what starts whatever its PATH is',
    },
    ...dryRunFlag,
  },
  examples: [
    { command: 'hookwright install --into claude-code --dry-run', does: 'what would be written' },
    { command: 'hookwright install --into cursor', does: 'Cursor runs these hooks' },
    {
      command: 'hookwright install --into codex --scope user --event PreToolUse',
      does: 'only before a tool, in all projects',
    },
  ],
  exit: { ok: 'the lines are there and start', findings: 'the file could not be written, or the line does not start' },
});
