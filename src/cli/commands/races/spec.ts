import { eventArgument, payloadFlags } from '../../arguments/flags.ts';
import { defineSpec } from '../../arguments/spec.ts';

export const racesSpec = defineSpec({
  name: 'races',
  summary: 'do two hooks of an event depend on their order, or on when they start?',
  description: ['The hooks are run for real, again and again, side effects included.'],
  arguments: [eventArgument],
  flags: {
    ...payloadFlags,
    orders: { kind: 'number', value: 'count', summary: 'how many orders are tried; 24 by default' },
    latencies: { kind: 'list', value: 'ms', summary: 'pauses between two starts; 0 and 20 by default' },
  },
  examples: [
    {
      command: `hookwright races BeforeTool --tool Bash --input '{"tool_input": {"command": "ls"}}'`,
      does: 'all orders of the hooks that match',
    },
    {
      command: 'hookwright races BeforeTool --tool Bash --latencies 0,200',
      does: 'hooks that need longer for their work',
    },
  ],
  exit: { ok: 'no races were found', findings: 'two hooks race' },
});
