/** The command line of `install`: arguments, flags, examples and exit codes. */
import { agentNameChoices, agentScopeFlag } from '../../agents/agent-flags.ts';
import { filterFlags } from '../../arguments/flags.ts';
import { defineSpec } from '../../arguments/spec.ts';
import { dryRunFlag } from '../../settings-edit/settings-files.ts';

export const installSpec = defineSpec({
  name: 'install',
  summary: 'connect another agent to hookwright: adds a line for each event to its settings',
  description: [
    'The agent then runs the hooks of hookwright, and gets answers in its own format. Events for model requests, which are frequent, are left out unless you name them. The change is shown, and the line is started once, without running a hook. hookwright undo restores the file byte for byte; uninstall removes only the lines.',
  ],
  flags: {
    into: { kind: 'text', value: 'agent', summary: 'the agent to connect', choices: agentNameChoices },
    event: {
      ...filterFlags.event,
      summary: 'only these events, under the agent’s names or hookwright’s; lines for other events stay',
    },
    ...agentScopeFlag,
    program: {
      kind: 'text',
      value: 'command',
      summary: 'the command that starts hookwright; default: one that works with any PATH',
    },
    ...dryRunFlag,
  },
  examples: {
    'hookwright install --into claude-code --dry-run': 'show the changes, and write nothing',
    'hookwright install --into cursor': 'Cursor runs these hooks',
    'hookwright install --into codex --scope user --event PreToolUse': 'only before a tool, in all projects',
  },
  exit: { ok: 'the lines are there and start', findings: 'the file could not be written, or the line does not start' },
});
