import { agentFlags } from '../../agents/flags.ts';
import { defineSpec } from '../../arguments/spec.ts';
import { reporterFlag } from '../../reporting/report.ts';

export const doctorSpec = defineSpec({
  name: 'doctor',
  summary: 'look for anything that keeps hooks from working, without running any',
  description: [
    'Hooks that can never run, programs that are not there, scripts that fail when they are started, matchers that match nothing, hooks that are there twice, variables that hooks do not see, and more. Each finding says what is wrong, where, what happens because of it, and what to do. docs/doctor.md has all checks.',
  ],
  arguments: [
    {
      name: 'files',
      summary: 'with --drift: JSON files of recorded stdin, or folders of them',
      rest: true,
      complete: 'files',
    },
  ],
  flags: {
    ...reporterFlag,
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
    'all-agents': {
      kind: 'switch',
      summary: 'what the hooks of this repository mean to each agent that reads them, and which run twice',
    },
    drift: {
      kind: 'switch',
      summary: 'compare recorded stdin with what is known of each agent, and report unknown members',
    },
    ...agentFlags,
  },
  examples: [
    { command: 'hookwright doctor', does: 'what is wrong, the worst first' },
    { command: 'hookwright doctor --tools Bash,Edit,Write', does: 'is there a matcher that matches none of my tools?' },
    { command: 'hookwright doctor --environment', does: 'which variables do hooks of a project not get?' },
    { command: 'hookwright doctor --all-agents', does: 'who else reads these files, and what does it make of them?' },
    { command: 'hookwright doctor --drift captured/', does: 'does my agent send something new?' },
    { command: 'hookwright doctor --json', does: 'for a pipeline' },
  ],
  exit: { ok: 'nothing worse than a note', findings: 'at least one warning or error' },
});
