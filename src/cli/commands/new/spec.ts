import { defineSpec } from '../../arguments/spec.ts';
import { languages } from '../../scaffold/language-names.ts';
import { templateNames } from '../../scaffold/templates.ts';
import { dryRunFlag, scopes } from '../../settings-edit/settings-files.ts';

export const newSpec = defineSpec({
  name: 'new',
  summary: 'create a hook: a script or a rule, its test, and the entry in the settings',
  description: [
    'With --forbid it is a rule, which refuses commands or calls without a script. With --template it is a hook that works as it is. For any other hook before a tool, only you know what it refuses: its script and its test have a line each that says EDIT THIS LINE, and until you did, the test fails and each call is asked about. For an event that takes context, the new hook adds some; for any other, it only observes. If a hook that may refuse fails, the user is asked (onFault: "ask"). Existing files are never overwritten. A hook for an ability event, such as PreAbilityCall, is a declaration in .system/hooks, with a script and a test; --matcher names its abilities. A hook of the project is approved as created. After you change it, approve it again with hookwright trust.',
  ],
  arguments: [{ name: 'name', summary: 'the name of the hook; with --template, default: that of the template' }],
  flags: {
    event: { kind: 'text', value: 'name', summary: 'the event; default: BeforeTool', complete: 'events' },
    matcher: {
      kind: 'text',
      value: 'text',
      summary: 'which tools, or which value of the event, it is for',
      complete: 'tools',
    },
    language: { kind: 'text', value: 'name', summary: 'its language; default: node', choices: languages },
    template: {
      kind: 'text',
      value: 'name',
      summary: 'start from a working hook',
      choices: templateNames,
    },
    forbid: {
      kind: 'list',
      value: 'pattern',
      summary: 'write a rule that refuses such commands or calls, in place of a script',
    },
    worker: { kind: 'switch', summary: 'one process that answers all events; node or python' },
    scope: {
      kind: 'text',
      value: 'whose',
      summary: 'where to configure it; default: project',
      choices: scopes,
    },
    tool: {
      kind: 'text',
      value: 'name',
      summary: 'the tool that its test calls, if the matcher names none',
      complete: 'tools',
    },
    ...dryRunFlag,
  },
  examples: [
    { command: 'hookwright new --template scan-secrets', does: 'a hook that works, and its test' },
    {
      command: `hookwright new no-force-push --forbid 'git*push* --force' --forbid 'git*push* -f'`,
      does: 'a rule: no script, and no command with one of these texts',
    },
    {
      command: `hookwright new no-rm --forbid 'rm -rf' --matcher 'my_shell|Bash'`,
      does: 'the same, where the tools that run commands are called my_shell and Bash',
    },
    { command: `hookwright new no-env --forbid 'Edit(.env)'`, does: 'a rule about one tool' },
    {
      command: 'hookwright new no-force --matcher Bash',
      does: 'a script of your own that may refuse calls of the tool Bash',
    },
    {
      command: 'hookwright new house-rules --event BeforeAgent --language python',
      does: 'adds context to every prompt',
    },
    { command: 'hookwright new no-force --worker', does: 'a worker: one process for all events' },
    { command: 'hookwright new mine --scope user --language sh', does: 'for you, in every project' },
    {
      command: 'hookwright new guard-production --event PreAbilityCall --matcher deploy_service',
      does: 'a guard of the repository: its script decides who may deploy',
    },
    { command: 'hookwright new no-force --dry-run', does: 'what would be written' },
  ],
  exit: {
    ok: 'it was created',
    findings: 'the name is taken, a file is in the way, or the settings cannot be changed',
  },
});
