/** The command line of `run`: arguments, flags, examples and exit codes. */
import { agentAndModeFlags } from '../../agents/agent-flags.ts';
import { inputSessionFlag, payloadFlags } from '../../arguments/flags.ts';
import { defineSpec } from '../../arguments/spec.ts';

export const runSpec = defineSpec({
  name: 'run',
  summary: 'fire an event with the real hooks, and show the verdict and the result of each hook',
  description: [
    'The hooks run for real, with their side effects. Missing payload fields get placeholder values, which the output lists.',
  ],
  arguments: [
    {
      name: 'event',
      summary: 'the event, such as BeforeTool; not needed with --from, and read from the input with --as-hook',
      complete: 'events',
    },
  ],
  flags: {
    ...payloadFlags,
    from: {
      kind: 'text',
      value: 'request',
      summary: 'use a recorded request: last, its correlation id, or its line',
    },
    session: { ...inputSessionFlag.session, summary: 'the recording for --from; default: the newest' },
    hook: { kind: 'list', value: 'name', summary: 'run only hooks of these names', complete: 'hooks' },
    record: { kind: 'switch', summary: 'also record the run, for why and replay' },
    'as-hook': {
      kind: 'switch',
      summary: 'act as a hook: read the input from stdin, and answer as the calling agent expects',
    },
    ...agentAndModeFlags,
  },
  examples: {
    'hookwright run BeforeTool --tool Bash --input \'{"tool_input": {"command": "rm -rf /"}}\'':
      'what would my hooks answer?',
    'hookwright run --from last': 'the last recorded request once more, after a change',
    'hookwright run BeforeTool --tool Bash --hook no-rm': 'one hook alone',
    'hookwright run --as-hook < input.json': 'act as a hook; the settings of another agent start it like this',
  },
  exit: {
    ok: 'nothing was blocked',
    findings: 'a hook denied or stopped the call (with --as-hook, the exit code is 2)',
  },
});
