/** Reads the ability hooks of a project and their problems. */
import { existsSync } from 'node:fs';
import { join, sep } from 'node:path';
import type { AbilityHookListing } from '../../abilities/index.ts';
import { type AbilityEventType, abilityCatalogue, isAbilityEventType } from '../../events/index.ts';
import type { HookConfig, HookRow } from '../../protocol/index.ts';
import type { LoadedConfig } from '../../settings/index.ts';
import { TrustStore } from '../../trust/index.ts';
import type { CliProblem } from '../command-outcome.ts';
import { UsageError } from '../usage-error.ts';

export interface DeclaredHook {
  readonly row: HookRow;
  readonly listing: AbilityHookListing | undefined;
  readonly config: HookConfig | undefined;
}

export interface AbilityHooks {
  readonly declared: readonly DeclaredHook[];
  readonly problems: readonly CliProblem[];
}

const ABILITY_HOOKS_FOLDER = `.system${sep}hooks`;

/** Other folders of a project are not read, because they may contain YAML files of other tools. */
export const getAbilityHooksFolder = (root: string): string => join(root, ABILITY_HOOKS_FOLDER);

/** A problem that depends on the approvals of one user must not fail a check of the files. */
const userSpecificCodes: readonly string[] = ['awaiting-approval', 'removed'];

export const failsCommand = ({ severity, file = '', code = '' }: CliProblem): boolean =>
  severity === 'error' || (!file.includes(ABILITY_HOOKS_FOLDER) && !userSpecificCodes.includes(code));

/** A missing approval is no problem of the file. The row of the hook shows it. */
export const isFileProblem = ({ code }: Pick<CliProblem, 'code'>): boolean => code !== 'awaiting-approval';

/** Hooks whose folder was deleted count as well, because their approvals remain. */
const mayHaveHooks = async (root: string, home: string): Promise<boolean> => {
  if (existsSync(getAbilityHooksFolder(root))) return true;
  const { approvals } = await new TrustStore(home).approvalsFor(root);
  return approvals.some(({ content: { event } }) => typeof event === 'string' && isAbilityEventType(event));
};

const matchedFields = ['ability_id', 'ability_ref', 'changed_files'] as const;

const readEventContext = async <E extends AbilityEventType>(event: E, fields: Readonly<Record<string, unknown>>) => {
  if (!matchedFields.some((key) => key in fields)) return undefined;
  const { createSamples } = await import('../../abilities/internal.ts');
  const sample: object = createSamples(typeof fields.ability_id === 'string' ? fields.ability_id : '')[event].context;
  const read = abilityCatalogue[event].read({ ...sample, ...fields });
  if (!read.ok) throw new UsageError(`--input: ${read.message}`);
  return read.payload;
};

/** Loads the ability code only if the project has ability hooks. Runs no hooks. */
export const readAbilityHooks = async (
  config: LoadedConfig,
  event?: string,
  fields: Readonly<Record<string, unknown>> = {},
): Promise<AbilityHooks> => {
  const root = config.getProjectDir();
  if (!(await mayHaveHooks(root, config.getHome()))) return { declared: [], problems: [] };
  const { toHookListing, loadAbilities, loadAbilityHooks, findUnknownScopes } = await import(
    '../../abilities/internal.ts'
  );
  const set = await loadAbilityHooks(getAbilityHooksFolder(root), { home: config.getHome(), log: false });
  const { registry } = await loadAbilities(root, { home: config.getHome() });
  // Two files may declare the same id, so files are the keys.
  const byFile = new Map(set.hooks.map((hook) => [hook.file, hook]));
  const expected = isAbilityEventType(event) ? await set.inspect(event, await readEventContext(event, fields)) : [];
  const rows = (await set.inspect()).map((row) => expected.find(({ hookId }) => hookId === row.hookId) ?? row);
  const declared = rows.map((row): DeclaredHook => {
    const hook = byFile.get(row.source.file ?? '');
    return { row, config: hook?.config, listing: hook && toHookListing(hook) };
  });
  return {
    declared,
    problems: [...set.problems, ...findUnknownScopes(set.hooks, registry.all())].filter(
      (problem) => problem.code !== 'hooks-disabled' && isFileProblem(problem),
    ),
  };
};
