import { dryRunFlag } from '../../settings-edit/flags.ts';
import { defineSpec } from '../../spec.ts';

export const undoSpec = defineSpec({
  name: 'undo',
  summary: 'take back the last change that hookwright made to a settings file',
  description: [
    'The file gets the very bytes it had before. A file that was changed since by anybody else is left alone. Files that new or init made go, too, unless somebody worked on them. Again takes back the change before that one, up to twenty. What files looked like is kept in ~/.hookwright/undo.',
  ],
  arguments: [
    {
      name: 'file',
      summary: 'a settings file; the one that was changed last when left out',
      complete: 'files',
    },
  ],
  flags: dryRunFlag,
  examples: [
    { command: 'hookwright undo', does: 'take back the last enable, disable or new' },
    { command: 'hookwright undo --dry-run', does: 'show what that would be' },
    { command: 'hookwright undo ~/.hookwright/settings.json', does: 'the last change of this file' },
  ],
  exit: { ok: 'it was taken back', findings: 'the file was changed since, or cannot be written' },
});
