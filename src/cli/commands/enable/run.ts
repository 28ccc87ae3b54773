/** `hookwright enable`: removes the name of a hook from all lists of disabled hooks. */
import { TrustStore } from '../../../trust/index.ts';
import type { CommandMain } from '../../command.ts';
import type { SettingsFileChange } from '../../settings-edit/change-file.ts';
import { changeSettings } from '../../settings-edit/change-settings.ts';
import { removeFromList } from '../../settings-edit/edit-text.ts';
import { listSettingsFiles, parseScope } from '../../settings-edit/settings-files.ts';
import { createSwitchOutcome, readDisabledLists } from '../../settings-edit/switch-outcome.ts';
import { findHook } from '../../sources/find-hook.ts';
import { readConfiguration } from '../../sources/read-configuration.ts';
import type { enableSpec } from './spec.ts';

export const run: CommandMain<typeof enableSpec> = async ({ hook, scope: wish, 'dry-run': dryRun }, context) => {
  const configuration = await readConfiguration(context);
  const { config } = configuration;
  const scope = parseScope(wish);
  const files = listSettingsFiles(config).filter((file) => scope === undefined || file.scope === scope);
  const lists = await readDisabledLists(files);
  const { name } = await findHook(
    hook,
    configuration,
    context,
    lists.flatMap(({ names }) => names),
  );
  const store = new TrustStore(config.getHome());
  const wasOff = await store.isOff(config.getProjectDir(), name);
  const altered: SettingsFileChange[] = [];
  for (const { file, path } of lists.filter(({ names }) => names.includes(name))) {
    const edit = (text: string) => removeFromList(text, path, name);
    const options = { home: config.getHome(), dryRun };
    altered.push(await changeSettings(file, options, { verb: 'enable', name, opposite: 'disable', wasOff, edit }));
  }
  if (altered.length > 0 && !dryRun && altered.every(({ ok }) => ok))
    await store.setOff(config.getProjectDir(), name, false);
  return createSwitchOutcome({ name, files: altered, dryRun, wanted: 'on' }, context);
};
