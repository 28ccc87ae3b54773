/** The command line of `doctor`: arguments, flags, examples and exit codes. */
import { agentFlags } from '../../agents/agent-flags.ts';
import { filesArgument, filterFlags } from '../../arguments/flags.ts';
import { defineSpec } from '../../arguments/spec.ts';
import { reporterFlag } from '../../rendering/reporters.ts';

export const doctorSpec = defineSpec({
  name: 'doctor',
  summary: 'find problems that keep hooks from working, without running a hook',
  description: [
    'Finds hooks that can never run, missing programs, scripts that cannot start, matchers that match nothing, duplicate hooks, variables that hooks do not see, and more. Each finding names the problem, its location, its effect and the fix. docs/doctor.md lists all checks, docs/reasons.md all codes.',
  ],
  arguments: [{ ...filesArgument, summary: 'with --drift: JSON files of recorded stdin, or folders of them' }],
  flags: {
    ...reporterFlag,
    tool: {
      ...filterFlags.tool,
      summary: 'all tools of your agent; default: those in recordings and those of well-known agents',
    },
    environment: {
      kind: 'switch',
      summary: 'show the environment that hooks will see, with harmless values only',
    },
    'all-agents': {
      kind: 'switch',
      summary: 'show how each agent reads the hooks of this repository, and which run twice',
    },
    drift: {
      kind: 'switch',
      summary: 'compare recorded stdin with the known format of each agent, and report unknown fields',
    },
    ...agentFlags,
  },
  examples: {
    'hookwright doctor': 'all problems, worst first',
    'hookwright doctor --tool Bash,Edit,Write': 'does every matcher match one of my tools?',
    'hookwright doctor --environment': 'which variables do project hooks not get?',
    'hookwright doctor --all-agents': 'which other agents read these files, and how?',
    'hookwright doctor --drift captured/': 'does my agent send new fields?',
    'hookwright doctor --json': 'for a pipeline',
  },
  exit: { ok: 'nothing worse than a note', findings: 'at least one warning or error' },
});
