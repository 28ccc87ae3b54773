/** `hookwright ability list`: lists the abilities of the project. */
import type { Ability } from '../../../abilities/index.ts';
import type { CommandMain } from '../../command.ts';
import { formatItemTable, type ItemColumn } from '../../rendering/layout.ts';
import { formatProblems, formatProblemsNote } from '../../rendering/problem-lines.ts';
import { createSpan } from '../../rendering/text.ts';
import { failsCommand } from '../../sources/ability-hooks.ts';
import { listHookProblems, withAbilities } from '../../tooling/open-abilities.ts';
import type { abilityListSpec } from './spec.ts';

export const run: CommandMain<typeof abilityListSpec> = (given, context) =>
  withAbilities(context, given, async (tools) => {
    const { runner, problems, abilityProblems } = tools;
    const abilities = runner.abilities.all();
    return {
      findings: problems.some(failsCommand),
      data: { abilities: abilities.map(toAbilityData) },
      problems,
      text: () => [
        ...(abilities.length === 0 ? noAbilitiesText : formatItemTable(columns, abilities, context.width)),
        ...(abilities.every(isUsable) ? [] : ['untrusted abilities wait for approval: hookwright trust']),
        ...formatProblems(abilityProblems, context),
        ...formatProblemsNote(listHookProblems(tools), context),
      ],
    };
  });

const isUsable = ({ trusted }: Ability): boolean => trusted !== false;

const columns: readonly ItemColumn<Ability>[] = [
  { title: 'id', min: 8, cell: ({ id }) => id },
  { title: 'summary', min: 10, cell: ({ summary = '' }) => summary },
  { title: 'operations', min: 8, cell: ({ operations = [] }) => operations.join(', ') },
  { title: 'environments', min: 8, cell: ({ environments = [] }) => environments.join(', ') },
  { title: 'status', cell: (one) => (isUsable(one) ? createSpan('green', 'ready') : createSpan('red', 'untrusted')) },
];

const toAbilityData = (ability: Ability) => {
  const { id, summary, operations, environments, requires, input, file, timeoutMs, handler } = ability;
  const details = { summary, operations, environments, requires, input, file, timeoutMs, handler: handler.kind };
  return { id, usable: isUsable(ability), ...details };
};

const noAbilitiesText = ['There are no abilities.', 'They are declared in .system/abilities, one YAML file each.'];
