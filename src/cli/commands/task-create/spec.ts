import { defineSpec } from '../../arguments/spec.ts';
import { abilityArgument, callFlags, inputFlag, operationFlag } from '../../tooling/call-flags.ts';

export const taskCreateSpec = defineSpec({
  name: 'task create',
  summary: 'check whether an ability may be used, and create a task for it without running it',
  description: [
    'The hooks of the project run as they do for an AI (PreAbilityCreate). The task is a file in .system/tasks. The caller is manual_cli, or ci_pipeline in a pipeline.',
  ],
  arguments: [abilityArgument],
  flags: { ...inputFlag, ...operationFlag, ...callFlags },
  examples: [
    {
      command: `hookwright task create deploy_service --input '{"service": "billing"}'`,
      does: 'prints the key of the task',
    },
    {
      command: 'hookwright task create edit --operation --input @edit.json',
      does: 'by operation, with the input in a file',
    },
  ],
  exit: { ok: 'the task was created', findings: 'it was refused, or a check is not approved' },
});
