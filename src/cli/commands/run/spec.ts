import { rehearsalFlags } from '../../agents/agent-flags.ts';
import { payloadFlags } from '../../arguments/flags.ts';
import { defineSpec } from '../../arguments/spec.ts';

export const runSpec = defineSpec({
  name: 'run',
  summary: 'fire an event for real, and show the verdict and what each hook did',
  description: [
    'The hooks run for real, with their side effects. Payload fields that you do not give get plain values, and the output lists them.',
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
    session: {
      kind: 'text',
      value: 'file',
      summary: 'the recording for --from; default: the newest',
      complete: 'sessions',
    },
    hook: { kind: 'list', value: 'name', summary: 'run only hooks of these names', complete: 'hooks' },
    record: { kind: 'switch', summary: 'also record the run, for why and replay' },
    'as-hook': {
      kind: 'switch',
      summary: 'act as a hook: read the input from stdin, and answer as the calling agent expects',
    },
    ...rehearsalFlags,
  },
  examples: [
    {
      command: `hookwright run BeforeTool --tool Bash --input '{"tool_input": {"command": "rm -rf /"}}'`,
      does: 'what would my hooks answer?',
    },
    { command: 'hookwright run --from last', does: 'the last recorded request once more, after a change' },
    { command: 'hookwright run BeforeTool --tool Bash --hook no-rm', does: 'one hook alone' },
    {
      command: 'hookwright run --as-hook < input.json',
      does: 'the line for the settings of another agent that is to use these hooks',
    },
  ],
  exit: { ok: 'nothing was blocked (--as-hook: go on)', findings: 'the hooks denied or stopped it (--as-hook: 2)' },
});
