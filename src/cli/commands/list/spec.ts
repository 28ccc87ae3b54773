/** The command line of `list`: arguments, flags, examples and exit codes. */
import { agentAndModeFlags } from '../../agents/agent-flags.ts';
import { filterFlags } from '../../arguments/flags.ts';
import { defineSpec } from '../../arguments/spec.ts';

export const listSpec = defineSpec({
  name: 'list',
  summary: 'list all hooks that are configured here, and the problems in the settings',
  description: [
    'Reads the settings of the project, the user, the system and extensions, as an agent started here would. Shows one row for each entry, including those that can never run.',
  ],
  flags: {
    origin: { kind: 'switch', summary: 'show the file and line each hook comes from' },
    event: { ...filterFlags.event, summary: 'only hooks of these events' },
    ...agentAndModeFlags,
  },
  examples: {
    'hookwright list': 'all hooks in the order in which they would run',
    'hookwright list --origin': 'with the file and line of each',
    'hookwright list --agent cursor': 'the hooks that Cursor has here',
    'hookwright list --event BeforeTool --json': 'as data, for a script',
  },
  exit: { ok: 'the settings could be read; problems in them are listed' },
});
