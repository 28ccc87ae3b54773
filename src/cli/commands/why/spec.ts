/** The command line of `why` and `why --follow`: arguments, flags, examples and exit codes. */
import { filterFlags, inputSessionFlag, sinceFlag } from '../../arguments/flags.ts';
import { defineSpec } from '../../arguments/spec.ts';

export const whySpec = defineSpec({
  name: 'why',
  summary: 'show which hooks ran for a recorded request, their answers, and the effect of every field',
  arguments: [
    {
      name: 'request',
      summary:
        'last, a correlation id, or the line of the request in the session; default: the last refused request, else the last',
    },
  ],
  flags: {
    session: {
      ...inputSessionFlag.session,
      summary: 'the recording, or journal; default: the newer of the newest in .hookwright/sessions and the journal',
    },
    ...sinceFlag,
    denied: { kind: 'switch', summary: 'list requests that hooks denied or stopped' },
    list: { kind: 'switch', summary: 'list all requests of the recording' },
    full: { kind: 'switch', summary: 'show long values in full' },
    event: { kind: 'text', value: 'name', summary: 'only requests for this event', complete: 'events' },
    tool: { kind: 'text', value: 'name', summary: 'only requests about this tool', complete: 'tools' },
  },
  examples: {
    'hookwright why': 'the last refusal in the newest recording, or in the journal',
    'hookwright why --since 30d --denied': 'what did my guards stop?',
    'hookwright why --list --tool Bash': 'all calls of one tool, with their verdicts',
    'hookwright why last --tool Bash': 'the last call of one tool',
    'hookwright why 12 --session bug.jsonl': 'the request in line 12 of a session that a colleague sent',
  },
  exit: { ok: 'the request was found', findings: 'there is no such request, or no recording' },
});

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
  examples: {
    'hookwright why --follow': 'all messages of the running agent',
    'hookwright why --follow --event BeforeTool --tool Bash': 'only calls of Bash',
    'hookwright why --follow --json --types hook-execution-response': 'JSON lines for a program',
    'hookwright why --follow --list': 'which agents can be watched',
  },
  exit: { ok: 'the agent ended, or you did', findings: 'no agent has a tap open' },
});
