import { readPause, writePause } from '../../../trust/internal.ts';
import type { Run } from '../../command.ts';
import { loadSettings } from '../../sources/load-settings.ts';
import type { enableAllSpec } from './spec.ts';

export const run: Run<typeof enableAllSpec> = async (_given, context) => {
  const { config } = await loadSettings(context);
  const home = config.getHome();
  const before = readPause(home);
  const wasOff = before.trouble !== undefined || before.until !== undefined;
  if (wasOff) await writePause(home, 0);
  return {
    data: { off: false, changed: wasOff },
    text: () => [wasOff ? 'hooks are on again' : 'hooks are not switched off'],
  };
};
