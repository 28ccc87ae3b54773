/** The command line of `bench` and `bench --warm`: arguments, flags, examples and exit codes. */
import { hooksArgument, inputSessionFlag } from '../../arguments/flags.ts';
import { defineSpec } from '../../arguments/spec.ts';
import { dryRunFlag } from '../../settings-edit/settings-files.ts';

export const benchSpec = defineSpec({
  name: 'bench',
  summary: 'measure how long hooks take, where the time goes, and how to make them faster',
  description: [
    'Each hook that would run here runs for real, up to 24 times, with its side effects. Inputs come from the newest recording; without a matching one, a sample is used. The hooks of an event also run together, as in an agent, for the tool that most of them match. That time is compared with budgetMs in the settings.',
    'The time of a command is split into starting a process, a shell and an interpreter, loading modules, and its own work. The gain of starting it ahead (warm) is measured; the gain of a worker is estimated.',
  ],
  arguments: [hooksArgument],
  flags: {
    event: { kind: 'text', value: 'event', summary: 'only hooks of this event', complete: 'events' },
    seconds: { kind: 'number', value: 'n', summary: 'how long to measure; default: 8' },
    ...inputSessionFlag,
  },
  examples: {
    'hookwright bench': 'all hooks that would run here, within ten seconds',
    'hookwright bench guard --seconds 3': 'one hook',
    'hookwright bench --json': 'the figures, for a program',
  },
  exit: {
    ok: 'the hooks were measured',
    findings: 'the hooks of an event take longer than its budget',
  },
});

export const benchWarmSpec = defineSpec({
  name: 'bench --warm',
  formerly: 'warm',
  summary: 'measure how much time it saves to start hooks ahead of their event',
  description: [
    'Each command hook that would run here runs for real, with its side effects: once started at its event, and once started earlier to wait for its input. The answers, exit codes and stderr are compared. Inputs come from the newest recording; without a matching one, a sample is used.',
    'With --apply, "warm": true is written into the settings of hooks that behave the same; hookwright undo takes that back. Hooks that can block are proposed only with --gates: a guard that checks something before it reads its input would check an old state.',
  ],
  arguments: [hooksArgument],
  flags: {
    apply: { kind: 'switch', summary: 'also write "warm": true for hooks that behave the same' },
    gates: { kind: 'switch', summary: 'also propose hooks that can block' },
    ...inputSessionFlag,
    ...dryRunFlag,
  },
  examples: {
    'hookwright bench --warm': 'which hooks could be started ahead, and how much time that saves',
    'hookwright bench --warm format --apply': 'start format ahead from now on, if it behaves the same',
    'hookwright bench --warm --gates': 'guards, too',
  },
  exit: {
    ok: 'the hooks were compared; with --apply, the settings were changed',
    findings: 'a hook with "warm": true answers differently when it is started ahead, or settings could not be changed',
  },
});
