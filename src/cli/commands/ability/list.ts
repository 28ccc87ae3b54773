import type { Ability } from '../../../abilities/index.ts';
import type { Run } from '../../command.ts';
import { type Cell, type Column, table } from '../../rendering/layout.ts';
import { problemsNote, problemsText } from '../../rendering/problem-lines.ts';
import { styled } from '../../rendering/text.ts';
import { isFinding } from '../../sources/ability-hooks.ts';
import { hookProblems, withTools } from '../../tooling/open.ts';
import type { abilityListSpec } from './spec.ts';

const columns: readonly Column[] = [
  { title: 'id', min: 8 },
  { title: 'summary', min: 10 },
  { title: 'operations', min: 8 },
  { title: 'environments', min: 8 },
  { title: 'status' },
];

const isUsable = ({ trusted }: Ability): boolean => trusted !== false;

const rowOf = (ability: Ability): Cell[] => {
  const { id, summary = '', operations = [], environments = [] } = ability;
  const status = isUsable(ability) ? styled('green', 'ready') : styled('red', 'untrusted');
  return [id, summary, operations.join(', '), environments.join(', '), status];
};

const dataOf = (ability: Ability) => {
  const { id, summary, operations, environments, requires, input, file, timeoutMs, handler } = ability;
  const details = { summary, operations, environments, requires, input, file, timeoutMs, handler: handler.kind };
  return { id, usable: isUsable(ability), ...details };
};

const nothing = ['There are no abilities.', 'They are declared in .system/abilities, one YAML file each.'];

export const run: Run<typeof abilityListSpec> = ({ 'trust-project': trustProject }, context) =>
  withTools(context, { isPipeline: false, environment: undefined, trustProject }, async (tools) => {
    const { runner, problems, abilityProblems } = tools;
    const abilities = runner.abilities.all();
    const { width } = context;
    return {
      findings: problems.some(isFinding),
      data: { abilities: abilities.map(dataOf) },
      problems,
      text: () => [
        ...(abilities.length === 0 ? nothing : table(columns, abilities.map(rowOf), width)),
        ...(abilities.every(isUsable) ? [] : ['untrusted abilities wait for approval: hookwright trust']),
        ...problemsText(abilityProblems, context),
        ...problemsNote(hookProblems(tools), context),
      ],
    };
  });
