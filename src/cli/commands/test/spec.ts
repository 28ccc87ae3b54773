/** The command line of `test` and `test --races`: arguments, flags, examples and exit codes. */
import { agentAndModeFlags } from '../../agents/agent-flags.ts';
import { eventArgument, filesArgument, filterFlags, hookFilterFlag, payloadFlags } from '../../arguments/flags.ts';
import { defineSpec } from '../../arguments/spec.ts';
import { reporterFlag } from '../../rendering/reporters.ts';

export const testSpec = defineSpec({
  name: 'test',
  summary: 'run the tests of your hooks; with --chaos, find hooks that fail open',
  description: [
    'A test is a small file: an event, its payload, and the expected result. Tests are *.test.json files below .hookwright, and <script>.test.json beside the script of a hook. They use the real engine: hooks need approval, and run with their side effects. If a hook fails or may not run, its test fails, unless the test expects that. Tests of ability hooks, in .system/hook-tests, run too, unless you select tests.',
    'With --chaos, every command hook that a test reaches also runs with broken input, and is then replaced by programs that fail in every known way. The report lists hooks that fail open: the call goes ahead although the test expects a refusal.',
  ],
  arguments: [{ ...filesArgument, summary: 'files and directories with tests; default: all' }],
  flags: {
    ...reporterFlag,
    name: {
      kind: 'text',
      value: 'text',
      summary: 'only tests with this text in their name, or matched by this /regular expression/',
    },
    hook: { ...hookFilterFlag.hook, summary: 'only tests in which these hooks run' },
    event: filterFlags.event,
    update: { kind: 'switch', summary: 'write the actual result into failed tests, but never a fault' },
    watch: { kind: 'switch', summary: 'run again when a test, a script or the settings change; Ctrl-C ends it' },
    chaos: { kind: 'switch', summary: 'also run each hook with broken input, and as if it failed' },
    timeout: { kind: 'number', value: 'ms', summary: 'the time limit of a test, and of a hook with --chaos' },
    'trust-project': {
      kind: 'switch',
      summary: 'run project hooks without approval; nothing is stored',
    },
    ...agentAndModeFlags,
  },
  examples: {
    'hookwright test': 'all tests of this project',
    'hookwright test --watch --hook no-rm': 'while you work on one hook',
    'hookwright test --update': 'the results are right: write them into the tests',
    'hookwright test --chaos': 'which hooks would fail open?',
    'hookwright test --trust-project --json': 'in a pipeline, without approvals',
  },
  exit: {
    ok: 'all tests passed, and with --chaos no hook would fail open',
    findings: 'a test failed or could not be read, there are none, or a hook would fail open',
  },
});

export const testRacesSpec = defineSpec({
  name: 'test --races',
  formerly: 'races',
  summary: 'find hooks of an event that depend on their order, or on when they start',
  description: ['The hooks run for real, many times, with their side effects.'],
  arguments: [eventArgument],
  flags: {
    ...payloadFlags,
    orders: { kind: 'number', value: 'count', summary: 'how many orders to try; default: 24' },
    latencies: { kind: 'list', value: 'ms', summary: 'pauses between two starts; default: 0 and 20' },
  },
  examples: {
    'hookwright test --races BeforeTool --tool Bash --input \'{"tool_input": {"command": "ls"}}\'':
      'all orders of the hooks that match',
    'hookwright test --races BeforeTool --tool Bash --latencies 0,200': 'for hooks that take longer',
  },
  exit: { ok: 'no races were found', findings: 'the result depends on the order or the timing of two hooks' },
});
