import { dialectChoices } from '../../agents/flags.ts';
import { defineSpec } from '../../arguments/spec.ts';
import { dryRunFlag } from '../../settings-edit/flags.ts';

export const importSpec = defineSpec({
  name: 'import',
  summary: 'convert the hooks of another agent, and see what cannot be converted',
  description: [
    'Reads the hooks that another agent has here and in your home directory, and writes them as hookwright’s own or as those of a third agent: events, units, matchers and names of tools change, scripts stay as they are. What cannot be expressed there is listed, line by line. hookwright undo takes it back.',
  ],
  flags: {
    from: { kind: 'text', value: 'agent', summary: 'whose hooks', choices: dialectChoices },
    to: {
      kind: 'text',
      value: 'agent',
      summary: 'for which agent; hookwright when left out',
      choices: ['hookwright', ...dialectChoices],
    },
    version: {
      kind: 'text',
      value: 'number',
      summary: 'the version of the agent whose rules count; the newest known when left out',
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
    ok: 'all hooks were converted, or there were none left',
    findings: 'some could not be converted, or a file could not be written',
  },
});
