/** The command line of `disable` and `disable --all`: arguments, flags, examples and exit codes. */
import { hookArgument } from '../../arguments/flags.ts';
import { defineSpec } from '../../arguments/spec.ts';
import { dryRunFlag, scopeFlag } from '../../settings-edit/settings-files.ts';

export const disableSpec = defineSpec({
  name: 'disable',
  summary: 'switch a hook off, by name, in the settings of the user or the project',
  description: [
    'Adds the name to hooksConfig.disabled in the settings that configure the hook, and leaves everything else in the file as it is, with comments. A project can switch off only its own hooks; with --scope user, any hook is off for you.',
  ],
  arguments: [hookArgument],
  flags: { ...scopeFlag, ...dryRunFlag },
  examples: {
    'hookwright disable format': 'hooks with the name format no longer run',
    'hookwright disable format --scope user': "off for you, without a change to the project's files",
    'hookwright disable format --dry-run': 'show the changes, and write nothing',
  },
  exit: { ok: 'it is switched off, or was already', findings: 'the settings could not be changed' },
});

export const disableAllSpec = defineSpec({
  name: 'disable --all',
  formerly: 'off',
  summary: 'switch all hooks off for a while',
  description: [
    'All hooks from files stop running until the time is over: in every project and agent of this user, including ability hooks and hooks of the user and the system. Then they run again, in running sessions too. This works only on a terminal, so that no script can do it. Results, list, doctor and the log of each agent show it. A running agent notices at its next event.',
    'Hooks in a program’s own code stay on. `hookwright enable --all` switches them on again early. The state is kept in ~/.hookwright/off.json.',
  ],
  flags: {
    for: { kind: 'text', value: 'time', summary: 'how long: 30s, 10m or 2h, up to 24h' },
  },
  examples: {
    'hookwright disable --all --for 10m': 'no hooks for ten minutes',
  },
  exit: { ok: 'done', findings: 'without a terminal, nothing was changed' },
});
