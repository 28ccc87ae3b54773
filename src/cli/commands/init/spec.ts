import { defineSpec } from '../../arguments/spec.ts';
import { FIRST_TEMPLATE, templateOf } from '../../scaffold/templates.ts';
import { dryRunFlag } from '../../settings-edit/flags.ts';

const firstLanguages = Object.keys(templateOf(FIRST_TEMPLATE)?.scripts ?? {});

export const initSpec = defineSpec({
  name: 'init',
  summary: 'start with hooks in a project: settings with comments, one hook that works, and its test',
  description: [
    'Makes .hookwright/settings.json, which explains itself, and a hook that keeps secrets and the inside of .git from being touched. Existing files are never overwritten.',
  ],
  flags: {
    language: {
      kind: 'text',
      value: 'name',
      summary: 'what the hook is written in; node when left out',
      choices: firstLanguages,
    },
    abilities: {
      kind: 'switch',
      summary: 'begin with an ability of the repository and a guard that refuses it for production',
    },
    ...dryRunFlag,
  },
  examples: [
    { command: 'hookwright init', does: 'then try it: hookwright test' },
    { command: 'hookwright init --abilities', does: 'an ability, a guard and its script, and how to see it refuse' },
    { command: 'hookwright init --language python --dry-run', does: 'what would be written' },
  ],
  exit: { ok: 'it was made', findings: 'there are settings already, or they cannot be written' },
});
