import { defineSpec } from '../../arguments/spec.ts';
import { trustFlag } from '../../tooling/call-flags.ts';

export const abilityListSpec = defineSpec({
  name: 'ability list',
  summary: 'the abilities of the project, and whether they may be used',
  description: [
    'Abilities are declared in .system/abilities, one file each. Those that are not approved are listed, but may not be used.',
  ],
  flags: trustFlag,
  examples: [
    { command: 'hookwright ability list', does: 'what there is' },
    { command: 'hookwright ability list --json', does: 'with what each of them takes' },
  ],
  exit: { ok: 'they were listed', findings: 'a declaration cannot be used' },
});
