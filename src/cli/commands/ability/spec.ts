/** The command line of `ability list`, `ability run` and `ability hooks`: arguments, flags, examples and exit codes. */
import { defineSpec } from '../../arguments/spec.ts';
import { abilityArgument, callFlags, inputFlag, operationFlag, trustFlag } from '../../tooling/call-flags.ts';

export const abilityListSpec = defineSpec({
  name: 'ability list',
  summary: 'list the abilities of the project, and which may be used',
  description: [
    'Abilities are declared in .system/abilities, one file each. Abilities that are not approved are listed, but cannot be used.',
  ],
  flags: trustFlag,
  examples: {
    'hookwright ability list': 'all of them, with their state',
    'hookwright ability list --json': 'as JSON, with the input of each',
  },
  exit: { ok: 'they were listed', findings: 'a declaration cannot be used' },
});

export const abilityRunSpec = defineSpec({
  name: 'ability run',
  summary: 'run an ability at once, without a task; its guards run first',
  arguments: [abilityArgument],
  flags: { ...inputFlag, ...operationFlag, ...callFlags },
  examples: {
    'hookwright ability run run_tests --input \'{"service": "billing"}\'': 'runs the guards, then the ability',
  },
  exit: { ok: 'it ran and succeeded', findings: 'it was refused, failed, or a check is not approved' },
});

export const abilityHooksSpec = defineSpec({
  name: 'ability hooks',
  summary: 'list the ability hooks of the project, with their matchers',
  examples: {
    'hookwright ability hooks': 'all that are declared in .system/hooks',
    'hookwright ability hooks --json': 'as JSON; hookwright list shows the problems in them',
  },
  exit: { ok: 'they were listed', findings: 'a declaration cannot be used' },
});
