/** The command line of `validate`: arguments, flags, examples and exit codes. */
import { agentFlags } from '../../agents/agent-flags.ts';
import { filesArgument } from '../../arguments/flags.ts';
import { defineSpec } from '../../arguments/spec.ts';
import { reporterFlag } from '../../rendering/reporters.ts';

export const validateSpec = defineSpec({
  name: 'validate',
  summary: 'check the settings files, and show each problem with line, column and fix',
  arguments: [{ ...filesArgument, summary: 'project settings to check; default: those found here' }],
  flags: { ...agentFlags, ...reporterFlag },
  examples: {
    'hookwright validate': 'all settings that an agent started here would read',
    'hookwright validate .hookwright/settings.json': 'only this file',
    'hookwright validate --agent codex': 'the files that Codex reads here, as it reads them',
    'hookwright validate --json': 'for an editor or a pipeline',
  },
  exit: { ok: 'nothing is wrong', findings: 'at least one problem' },
});
