import { dialectChoices } from '../../agents/agent-flags.ts';
import { defineSpec } from '../../arguments/spec.ts';
import { dryRunFlag } from '../../settings-edit/settings-files.ts';

export const importSpec = defineSpec({
  name: 'import',
  summary: 'bring the hooks of another agent into your settings, and see what is lost',
  description: [
    'Reads the hooks that another agent has here and in your home directory, and writes them into your settings. They stay hooks of that agent ("agent" names it): scripts read, find and answer what they did there. With --to they are converted for a third agent. What cannot be kept is listed line by line. Take it back with hookwright undo.',
  ],
  flags: {
    from: { kind: 'text', value: 'agent', summary: 'whose hooks', choices: dialectChoices },
    to: {
      kind: 'text',
      value: 'agent',
      summary: 'for which agent; default: hookwright',
      choices: ['hookwright', ...dialectChoices],
    },
    'agent-version': {
      kind: 'text',
      formerly: 'version',
      value: 'number',
      summary: 'the version of the agent whose rules apply; default: the newest known',
    },
    rewrite: {
      kind: 'switch',
      summary: 'make hooks of hookwright of them; lists what each script reads and prints that changes by it',
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
    ok: 'all hooks were brought as they are, or there were none',
    findings: 'something could not be kept, or a file could not be written',
  },
});
