import { defineSpec } from '../../arguments/spec.ts';
import { trustFlag } from '../../tooling/call-flags.ts';

export const abilityListSpec = defineSpec({
  name: 'ability list',
  summary: 'list the abilities of the project, and which may be used',
  description: [
    'Abilities are declared in .system/abilities, one file each. Abilities that are not approved are listed, but cannot be used.',
  ],
  flags: trustFlag,
  examples: [
    { command: 'hookwright ability list', does: 'all of them, with their state' },
    { command: 'hookwright ability list --json', does: 'as JSON, with the input of each' },
  ],
  exit: { ok: 'they were listed', findings: 'a declaration cannot be used' },
});
