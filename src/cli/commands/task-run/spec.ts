import { defineSpec } from '../../arguments/spec.ts';
import { callFlags } from '../../tooling/call-flags.ts';

export const taskRunSpec = defineSpec({
  name: 'task run',
  summary: 'run the guards, then a task',
  description: [
    'If several processes run the same task at once, only one of them executes it. A task that a guard stops can be run later. If a hook requires a person, you are asked on the terminal; without a terminal the task is refused.',
  ],
  arguments: [{ name: 'key', summary: 'the key of the task', required: true }],
  flags: {
    interrupted: {
      kind: 'switch',
      summary: 'run it again, although it was interrupted and may be half done',
    },
    'still-running': {
      kind: 'text',
      value: 'action',
      summary: 'with --interrupted: how to treat live processes of the earlier run; default: refuse',
      choices: ['refuse', 'end', 'wait'],
    },
    ...callFlags,
  },
  examples: [
    { command: 'hookwright task run task-4f9k2m', does: 'runs the guards and the task, and prints the result' },
    { command: 'hookwright task run task-4f9k2m --ci --json', does: 'in a pipeline' },
  ],
  exit: { ok: 'it ran and succeeded', findings: 'it was refused, failed, or a check is not approved' },
});
