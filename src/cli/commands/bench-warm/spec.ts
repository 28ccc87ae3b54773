import { defineSpec } from '../../arguments/spec.ts';
import { dryRunFlag } from '../../settings-edit/settings-files.ts';

export const benchWarmSpec = defineSpec({
  name: 'bench --warm',
  formerly: 'warm',
  summary: 'measure how much time it saves to start hooks ahead of their event',
  description: [
    'Each command hook that would run here runs for real, with its side effects: once started at its event, and once started earlier to wait for its input. The answers, exit codes and stderr are compared. Inputs come from the newest recording; without a matching one, a sample is used.',
    'With --apply, "warm": true is written into the settings of hooks that behave the same; hookwright undo takes that back. Hooks that can block are proposed only with --gates: a guard that checks something before it reads its input would check an old state.',
  ],
  arguments: [{ name: 'hooks', summary: 'only these, by name or id', rest: true, complete: 'hooks' }],
  flags: {
    apply: { kind: 'switch', summary: 'also write "warm": true for hooks that behave the same' },
    gates: { kind: 'switch', summary: 'also propose hooks that can block' },
    session: {
      kind: 'text',
      value: 'file',
      summary: 'the recording to take inputs from; default: the newest',
      complete: 'sessions',
    },
    ...dryRunFlag,
  },
  examples: [
    { command: 'hookwright bench --warm', does: 'which hooks could be started ahead, and how much time that saves' },
    {
      command: 'hookwright bench --warm format --apply',
      does: 'start format ahead from now on, if it behaves the same',
    },
    { command: 'hookwright bench --warm --gates', does: 'guards, too' },
  ],
  exit: {
    ok: 'the hooks were compared; with --apply, the settings were changed',
    findings: 'a hook with "warm": true answers differently when it is started ahead, or settings could not be changed',
  },
});
