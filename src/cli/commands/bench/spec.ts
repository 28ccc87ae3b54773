import { defineSpec } from '../../arguments/spec.ts';

export const benchSpec = defineSpec({
  name: 'bench',
  summary: 'measure how long hooks take, where the time goes and what would save some of it',
  description: [
    'Each hook that would run here is really run, up to 24 times and side effects included, over inputs of the newest recording that its matcher takes, else over a plain one. The chain of an event is fired as an agent would fire it, for the tool that runs most of its hooks, and compared with budgetMs of the settings.',
    'For a command you see how its time splits into starting a process, a shell and an interpreter, loading modules, and its own work. The gain from starting it ahead (warm) is measured; the gain from a worker is estimated.',
  ],
  arguments: [{ name: 'hooks', summary: 'only these, by name or id', rest: true, complete: 'hooks' }],
  flags: {
    event: { kind: 'text', value: 'event', summary: 'only hooks of this event', complete: 'events' },
    seconds: { kind: 'number', value: 'n', summary: 'how long to measure; 8 by default' },
    session: {
      kind: 'text',
      value: 'file',
      summary: 'the recording to take inputs from; the newest by default',
      complete: 'sessions',
    },
  },
  examples: [
    { command: 'hookwright bench', does: 'all hooks that would run here, within ten seconds' },
    { command: 'hookwright bench guard --seconds 3', does: 'one hook' },
    { command: 'hookwright bench --json', does: 'the figures, for a program' },
  ],
  exit: {
    ok: 'they were measured',
    findings: 'the hooks of an event take longer than its budget',
  },
});
