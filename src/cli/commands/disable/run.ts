/** `hookwright disable`: adds the name of a hook to a list of disabled hooks in a settings file. */
import { TrustStore } from '../../../trust/index.ts';
import type { CommandMain } from '../../command.ts';
import { changeSettings } from '../../settings-edit/change-settings.ts';
import { appendToList } from '../../settings-edit/edit-text.ts';
import {
  isProjectHook,
  listSettingsFiles,
  parseScope,
  selectSettingsFile,
} from '../../settings-edit/settings-files.ts';
import { createSwitchOutcome, DISABLED_PATH, readDisabledLists } from '../../settings-edit/switch-outcome.ts';
import { findHook, type NamedHooks } from '../../sources/find-hook.ts';
import { readConfiguration } from '../../sources/read-configuration.ts';
import { UsageError } from '../../usage-error.ts';
import type { disableSpec } from './spec.ts';

export const run: CommandMain<typeof disableSpec> = async ({ hook, scope: wish, 'dry-run': dryRun }, context) => {
  const meant = await findHook(hook, await readConfiguration(context), context);
  const { name, hooks, config } = meant;
  const scope = selectScope(meant, wish);
  const lists = await readDisabledLists(listSettingsFiles(config).filter((file) => file.scope === scope));
  const isListed = lists.some(({ names }) => names.includes(name));
  const file = selectSettingsFile(
    config,
    scope,
    hooks.map(({ row }) => row.source),
  );
  if (file === undefined) throw new UsageError('there is no project here, only your own settings', '--scope user');
  const store = new TrustStore(config.getHome());
  const wasOff = scope === 'project' ? await store.isOff(config.getProjectDir(), name) : undefined;
  const edit = (text: string) => appendToList(text, DISABLED_PATH, name);
  const options = { home: config.getHome(), dryRun };
  const altered = isListed
    ? []
    : [await changeSettings(file, options, { verb: 'disable', name, opposite: 'enable', wasOff, edit })];
  // Records that the user made this change. Other changes to the project's list are reported to the user.
  if (scope === 'project' && !dryRun && altered.every(({ ok }) => ok))
    await store.setOff(config.getProjectDir(), name, true);
  return createSwitchOutcome({ name, files: altered, dryRun, wanted: 'off' }, context);
};

const selectScope = ({ name, hooks, config }: NamedHooks, wish: string | undefined): 'user' | 'project' => {
  const own = hooks.filter(({ row }) => isProjectHook(row.source, config));
  const scope = parseScope(wish) ?? (own.length === hooks.length ? 'project' : 'user');
  if (scope === 'project' && own.length === 0) {
    throw new UsageError(
      `a project can switch off only its own hooks, and ${name} is from elsewhere`,
      `hookwright disable ${JSON.stringify(name)} --scope user`,
    );
  }
  return scope;
};
