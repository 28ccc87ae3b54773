import { type AbilityHookListing, listAbilityHooks, loadAbilityHooks } from '../../../abilities/index.ts';
import type { Run } from '../../command.ts';
import type { CliProblem } from '../../command-outcome.ts';
import { type Cell, type Column, table } from '../../rendering/layout.ts';
import { problemsText } from '../../rendering/problem-lines.ts';
import { styled, type Text } from '../../rendering/text.ts';
import { abilityHooksIn, isAboutFile, isFinding } from '../../sources/ability-hooks.ts';
import { loadSettings } from '../../sources/load-settings.ts';
import type { abilityHooksSpec } from './spec.ts';

const columns: readonly Column[] = [
  { title: 'id', min: 8 },
  { title: 'event_type', min: 8 },
  { title: 'enabled' },
  { title: 'blocking' },
  { title: 'match_summary', min: 8 },
];

const cellsOf = ({ id, event_type, enabled, blocking, match_summary }: AbilityHookListing): Cell[] => [
  id,
  event_type,
  String(enabled),
  String(blocking),
  match_summary,
];

/** A column of its own for what keeps hooks from running, where there is something. */
const tableOf = (rows: readonly AbilityHookListing[], width: number): Text => {
  const isMarked = rows.some(({ status }) => status !== undefined);
  const mark = ({ status }: AbilityHookListing): Cell[] => (isMarked ? [styled('red', status ?? '')] : []);
  return table(
    isMarked ? [...columns, { title: 'status' }] : columns,
    rows.map((row) => [...cellsOf(row), ...mark(row)]),
    width,
  );
};

/** What cannot be read is not nothing. */
const noneText = (problems: readonly CliProblem[]): Text =>
  problems.some(({ code }) => code === 'unreadable-file')
    ? ['No ability hook can be read.']
    : ['There are no ability hooks.', 'They are declared in .system/hooks, one YAML file each.'];

export const run: Run<typeof abilityHooksSpec> = async (_given, context) => {
  const { config } = await loadSettings(context);
  const hooks = await loadAbilityHooks(abilityHooksIn(config.getProjectDir()), { home: config.getHome(), log: false });
  const { rows } = listAbilityHooks(hooks);
  const { problems } = hooks;
  const { width } = context;
  return {
    findings: problems.some(isFinding),
    data: { hooks: rows },
    problems,
    text: () => [
      ...(rows.length === 0 ? noneText(problems) : tableOf(rows, width)),
      ...(rows.some(({ status }) => status === 'unapproved' || status === 'lapsed')
        ? ['unapproved and lapsed hooks wait for approval: hookwright trust']
        : []),
      ...problemsText(problems.filter(isAboutFile), context),
    ],
  };
};
