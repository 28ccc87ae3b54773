import { defineSpec } from '../../arguments/spec.ts';

export const benchSpec = defineSpec({
  name: 'bench',
  summary: 'measure how long hooks take, where the time goes, and how to make them faster',
  description: [
    'Each hook that would run here runs for real, up to 24 times, with its side effects. Inputs come from the newest recording; without a matching one, a sample is used. The hooks of an event also run together, as in an agent, for the tool that most of them match. That time is compared with budgetMs in the settings.',
    'The time of a command is split into starting a process, a shell and an interpreter, loading modules, and its own work. The gain of starting it ahead (warm) is measured; the gain of a worker is estimated.',
  ],
  arguments: [{ name: 'hooks', summary: 'only these, by name or id', rest: true, complete: 'hooks' }],
  flags: {
    event: { kind: 'text', value: 'event', summary: 'only hooks of this event', complete: 'events' },
    seconds: { kind: 'number', value: 'n', summary: 'how long to measure; default: 8' },
    session: {
      kind: 'text',
      value: 'file',
      summary: 'the recording to take inputs from; default: the newest',
      complete: 'sessions',
    },
  },
  examples: [
    { command: 'hookwright bench', does: 'all hooks that would run here, within ten seconds' },
    { command: 'hookwright bench guard --seconds 3', does: 'one hook' },
    { command: 'hookwright bench --json', does: 'the figures, for a program' },
  ],
  exit: {
    ok: 'the hooks were measured',
    findings: 'the hooks of an event take longer than its budget',
  },
});
