/** The command line of `undo`: arguments, flags, examples and exit codes. */
import { defineSpec } from '../../arguments/spec.ts';
import { dryRunFlag } from '../../settings-edit/settings-files.ts';

export const undoSpec = defineSpec({
  name: 'undo',
  summary: 'take back the last change that hookwright made to a settings file',
  description: [
    'Restores the file byte for byte. A file that has changed since is left as it is. Files created by new or init are deleted too, unless they were edited; on a terminal you are asked first, elsewhere this needs --yes. Run it again to take back earlier changes, up to twenty. Old versions are kept in ~/.hookwright/undo.',
  ],
  arguments: [
    {
      name: 'file',
      summary: 'a settings file, also of another agent; default: the one that was changed last',
      complete: 'files',
    },
  ],
  flags: {
    yes: { kind: 'switch', summary: 'also delete the files that were created with it, without asking' },
    ...dryRunFlag,
  },
  examples: {
    'hookwright undo': 'take back the last enable, disable, new or init',
    'hookwright undo --dry-run': 'show the change that it would take back',
    'hookwright undo ~/.hookwright/settings.json': 'the last change of this file',
  },
  exit: {
    ok: 'it was taken back',
    findings:
      'there is nothing to take back, the file was changed since, or cannot be written, or files would have been deleted',
  },
});
