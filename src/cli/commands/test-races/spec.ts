import { eventArgument, payloadFlags } from '../../arguments/flags.ts';
import { defineSpec } from '../../arguments/spec.ts';

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
  examples: [
    {
      command: `hookwright test --races BeforeTool --tool Bash --input '{"tool_input": {"command": "ls"}}'`,
      does: 'all orders of the hooks that match',
    },
    {
      command: 'hookwright test --races BeforeTool --tool Bash --latencies 0,200',
      does: 'for hooks that take longer',
    },
  ],
  exit: { ok: 'no races were found', findings: 'the result depends on the order or the timing of two hooks' },
});
