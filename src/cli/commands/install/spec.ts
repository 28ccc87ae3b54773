import { dialectChoices } from '../../agents/flags.ts';
import { defineSpec } from '../../arguments/spec.ts';
import { dryRunFlag } from '../../settings-edit/flags.ts';

export const installSpec = defineSpec({
  name: 'install',
  summary: 'put hookwright behind another agent: its settings get a line for each event',
  description: [
    'From then on that agent asks the hooks that are configured for hookwright, and is answered in its own words. Events about requests to the model come many times in a turn and are left out unless they are named. The change is shown; undo takes it back byte for byte, and uninstall removes the lines.',
  ],
  flags: {
    into: { kind: 'text', value: 'agent', summary: 'whose settings', choices: dialectChoices },
    events: {
      kind: 'list',
      value: 'name',
      summary: 'only these events, by the agent’s names or by ours',
      complete: 'events',
    },
    user: { kind: 'switch', summary: 'into the settings in your home directory, for all projects' },
    program: {
      kind: 'text',
      value: 'command',
      summary: 'how the agent starts hookwright; hookwright itself when left out',
    },
    ...dryRunFlag,
  },
  examples: [
    { command: 'hookwright install --into claude-code --dry-run', does: 'what would be written' },
    { command: 'hookwright install --into cursor', does: 'Cursor asks the hooks from here' },
    {
      command: 'hookwright install --into codex --user --events PreToolUse',
      does: 'only before a tool, in all projects',
    },
  ],
  exit: { ok: 'the lines are there', findings: 'the file could not be written' },
});
