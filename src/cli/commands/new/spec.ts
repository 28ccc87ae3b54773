/** The command line of `new`: arguments, flags, examples and exit codes. */
import { payloadFlags } from '../../arguments/flags.ts';
import { defineSpec } from '../../arguments/spec.ts';
import { languages } from '../../scaffold/language-names.ts';
import { templateNames } from '../../scaffold/templates.ts';
import { dryRunFlag, scopeFlag } from '../../settings-edit/settings-files.ts';

export const newSpec = defineSpec({
  name: 'new',
  summary: 'create a hook: a script or a rule, its test, and the entry in the settings',
  description: [
    'With --forbid, writes a rule that refuses commands or calls, without a script. With --template, writes a hook that works as it is.',
    'Any other hook before a tool gets a script and a test that you complete: each has a line marked EDIT THIS LINE. Until you edit both, the test fails and the user is asked about each call. For an event that takes context, the new hook adds some; for other events, it only observes. If a hook that may refuse fails, the user is asked (onFault: "ask").',
    'A hook for an ability event, such as PreAbilityCall, is a declaration in .system/hooks, with a script and a test; --matcher names its abilities.',
    'Existing files are never overwritten. A new hook of the project is approved as created. After a change, approve it again with hookwright trust.',
  ],
  arguments: [{ name: 'name', summary: 'the name of the hook; default with --template: the name of the template' }],
  flags: {
    event: { kind: 'text', value: 'name', summary: 'the event; default: BeforeTool', complete: 'events' },
    matcher: {
      kind: 'text',
      value: 'text',
      summary: 'the tools, or the value of the event, that it is for',
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
      filled: true,
      summary: 'write a rule that refuses these commands or calls, instead of a script',
    },
    worker: { kind: 'switch', summary: 'create a worker: one process for all events, in node or python' },
    scope: { ...scopeFlag.scope, summary: 'the settings to add it to; default: project' },
    tool: { ...payloadFlags.tool, summary: 'the tool that its test calls, if the matcher names none' },
    ...dryRunFlag,
  },
  examples: {
    'hookwright new --template scan-secrets': 'a hook that works, and its test',
    "hookwright new no-force-push --forbid 'git*push* --force' --forbid 'git*push* -f'":
      'a rule without a script: it refuses commands with one of these texts',
    "hookwright new no-rm --forbid 'rm -rf' --matcher 'my_shell|Bash'":
      'a rule for tools with other names: my_shell and Bash run commands here',
    "hookwright new no-env --forbid 'Edit(.env)'": 'a rule about one tool',
    'hookwright new no-force --matcher Bash': 'a script of your own that may refuse calls of the tool Bash',
    'hookwright new house-rules --event BeforeAgent --language python': 'adds context to every prompt',
    'hookwright new no-force --worker': 'a worker: one process for all events',
    'hookwright new mine --scope user --language sh': 'for you, in every project',
    'hookwright new guard-production --event PreAbilityCall --matcher deploy_service':
      'a guard of the repository: its script allows or refuses a deployment',
    'hookwright new no-force --dry-run': 'show the changes, and write nothing',
  },
  exit: {
    ok: 'it was created',
    findings: 'the name is taken, a file is in the way, or the settings cannot be changed',
  },
});
