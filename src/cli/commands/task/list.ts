import type { TaskRecord } from '../../../abilities/index.ts';
import { TaskStore } from '../../../abilities/internal.ts';
import type { Run } from '../../command.ts';
import { type Cell, type Column, table } from '../../rendering/layout.ts';
import { problemsText } from '../../rendering/problem-lines.ts';
import { type Style, styled } from '../../rendering/text.ts';
import { took } from '../../rendering/verdict-text.ts';
import { loadSettings } from '../../sources/load-settings.ts';
import type { taskListSpec } from './spec.ts';

const columns: readonly Column[] = [
  { title: 'task', min: 12 },
  { title: 'state', min: 7 },
  { title: 'ability', min: 8 },
  { title: 'created by', min: 10 },
  { title: 'took' },
];

const styles: Readonly<Record<TaskRecord['state'], Style>> = {
  created: 'cyan',
  running: 'cyan',
  interrupted: 'yellow',
  success: 'green',
  partial: 'yellow',
  failure: 'red',
};

const rowOf = ({ task_key, state, ability_id, caller, duration_ms }: TaskRecord): Cell[] => [
  task_key,
  styled(styles[state], state),
  ability_id,
  caller.triggered_by === undefined ? caller.source : `${caller.source}: ${caller.triggered_by}`,
  duration_ms === undefined ? '' : took(duration_ms),
];

export const run: Run<typeof taskListSpec> = async ({ states }, context) => {
  const { config } = await loadSettings(context);
  const { tasks, problems: found } = await new TaskStore({ root: config.getProjectDir() }).list();
  const shown = states.length === 0 ? tasks : tasks.filter(({ state }) => states.includes(state));
  const problems = found.map(({ file, message }) => ({ severity: 'warning' as const, file, message }));
  const { width } = context;
  return {
    findings: problems.length > 0,
    data: { tasks: shown },
    problems,
    text: () => [
      ...(shown.length === 0
        ? [tasks.length === 0 ? 'There are no tasks.' : `No task is ${states.join(' or ')}.`]
        : table(columns, shown.map(rowOf), width)),
      ...problemsText(problems, context),
    ],
  };
};
