import { rehearsalFlags } from '../../agents/agent-flags.ts';
import { filterFlags } from '../../arguments/flags.ts';
import { defineSpec } from '../../arguments/spec.ts';
import { reporterFlag } from '../../reporting/reporter-flag.ts';

export const testSpec = defineSpec({
  name: 'test',
  summary: 'run the tests of your hooks; with --chaos, see which would fail open',
  description: [
    'A test is a small file: an event, its payload, and the expected result. Tests are *.test.json files below .hookwright, and <script>.test.json beside the script of a hook. They use the real engine: the plan, trust, the hooks with their side effects, and the merge. A hook that fails, or may not run, fails its test unless the test expects that. Tests of ability hooks, in .system/hook-tests, run with all others, but not with a selection.',
    'With --chaos, every command hook that a test reaches also runs with broken input, and is then replaced by programs that fail in every known way. The report shows which hooks would have let the agent go on although their test expects a refusal.',
  ],
  arguments: [
    {
      name: 'files',
      summary: 'files and directories with tests; default: all',
      rest: true,
      complete: 'files',
    },
  ],
  flags: {
    ...reporterFlag,
    name: {
      kind: 'text',
      value: 'text',
      summary: 'only tests whose name contains this text, or matches this /regular expression/',
    },
    hook: {
      kind: 'list',
      formerly: 'hooks',
      value: 'name',
      summary: 'only tests in which these hooks run',
      complete: 'hooks',
    },
    event: filterFlags.event,
    update: { kind: 'switch', summary: 'write the actual result into failed tests, but never a fault' },
    watch: { kind: 'switch', summary: 'run again when a test, a script or the settings change; Ctrl-C ends it' },
    chaos: { kind: 'switch', summary: 'also run each hook with broken input, and as if it failed' },
    timeout: { kind: 'number', value: 'ms', summary: 'the time limit of a test, and of a hook with --chaos' },
    'trust-project': {
      kind: 'switch',
      summary: 'run project hooks without approval; nothing is stored',
    },
    ...rehearsalFlags,
  },
  examples: [
    { command: 'hookwright test', does: 'all tests of this project' },
    { command: 'hookwright test --watch --hook no-rm', does: 'while you work on one hook' },
    { command: 'hookwright test --update', does: 'the results are right: make the tests expect them' },
    { command: 'hookwright test --chaos', does: 'which hooks would fail open?' },
    { command: 'hookwright test --trust-project --json', does: 'in a pipeline, where nobody can approve' },
  ],
  exit: {
    ok: 'all tests passed, and with --chaos no hook would fail open',
    findings: 'a test failed or could not be read, there are none, or a hook would fail open',
  },
});
