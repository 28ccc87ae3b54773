import { agentFlags } from '../../agents/flags.ts';
import { payloadFlags } from '../../arguments/flags.ts';
import { defineSpec } from '../../arguments/spec.ts';

export const runSpec = defineSpec({
  name: 'run',
  summary: 'fire an event for real, and show the verdict and what each hook did',
  description: [
    'The hooks are really run, side effects included. Payload fields you do not give get plain values, and the output names them.',
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
      summary: 'take a recorded request: last, its correlation id, or its line',
    },
    session: {
      kind: 'text',
      value: 'file',
      summary: 'the recording for --from; the newest by default',
      complete: 'sessions',
    },
    hook: { kind: 'list', value: 'name', summary: 'run only hooks of these names', complete: 'hooks' },
    record: { kind: 'switch', summary: 'also record it, for why and replay' },
    'as-hook': {
      kind: 'switch',
      summary: 'act as a hook: read the input from stdin, and answer as the calling agent expects',
    },
    ...agentFlags,
  },
  examples: [
    {
      command: `hookwright run BeforeTool --tool Bash --input '{"tool_input": {"command": "rm -rf /"}}'`,
      does: 'what would my hooks say to this?',
    },
    { command: 'hookwright run --from last', does: 'the last recorded request once more, after a change' },
    { command: 'hookwright run BeforeTool --tool Bash --hook no-rm', does: 'one hook alone' },
    {
      command: 'hookwright run --as-hook < input.json',
      does: 'what another agent would put into its settings to use the hooks from here',
    },
  ],
  exit: { ok: 'nothing was blocked (--as-hook: go on)', findings: 'the hooks denied or stopped it (--as-hook: 2)' },
});
