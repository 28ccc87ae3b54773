import { defineSpec } from '../../arguments/spec.ts';

export const offSpec = defineSpec({
  name: 'off',
  summary: 'switch all hooks off for a while',
  description: [
    'Hooks that were read from files, those of abilities, yours and those of the system included, do not run until the time is over, in no project and no agent of this user; then they run again by themselves, in running sessions too. It takes a person: on anything but a terminal nothing is switched off. Rows say so, and so do list, doctor and the log of each agent. A running agent takes notice with its next event.',
    'Hooks that a program brings in its own code stay on. What is kept is ~/.hookwright/off.json.',
  ],
  flags: {
    for: { kind: 'text', value: 'time', summary: 'how long: 30s, 10m or 2h, up to 24h' },
    end: { kind: 'switch', summary: 'switch them on again before the time is over; anybody may' },
  },
  examples: [
    { command: 'hookwright off --for 10m', does: 'no hooks for ten minutes' },
    { command: 'hookwright off --end', does: 'hooks again' },
  ],
  exit: { ok: 'done', findings: 'nobody is there who could be asked, so nothing was changed' },
});
