/** The command line of `import`: arguments, flags, examples and exit codes. */
import { agentNameChoices } from '../../agents/agent-flags.ts';
import { defineSpec } from '../../arguments/spec.ts';
import { dryRunFlag } from '../../settings-edit/settings-files.ts';

export const importSpec = defineSpec({
  name: 'import',
  summary: 'copy the hooks of another agent into your settings, and list the losses',
  description: [
    'Reads another agent’s hooks, here and in your home directory, and writes them into your settings. Each keeps the format of that agent, which "agent" names in its entry, so scripts work unchanged. With --to they are converted for a third agent. Losses are listed line by line. To take the import back, use hookwright undo.',
  ],
  flags: {
    from: { kind: 'text', value: 'agent', summary: 'the agent to import from', choices: agentNameChoices },
    to: {
      kind: 'text',
      value: 'agent',
      summary: 'the agent to convert for; default: hookwright',
      choices: ['hookwright', ...agentNameChoices],
    },
    'agent-version': {
      kind: 'text',
      formerly: 'version',
      value: 'number',
      summary: 'apply the rules of this version of the agent; default: the newest known',
    },
    rewrite: {
      kind: 'switch',
      summary: 'convert them to hookwright’s format; lists the changes in the input and output of each script',
    },
    ...dryRunFlag,
  },
  examples: {
    'hookwright import --from claude-code --dry-run': 'show the changes and the losses, and write nothing',
    'hookwright import --from claude-code': 'into .hookwright/settings.json',
    'hookwright import --from claude-code --to cursor': 'into .cursor/hooks.json',
  },
  exit: {
    ok: 'all hooks were imported unchanged, or there were none',
    findings: 'something could not be kept, or a file could not be written',
  },
});
