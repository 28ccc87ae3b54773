/** The command line of `init`: arguments, flags, examples and exit codes. */
import { defineSpec } from '../../arguments/spec.ts';
import { FIRST_TEMPLATE, findTemplate } from '../../scaffold/templates.ts';
import { dryRunFlag } from '../../settings-edit/settings-files.ts';

const firstLanguages = Object.keys(findTemplate(FIRST_TEMPLATE)?.scripts ?? {});

export const initSpec = defineSpec({
  name: 'init',
  summary: 'set up hooks in a project: settings with comments, a first hook, and its test',
  description: [
    'Creates .hookwright/settings.json, with comments, and a hook that protects files with secrets and the .git directory. Existing files are never overwritten.',
  ],
  flags: {
    language: {
      kind: 'text',
      value: 'name',
      summary: 'the language of the hook; default: node',
      choices: firstLanguages,
    },
    abilities: {
      kind: 'switch',
      summary: 'create an ability and a guard that refuses it for production',
    },
    ...dryRunFlag,
  },
  examples: {
    'hookwright init': 'then try hookwright test',
    'hookwright init --abilities': 'an ability, a guard with its script, and a command to see it refuse',
    'hookwright init --language python --dry-run': 'show the changes, and write nothing',
  },
  exit: { ok: 'it was created', findings: 'there are settings already, or they cannot be written' },
});
