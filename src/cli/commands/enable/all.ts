/** `hookwright enable --all`: ends the pause of `disable --all`. */
import { readPause, writePause } from '../../../trust/internal.ts';
import type { CommandMain } from '../../command.ts';
import { loadSettings } from '../../sources/load-settings.ts';
import type { enableAllSpec } from './spec.ts';

export const run: CommandMain<typeof enableAllSpec> = async (_given, context) => {
  const { config } = await loadSettings(context);
  const { trouble, until } = readPause(config.getHome());
  const wasOff = trouble !== undefined || until !== undefined;
  if (wasOff) await writePause(config.getHome(), 0);
  return {
    data: { off: false, changed: wasOff },
    text: () => [wasOff ? 'hooks are on again' : 'hooks are not switched off'],
  };
};
