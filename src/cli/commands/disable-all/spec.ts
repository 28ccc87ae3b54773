import { defineSpec } from '../../arguments/spec.ts';

export const disableAllSpec = defineSpec({
  name: 'disable --all',
  formerly: 'off',
  summary: 'switch all hooks off for a while',
  description: [
    'All hooks from files stop running until the time is over: in every project and every agent of this user, also ability hooks, your own hooks and those of the system. Then they run again, in running sessions too. This works only on a terminal, so that no script can do it. It is shown in rows, in list and doctor, and in the log of each agent. A running agent notices at its next event.',
    'Hooks in a program’s own code stay on. `hookwright enable --all` switches them on again early. The state is kept in ~/.hookwright/off.json.',
  ],
  flags: {
    for: { kind: 'text', value: 'time', summary: 'how long: 30s, 10m or 2h, up to 24h' },
  },
  examples: [{ command: 'hookwright disable --all --for 10m', does: 'no hooks for ten minutes' }],
  exit: { ok: 'done', findings: 'there is no terminal to ask on, so nothing was changed' },
});
