import { defineSpec } from '../../arguments/spec.ts';
import { languages } from '../../scaffold/language-names.ts';
import { templateNames } from '../../scaffold/templates.ts';
import { dryRunFlag } from '../../settings-edit/flags.ts';
import { scopes } from '../../settings-edit/settings-files.ts';

export const newSpec = defineSpec({
  name: 'new',
  summary: 'create a hook: a script, a test that passes, and the entry in the settings',
  description: [
    'For an event before tools the new hook refuses something; for an event that takes context it tells the model something; for any other it only watches. When a hook that refuses fails itself, the user is asked (onFault: "ask"). Existing files are never overwritten. A hook for an event of the ability system (PreAbilityCall and its kin) is a declaration in .system/hooks with a script and a test beside it; --matcher names the abilities it is about. A hook of the project is approved as it was written; once you have changed it, hookwright trust approves it again.',
  ],
  arguments: [{ name: 'name', summary: 'how it is called; with --template that of the template when left out' }],
  flags: {
    event: { kind: 'text', value: 'name', summary: 'the event; BeforeTool when left out', complete: 'events' },
    matcher: {
      kind: 'text',
      value: 'text',
      summary: 'for which tools, or for which word of its event',
      complete: 'tools',
    },
    language: { kind: 'text', value: 'name', summary: 'what it is written in; node when left out', choices: languages },
    template: {
      kind: 'text',
      value: 'name',
      summary: 'begin with a hook that does something already',
      choices: templateNames,
    },
    worker: { kind: 'switch', summary: 'a process that stays and is asked for each event; node or python' },
    scope: {
      kind: 'text',
      value: 'whose',
      summary: 'whose hook; that of the project when left out',
      choices: scopes,
    },
    tool: {
      kind: 'text',
      value: 'name',
      summary: 'the tool its test calls, where the matcher does not say',
      complete: 'tools',
    },
    ...dryRunFlag,
  },
  examples: [
    { command: 'hookwright new --template scan-secrets', does: 'a hook that works, and its test' },
    { command: 'hookwright new no-force --matcher Bash', does: 'a hook that may refuse what the tool Bash is to do' },
    {
      command: 'hookwright new house-rules --event BeforeAgent --language python',
      does: 'tells the model something with every prompt',
    },
    { command: 'hookwright new no-force --worker', does: 'a worker: one process for all events' },
    { command: 'hookwright new mine --scope user --language sh', does: 'for you, in every project' },
    {
      command: 'hookwright new guard-production --event PreAbilityCall --matcher deploy_service',
      does: 'a guard of the repository: who may deploy is for its script to say',
    },
    { command: 'hookwright new no-force --dry-run', does: 'what would be written' },
  ],
  exit: { ok: 'it was made', findings: 'the name is taken, a file is in the way, or the settings cannot be changed' },
});
