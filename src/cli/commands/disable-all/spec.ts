import { defineSpec } from '../../arguments/spec.ts';

export const disableAllSpec = defineSpec({
  name: 'disable --all',
  formerly: 'off',
  summary: 'switch all hooks off for a while',
  description: [
    'All hooks from files stop running until the time is over: in every project and agent of this user, including ability hooks and hooks of the user and the system. Then they run again, in running sessions too. This works only on a terminal, so that no script can do it. Results, list, doctor and the log of each agent show it. A running agent notices at its next event.',
    'Hooks in a program’s own code stay on. `hookwright enable --all` switches them on again early. The state is kept in ~/.hookwright/off.json.',
  ],
  flags: {
    for: { kind: 'text', value: 'time', summary: 'how long: 30s, 10m or 2h, up to 24h' },
  },
  examples: [{ command: 'hookwright disable --all --for 10m', does: 'no hooks for ten minutes' }],
  exit: { ok: 'done', findings: 'without a terminal, nothing was changed' },
});
