import { listAbilityHooks } from '../../../abilities/listing.ts';
import { loadAbilityHooks } from '../../../abilities/load.ts';
import type { Run } from '../../command.ts';
import { type Column, table } from '../../rendering/layout.ts';
import { problemsText } from '../../rendering/problem-lines.ts';
import { loadSettings } from '../../sources/load-settings.ts';
import type { abilityHooksSpec } from './spec.ts';

const columns: readonly Column[] = [
  { title: 'id', min: 8 },
  { title: 'event_type', min: 8 },
  { title: 'enabled' },
  { title: 'blocking' },
  { title: 'match_summary', min: 8 },
];

export const run: Run<typeof abilityHooksSpec> = async (_given, context) => {
  const { config } = await loadSettings(context);
  const hooks = await loadAbilityHooks(config.getProjectDir(), { home: config.getHome(), log: false });
  const { rows } = listAbilityHooks(hooks);
  const { problems } = hooks;
  const { width } = context.screen;
  return {
    findings: problems.length > 0,
    data: { hooks: rows },
    problems,
    text: () => [
      ...(rows.length === 0
        ? ['There are no ability hooks.', 'They are declared in .system/hooks, a YAML file each.']
        : table(
            columns,
            rows.map((row) => [row.id, row.event_type, String(row.enabled), String(row.blocking), row.match_summary]),
            width,
          )),
      ...problemsText(problems, width, context.cwd),
    ],
  };
};
