import { defineSpec } from '../../arguments/spec.ts';

export const offSpec = defineSpec({
  name: 'off',
  summary: 'switch all hooks off for a while',
  description: [
    'Hooks that were read from files, those of abilities, yours and those of the system included, do not run until the time is over, in any project and any agent of this user; then they run again by themselves, in running sessions too. It works only on a terminal, so that no script can do it. Rows, list, doctor and the log of each agent say so. A running agent notices at its next event.',
    'Hooks in a program’s own code stay on. The state is in ~/.hookwright/off.json.',
  ],
  flags: {
    for: { kind: 'text', value: 'time', summary: 'how long: 30s, 10m or 2h, up to 24h' },
    end: { kind: 'switch', summary: 'switch them on again early' },
  },
  examples: [
    { command: 'hookwright off --for 10m', does: 'no hooks for ten minutes' },
    { command: 'hookwright off --end', does: 'hooks again' },
  ],
  exit: { ok: 'done', findings: 'nobody is there who could be asked, so nothing was changed' },
});
