import { dialectChoices } from '../../agents/flags.ts';
import { defineSpec } from '../../arguments/spec.ts';
import { dryRunFlag } from '../../settings-edit/flags.ts';

export const importSpec = defineSpec({
  name: 'import',
  summary: 'convert the hooks of another agent, and see what cannot be converted',
  description: [
    'Reads the hooks that another agent has here and in your home directory, and writes them for hookwright or for a third agent. Events, units, matchers and tool names are converted; scripts stay as they are. What cannot be converted is listed line by line. Take it back with hookwright undo.',
  ],
  flags: {
    from: { kind: 'text', value: 'agent', summary: 'whose hooks', choices: dialectChoices },
    to: {
      kind: 'text',
      value: 'agent',
      summary: 'for which agent; default: hookwright',
      choices: ['hookwright', ...dialectChoices],
    },
    version: {
      kind: 'text',
      value: 'number',
      summary: 'the version of the agent whose rules apply; default: the newest known',
    },
    ...dryRunFlag,
  },
  examples: [
    {
      command: 'hookwright import --from claude-code --dry-run',
      does: 'what would be written, and what would be lost',
    },
    { command: 'hookwright import --from claude-code', does: 'into .hookwright/settings.json' },
    { command: 'hookwright import --from claude-code --to cursor', does: 'into .cursor/hooks.json' },
  ],
  exit: {
    ok: 'all hooks were converted, or there were none',
    findings: 'some could not be converted, or a file could not be written',
  },
});
