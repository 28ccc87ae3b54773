/** The command line of `task create`, `task run` and `task list`: arguments, flags, examples and exit codes. */
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
  examples: {
    'hookwright task create deploy_service --input \'{"service": "billing"}\'': 'prints the key of the task',
    'hookwright task create edit --operation --input @edit.json': 'by operation, with the input in a file',
  },
  exit: { ok: 'the task was created', findings: 'it was refused, or a check is not approved' },
});

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
  examples: {
    'hookwright task run task-4f9k2m': 'runs the guards and the task, and prints the result',
    'hookwright task run task-4f9k2m --ci --json': 'in a pipeline',
  },
  exit: { ok: 'it ran and succeeded', findings: 'it was refused, failed, or a check is not approved' },
});

export const taskListSpec = defineSpec({
  name: 'task list',
  summary: 'list the tasks of the project with their state',
  flags: {
    states: {
      kind: 'list',
      value: 'name',
      summary: 'only tasks in these states',
      choices: ['created', 'running', 'interrupted', 'success', 'failure', 'partial'],
    },
  },
  examples: {
    'hookwright task list': 'all of them',
    'hookwright task list --states created,interrupted': 'tasks that are not done yet',
  },
  exit: { ok: 'they were listed', findings: 'a task file cannot be read, or is incomplete' },
});
