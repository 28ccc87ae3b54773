import { defineSpec } from '../../arguments/spec.ts';
import { dryRunFlag, scopeFlag } from '../../settings-edit/flags.ts';

export const enableSpec = defineSpec({
  name: 'enable',
  summary: 'switch a hook on again that was switched off by name',
  description: [
    'Takes the name out of every list of the user and the project that switches it off. After a disable that nobody touched since, the file has the very bytes it had before. Says what else keeps the hook from running.',
  ],
  arguments: [
    { name: 'hook', summary: 'its name (or command, where it has none) or its id', required: true, complete: 'hooks' },
  ],
  flags: { ...scopeFlag, ...dryRunFlag },
  examples: [
    { command: 'hookwright enable format', does: 'wherever it was switched off' },
    { command: 'hookwright enable format --scope user', does: 'only in your own settings' },
    { command: 'hookwright enable format --dry-run', does: 'what would be written' },
  ],
  exit: { ok: 'it is switched on, or was already', findings: 'it is still switched off' },
});
