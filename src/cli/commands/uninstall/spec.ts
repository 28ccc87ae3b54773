/** The command line of `uninstall`: arguments, flags, examples and exit codes. */
import { agentNameChoices, agentScopeFlag } from '../../agents/agent-flags.ts';
import { defineSpec } from '../../arguments/spec.ts';
import { dryRunFlag } from '../../settings-edit/settings-files.ts';

export const uninstallSpec = defineSpec({
  name: 'uninstall',
  summary: 'remove the lines that install wrote into the settings of another agent',
  description: ['All other hooks in the file stay as they are.'],
  flags: {
    from: { kind: 'text', value: 'agent', summary: 'the agent to disconnect', choices: agentNameChoices },
    ...agentScopeFlag,
    ...dryRunFlag,
  },
  examples: {
    'hookwright uninstall --from cursor': 'Cursor no longer runs these hooks',
  },
  exit: { ok: 'no line of hookwright is left', findings: 'the file could not be written' },
});
