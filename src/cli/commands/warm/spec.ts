import { defineSpec } from '../../arguments/spec.ts';
import { dryRunFlag } from '../../settings-edit/flags.ts';

export const warmSpec = defineSpec({
  name: 'warm',
  summary: 'measure what it saves to start hooks ahead of their event',
  description: [
    'Each command hook that would run here is really run, side effects included: when its event comes, and as a process that was started before and waits for its input. Compared are the answer, the exit code and what it writes to stderr, over inputs of the newest recording that its matcher takes, else over a plain one.',
    'With --apply, "warm": true is written into the settings of those that are equal; hookwright undo takes that back. Hooks that can block are proposed with --gates only: a guard that looks at the world before it reads its input sees it as it was when it was started.',
  ],
  arguments: [{ name: 'hooks', summary: 'only these, by name or id', rest: true, complete: 'hooks' }],
  flags: {
    check: { kind: 'switch', summary: 'run them and compare; changes nothing' },
    apply: { kind: 'switch', summary: 'the same, and write "warm": true for those that are equal' },
    gates: { kind: 'switch', summary: 'propose hooks that can block, too' },
    session: {
      kind: 'text',
      value: 'file',
      summary: 'the recording to take inputs from; the newest by default',
      complete: 'sessions',
    },
    ...dryRunFlag,
  },
  examples: [
    { command: 'hookwright warm --check', does: 'which hooks could be started ahead, and what that saves' },
    { command: 'hookwright warm format --apply', does: 'start format ahead from now on, if it is the same then' },
    { command: 'hookwright warm --check --gates', does: 'guards, too' },
  ],
  exit: {
    ok: 'they were compared; with --apply, what is equal is written',
    findings:
      'a hook that says "warm": true answers otherwise when it is started ahead, or settings could not be changed',
  },
});
