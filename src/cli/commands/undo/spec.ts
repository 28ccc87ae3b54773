import { defineSpec } from '../../arguments/spec.ts';
import { dryRunFlag } from '../../settings-edit/flags.ts';

export const undoSpec = defineSpec({
  name: 'undo',
  summary: 'take back the last change that hookwright made to a settings file',
  description: [
    'Restores the file byte for byte. A file that somebody else changed since is left alone. Files made by new or init are deleted too, unless somebody edited them; you are asked first on a terminal, elsewhere it takes --yes. Run it again to take back the change before, up to twenty. Old versions are kept in ~/.hookwright/undo.',
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
