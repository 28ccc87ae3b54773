import { defineSpec } from '../../arguments/spec.ts';

export const abilityHooksSpec = defineSpec({
  name: 'ability hooks',
  summary: 'the ability hooks of the project, and what each of them matches',
  examples: [
    { command: 'hookwright ability hooks', does: 'all that are declared in .system/hooks' },
    { command: 'hookwright ability hooks --json', does: 'as data; hookwright list has what is wrong with them' },
  ],
  exit: { ok: 'they were listed', findings: 'a declaration cannot be used' },
});
