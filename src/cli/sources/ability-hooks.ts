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

/** A declaration of an ability hook: its row as `explain` gives it, and what the file says. */
export interface DeclaredHook {
  readonly row: HookRow;
  /** Absent for a file that cannot be read. */
  readonly listing: AbilityHookListing | undefined;
  readonly config: HookConfig | undefined;
}

export interface AbilityHooks {
  readonly declared: readonly DeclaredHook[];
  readonly problems: readonly CliProblem[];
}

const FOLDER = `.system${sep}hooks`;

/** Where a project has them. Without it any folder would do, and a project that is no repository yet has YAML of others. */
export const abilityHooksIn = (root: string): string => join(root, FOLDER);

/** What one user approved, or not yet, is nothing wrong with the files: others who check them have not seen any. */
const ofThisUser: readonly string[] = ['awaiting-approval', 'removed'];

/** Whether a problem makes a command end with 1. Advice about declarations does not: the hook runs all the same. */
export const isFinding = ({ severity, file = '', code = '' }: CliProblem): boolean =>
  severity === 'error' || (!file.includes(FOLDER) && !ofThisUser.includes(code));

/** What is wrong with what the files say: a missing approval is shown with the hook itself. */
export const isAboutFile = ({ code }: Pick<CliProblem, 'code'>): boolean => code !== 'awaiting-approval';

const none: AbilityHooks = { declared: [], problems: [] };

/** Whether hooks of abilities are there, or were approved: that they are gone is not to be hidden by a folder that is gone. */
const mayHaveHooks = async (root: string, home: string): Promise<boolean> => {
  if (existsSync(join(root, '.system', 'hooks'))) return true;
  const { approvals } = await new TrustStore(home).approvalsFor(root);
  return approvals.some(({ content: { event } }) => typeof event === 'string' && isAbilityEventType(event));
};

/** What match blocks of each event are compared with. */
const compared = ['ability_id', 'ability_ref', 'changed_files'] as const;

/** The context of an event as far as it was given; `undefined` if nothing of it is compared. */
const contextFrom = async <E extends AbilityEventType>(event: E, fields: Readonly<Record<string, unknown>>) => {
  if (!compared.some((key) => key in fields)) return undefined;
  const { samplesAbout } = await import('../../abilities/internal.ts');
  const sample: object = samplesAbout(typeof fields.ability_id === 'string' ? fields.ability_id : '')[event].context;
  const read = abilityCatalogue[event].read({ ...sample, ...fields });
  if (!read.ok) throw new UsageError(`--input: ${read.message}`);
  return read.payload;
};

/** The ability hooks of a project. Nothing is run, and where there are none nothing is loaded. */
export const readAbilityHooks = async (
  config: LoadedConfig,
  event?: string,
  fields: Readonly<Record<string, unknown>> = {},
): Promise<AbilityHooks> => {
  const root = config.getProjectDir();
  if (!(await mayHaveHooks(root, config.getHome()))) return none;
  const { listingOf, loadAbilities, loadAbilityHooks, unknownScopes } = await import('../../abilities/internal.ts');
  const set = await loadAbilityHooks(abilityHooksIn(root), { home: config.getHome(), log: false });
  const { registry } = await loadAbilities(root, { home: config.getHome() });
  // Two files may have one id, and each is shown as what it is.
  const byFile = new Map(set.hooks.map((hook) => [hook.file, hook]));
  // Of an unreadable file that may be for this event, the row is the one of this event.
  const expected = isAbilityEventType(event) ? await set.inspect(event, await contextFrom(event, fields)) : [];
  const rows = (await set.inspect()).map((row) => expected.find(({ hookId }) => hookId === row.hookId) ?? row);
  const declared = rows.map((row): DeclaredHook => {
    const hook = row.source.file === undefined ? undefined : byFile.get(row.source.file);
    return { row, config: hook?.config, listing: hook === undefined ? undefined : listingOf(hook) };
  });
  // That hooks are switched off for a while is said of the settings already, and their rows say what waits for an approval.
  return {
    declared,
    problems: [...set.problems, ...unknownScopes(set.hooks, registry.all())].filter(
      (problem) => problem.code !== 'hooks-disabled' && isAboutFile(problem),
    ),
  };
};
