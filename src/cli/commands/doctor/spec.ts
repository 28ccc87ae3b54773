import { defineSpec } from '../../arguments/spec.ts';

export const doctorSpec = defineSpec({
  name: 'doctor',
  summary: 'look for whatever keeps hooks from doing their work, without running any',
  description: [
    'Hooks that can never run, programs that are not there, scripts that fail when they are started, matchers that match nothing, hooks that are there twice, variables that hooks do not see, and more. Each finding says what, where, what comes of it, and what to do. docs/doctor.md has all checks.',
  ],
  flags: {
    tools: {
      kind: 'list',
      value: 'name',
      summary: 'all tools of your agent; without it those in recordings and those of well-known agents',
      complete: 'tools',
    },
    environment: {
      kind: 'switch',
      summary: 'show the environment hooks will see; values only where they are harmless',
    },
  },
  examples: [
    { command: 'hookwright doctor', does: 'what is wrong, the worst first' },
    { command: 'hookwright doctor --tools Bash,Edit,Write', does: 'is there a matcher that matches none of my tools?' },
    { command: 'hookwright doctor --environment', does: 'which variables do hooks of a project not get?' },
    { command: 'hookwright doctor --json', does: 'for a pipeline' },
  ],
  exit: { ok: 'nothing worse than a note', findings: 'at least one warning or error' },
});
