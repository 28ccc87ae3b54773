/** The command line of `enable` and `enable --all`: arguments, flags, examples and exit codes. */
import { hookArgument } from '../../arguments/flags.ts';
import { defineSpec } from '../../arguments/spec.ts';
import { dryRunFlag, scopeFlag } from '../../settings-edit/settings-files.ts';

export const enableSpec = defineSpec({
  name: 'enable',
  summary: 'switch on a hook that was switched off by name',
  description: [
    'Removes the name from every list of the user and the project that switches it off. If the file has not changed since the disable, it is restored byte for byte. Lists other reasons why the hook does not run.',
  ],
  arguments: [hookArgument],
  flags: { ...scopeFlag, ...dryRunFlag },
  examples: {
    'hookwright enable format': 'wherever it was switched off',
    'hookwright enable format --scope user': 'only in your own settings',
    'hookwright enable format --dry-run': 'show the changes, and write nothing',
  },
  exit: { ok: 'it is switched on, or was already', findings: 'it is still switched off' },
});

export const enableAllSpec = defineSpec({
  name: 'enable --all',
  formerly: 'off --end',
  summary: 'switch all hooks on again, before the time of disable --all is over',
  examples: {
    'hookwright enable --all': 'hooks run again, in running sessions too',
  },
  exit: { ok: 'hooks are on' },
});
