import { defineSpec } from '../../arguments/spec.ts';
import { callFlags } from '../../tooling/flags.ts';

export const taskRunSpec = defineSpec({
  name: 'task run',
  summary: 'ask the guards, and run a task',
  description: [
    'If several processes run the same task at once, only one of them does. A task that a guard stops can be run later. Where a hook requires a human, you are asked on a terminal; without a terminal the task is refused.',
  ],
  arguments: [{ name: 'key', summary: 'the key of the task', required: true }],
  flags: {
    interrupted: {
      kind: 'switch',
      summary: 'run it again although it was interrupted and may be half done',
    },
    'still-running': {
      kind: 'text',
      value: 'what',
      summary: 'with --interrupted: what to do about processes of the earlier run that are alive; refuse when left out',
      choices: ['refuse', 'end', 'wait'],
    },
    ...callFlags,
  },
  examples: [
    { command: 'hookwright task run task-4f9k2m', does: 'asks, runs, and prints what came out' },
    { command: 'hookwright task run task-4f9k2m --ci --json', does: 'in a pipeline' },
  ],
  exit: { ok: 'it ran and succeeded', findings: 'it was refused, failed, or a check is not approved' },
});
