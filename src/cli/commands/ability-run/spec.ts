import { defineSpec } from '../../arguments/spec.ts';
import { abilityArgument, callFlags, inputFlag, operationFlag } from '../../tooling/call-flags.ts';

export const abilityRunSpec = defineSpec({
  name: 'ability run',
  summary: 'run an ability at once, without a task; its guards run first',
  arguments: [abilityArgument],
  flags: { ...inputFlag, ...operationFlag, ...callFlags },
  examples: [
    {
      command: `hookwright ability run run_tests --input '{"service": "billing"}'`,
      does: 'runs the guards, then the ability',
    },
  ],
  exit: { ok: 'it ran and succeeded', findings: 'it was refused, failed, or a check is not approved' },
});
