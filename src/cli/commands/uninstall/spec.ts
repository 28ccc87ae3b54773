import { dialectChoices } from '../../agents/flags.ts';
import { defineSpec } from '../../arguments/spec.ts';
import { dryRunFlag } from '../../settings-edit/flags.ts';

export const uninstallSpec = defineSpec({
  name: 'uninstall',
  summary: 'remove the lines that install wrote into the settings of another agent',
  description: ['All other hooks of that file stay as they are.'],
  flags: {
    from: { kind: 'text', value: 'agent', summary: 'whose settings', choices: dialectChoices },
    user: { kind: 'switch', summary: 'from the settings in your home directory' },
    ...dryRunFlag,
  },
  examples: [{ command: 'hookwright uninstall --from cursor', does: 'Cursor asks our hooks no longer' }],
  exit: { ok: 'no line of ours is left', findings: 'the file could not be written' },
});
