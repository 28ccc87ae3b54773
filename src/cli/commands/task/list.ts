/** `hookwright task list`: lists the tasks of the project. */
import type { TaskRecord } from '../../../abilities/index.ts';
import { TaskStore } from '../../../abilities/internal.ts';
import type { CommandMain } from '../../command.ts';
import { formatItemTable, type ItemColumn } from '../../rendering/layout.ts';
import { formatProblems } from '../../rendering/problem-lines.ts';
import { createSpan, type Style } from '../../rendering/text.ts';
import { formatDuration } from '../../rendering/verdict-text.ts';
import { loadSettings } from '../../sources/load-settings.ts';
import type { taskListSpec } from './spec.ts';

export const run: CommandMain<typeof taskListSpec> = async ({ states }, context) => {
  const { config } = await loadSettings(context);
  const { tasks, problems: found } = await new TaskStore({ root: config.getProjectDir() }).list();
  const shown = states.length === 0 ? tasks : tasks.filter(({ state }) => states.includes(state));
  const problems = found.map(({ file, message }) => ({ severity: 'warning' as const, file, message }));
  return {
    findings: problems.length > 0,
    data: { tasks: shown },
    problems,
    text: () => [
      ...(shown.length === 0
        ? [tasks.length === 0 ? 'There are no tasks.' : `No task is ${states.join(' or ')}.`]
        : formatItemTable(columns, shown, context.width)),
      ...formatProblems(problems, context),
    ],
  };
};

const styleByState: Readonly<Record<TaskRecord['state'], Style>> = {
  created: 'cyan',
  running: 'cyan',
  interrupted: 'yellow',
  success: 'green',
  partial: 'yellow',
  failure: 'red',
};

const columns: readonly ItemColumn<TaskRecord>[] = [
  { title: 'task', min: 12, cell: ({ task_key }) => task_key },
  { title: 'state', min: 7, cell: ({ state }) => createSpan(styleByState[state], state) },
  { title: 'ability', min: 8, cell: ({ ability_id }) => ability_id },
  {
    title: 'created by',
    min: 10,
    cell: ({ caller: { source, triggered_by: by } }) => (by === undefined ? source : `${source}: ${by}`),
  },
  { title: 'took', cell: ({ duration_ms: ms }) => (ms === undefined ? '' : formatDuration(ms)) },
];
