import { filterFlags } from '../../arguments/flags.ts';
import { defineSpec } from '../../arguments/spec.ts';

export const whyFollowSpec = defineSpec({
  name: 'why --follow',
  formerly: 'tap',
  summary: 'watch the hook traffic of a running agent, live',
  description: [
    'The agent opens its tap if HOOKWRIGHT_TAP=1 is in its environment, or with openTap in its code. Only you can connect to it, and secrets are removed before anything leaves the agent. A slow reader never slows the agent down: dropped messages are counted. Ctrl-C ends it.',
  ],
  flags: {
    pid: { kind: 'number', value: 'pid', summary: 'which agent, if several are running' },
    ...filterFlags,
    types: { kind: 'list', value: 'type', summary: 'only messages of these types, such as hook-execution-response' },
    full: { kind: 'switch', summary: 'show long inputs in full' },
    list: { kind: 'switch', summary: 'list agents with an open tap, and exit' },
  },
  examples: [
    { command: 'hookwright why --follow', does: 'all messages of the running agent' },
    { command: 'hookwright why --follow --event BeforeTool --tool Bash', does: 'only calls of Bash' },
    { command: 'hookwright why --follow --json --types hook-execution-response', does: 'JSON lines for a program' },
    { command: 'hookwright why --follow --list', does: 'which agents can be watched' },
  ],
  exit: { ok: 'the agent ended, or you did', findings: 'no agent has a tap open' },
  streams: true,
});
