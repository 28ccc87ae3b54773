import { defineSpec } from '../../arguments/spec.ts';
import { dryRunFlag } from '../../settings-edit/flags.ts';

export const undoSpec = defineSpec({
  name: 'undo',
  summary: 'take back the last change that hookwright made to a settings file',
  description: [
    'The file gets the very bytes it had before. A file that was changed since by anybody else is left alone. Files that new or init made go, too, unless somebody worked on them; before any file is deleted a person on a terminal is asked, and elsewhere it takes --yes. Again takes back the change before that one, up to twenty. What files looked like is kept in ~/.hookwright/undo.',
  ],
  arguments: [
    {
      name: 'file',
      summary: 'a settings file; the one that was changed last when left out',
      complete: 'files',
    },
  ],
  flags: {
    yes: { kind: 'switch', summary: 'delete the files that go with it, without being asked' },
    ...dryRunFlag,
  },
  examples: [
    { command: 'hookwright undo', does: 'take back the last enable, disable, new or init' },
    { command: 'hookwright undo --dry-run', does: 'show what that would be' },
    { command: 'hookwright undo ~/.hookwright/settings.json', does: 'the last change of this file' },
  ],
  exit: {
    ok: 'it was taken back',
    findings:
      'there is nothing to take back, the file was changed since, or cannot be written, or files would have been deleted',
  },
});
