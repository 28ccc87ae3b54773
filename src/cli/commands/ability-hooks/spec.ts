import { defineSpec } from '../../arguments/spec.ts';

export const abilityHooksSpec = defineSpec({
  name: 'ability hooks',
  summary: 'list the ability hooks of the project, with their matchers',
  examples: [
    { command: 'hookwright ability hooks', does: 'all that are declared in .system/hooks' },
    { command: 'hookwright ability hooks --json', does: 'as JSON; hookwright list shows the problems in them' },
  ],
  exit: { ok: 'they were listed', findings: 'a declaration cannot be used' },
});
