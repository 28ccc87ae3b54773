import { defineSpec } from '../../arguments/spec.ts';

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
  examples: [
    { command: 'hookwright task list', does: 'all of them' },
    { command: 'hookwright task list --states created,interrupted', does: 'tasks that are not done yet' },
  ],
  exit: { ok: 'they were listed', findings: 'a task file cannot be read, or is incomplete' },
});
