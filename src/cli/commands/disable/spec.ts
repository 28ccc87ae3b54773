import { defineSpec } from '../../arguments/spec.ts';
import { dryRunFlag, scopeFlag } from '../../settings-edit/settings-files.ts';

export const disableSpec = defineSpec({
  name: 'disable',
  summary: 'switch a hook off, by name, in the settings of the user or the project',
  description: [
    'Adds the name to hooksConfig.disabled in the settings that configure the hook, and leaves everything else in the file as it is, with comments. A project can switch off only its own hooks; with --scope user, any hook is off for you.',
  ],
  arguments: [
    {
      name: 'hook',
      summary: 'its name (or its command, if it has no name) or its id',
      required: true,
      complete: 'hooks',
    },
  ],
  flags: { ...scopeFlag, ...dryRunFlag },
  examples: [
    { command: 'hookwright disable format', does: 'hooks with the name format no longer run' },
    { command: 'hookwright disable format --scope user', does: "off for you, without a change to the project's files" },
    { command: 'hookwright disable format --dry-run', does: 'show the changes, and write nothing' },
  ],
  exit: { ok: 'it is switched off, or was already', findings: 'the settings could not be changed' },
});
