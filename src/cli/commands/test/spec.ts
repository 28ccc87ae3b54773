import { agentFlags } from '../../agents/flags.ts';
import { filterFlags } from '../../arguments/flags.ts';
import { defineSpec } from '../../arguments/spec.ts';
import { reporterFlag } from '../../reporting/report.ts';

export const testSpec = defineSpec({
  name: 'test',
  summary: 'run the tests of your hooks; with --chaos, see who would fail open',
  description: [
    'A test is a small file: an event, its payload, and what is expected. Tests are *.test.json files below .hookwright, and <script>.test.json beside the script of a hook. They go through the real engine: the plan, trust, the hooks themselves side effects included, and the merge. A hook that breaks, or that is kept from running, fails its test unless the test expects it. Tests of ability hooks, in .system/hook-tests, are run with all others; a selection leaves them out.',
    'With --chaos every command hook that a test reaches is run with broken input, and then replaced by programs that fail in all the ways programs do. The report says who would have let the agent go on although its test says no.',
  ],
  arguments: [
    {
      name: 'files',
      summary: 'files and directories with tests; all there are when left out',
      rest: true,
      complete: 'files',
    },
  ],
  flags: {
    ...reporterFlag,
    name: {
      kind: 'text',
      value: 'text',
      summary: 'only tests whose name has this text, or matches this /regular expression/',
    },
    hooks: { kind: 'list', value: 'name', summary: 'only tests in which these hooks run', complete: 'hooks' },
    events: filterFlags.events,
    update: { kind: 'switch', summary: 'write what was found into the tests that failed; never a fault' },
    watch: { kind: 'switch', summary: 'run again when a test, a script or the settings change; Ctrl-C ends it' },
    chaos: { kind: 'switch', summary: 'also run each hook with broken input, and as if it failed' },
    timeout: { kind: 'number', value: 'ms', summary: 'how long a test, or a hook under --chaos, may take' },
    'trust-project': {
      kind: 'switch',
      summary: 'run hooks of the project although nobody approved them; nothing is stored',
    },
    ...agentFlags,
  },
  examples: [
    { command: 'hookwright test', does: 'all tests of this project' },
    { command: 'hookwright test --watch --hooks no-rm', does: 'while you work on one hook' },
    { command: 'hookwright test --update', does: 'what came out is right: let the tests expect it' },
    { command: 'hookwright test --chaos', does: 'who would fail open?' },
    { command: 'hookwright test --trust-project --json', does: 'in a pipeline, where nobody approves anything' },
  ],
  exit: {
    ok: 'all tests passed, and with --chaos nobody would have failed open',
    findings: 'a test failed or could not be read, there are none, or a hook would fail open',
  },
});
