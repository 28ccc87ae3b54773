import { defineSpec } from '../../arguments/spec.ts';

export const enableAllSpec = defineSpec({
  name: 'enable --all',
  formerly: 'off --end',
  summary: 'switch all hooks on again, before the time of disable --all is over',
  examples: [{ command: 'hookwright enable --all', does: 'hooks run again, in running sessions too' }],
  exit: { ok: 'hooks are on' },
});
