/** `hookwright ability hooks`: lists the ability hooks of the project. */
import { type AbilityHookListing, listAbilityHooks, loadAbilityHooks } from '../../../abilities/index.ts';
import type { CommandMain } from '../../command.ts';
import type { CliProblem } from '../../command-outcome.ts';
import { formatItemTable, type ItemColumn } from '../../rendering/layout.ts';
import { formatProblems } from '../../rendering/problem-lines.ts';
import { createSpan, type Text } from '../../rendering/text.ts';
import { failsCommand, getAbilityHooksFolder, isFileProblem } from '../../sources/ability-hooks.ts';
import { loadSettings } from '../../sources/load-settings.ts';
import type { abilityHooksSpec } from './spec.ts';

export const run: CommandMain<typeof abilityHooksSpec> = async (_given, context) => {
  const { config } = await loadSettings(context);
  const hooks = await loadAbilityHooks(getAbilityHooksFolder(config.getProjectDir()), {
    home: config.getHome(),
    log: false,
  });
  const { rows } = listAbilityHooks(hooks);
  const { problems } = hooks;
  const isKept = rows.some(({ status }) => status !== undefined);
  return {
    findings: problems.some(failsCommand),
    data: { hooks: rows },
    problems,
    text: () => [
      ...(rows.length === 0
        ? formatNoAbilityHooks(problems)
        : formatItemTable(isKept ? [...columns, statusColumn] : columns, rows, context.width)),
      ...(rows.some(({ status }) => status === 'unapproved' || status === 'lapsed')
        ? ['unapproved and lapsed hooks wait for approval: hookwright trust']
        : []),
      ...formatProblems(problems.filter(isFileProblem), context),
    ],
  };
};

const columns: readonly ItemColumn<AbilityHookListing>[] = [
  { title: 'id', min: 8, cell: ({ id }) => id },
  { title: 'event_type', min: 8, cell: ({ event_type }) => event_type },
  { title: 'enabled', cell: ({ enabled }) => String(enabled) },
  { title: 'blocking', cell: ({ blocking }) => String(blocking) },
  { title: 'match_summary', min: 8, cell: ({ match_summary }) => match_summary },
];

const statusColumn: ItemColumn<AbilityHookListing> = {
  title: 'status',
  cell: ({ status }) => createSpan('red', status ?? ''),
};

const formatNoAbilityHooks = (problems: readonly CliProblem[]): Text =>
  problems.some(({ code }) => code === 'unreadable-file')
    ? ['No ability hook can be read.']
    : ['There are no ability hooks.', 'They are declared in .system/hooks, one YAML file each.'];
