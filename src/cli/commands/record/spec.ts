/** The command line of `record`: arguments, flags, examples and exit codes. */
import { defineSpec } from '../../arguments/spec.ts';

export const recordSpec = defineSpec({
  name: 'record',
  summary: 'write the hook traffic of an agent to a session file',
  description: [
    'With a command, starts it and records everything that its hooks do, from the first event on. Without one, attaches to a running agent with an open tap (HOOKWRIGHT_TAP=1 in its environment, or openTap in its code). Secrets are removed before anything leaves the agent. Ctrl-C ends the recording.',
  ],
  arguments: [{ name: 'command', summary: 'the agent to start, after --', rest: true }],
  flags: {
    file: {
      kind: 'text',
      value: 'file',
      summary: 'the session file; default: .hookwright/sessions/<time>.jsonl',
      complete: 'files',
    },
    pid: { kind: 'number', value: 'pid', summary: 'which agent to attach to, if several are running' },
  },
  examples: {
    'hookwright record -- node agent.mjs': 'record a whole run of an agent',
    'hookwright record': 'attach to the running agent, until Ctrl-C',
    'hookwright record --file bug.jsonl --pid 4242': 'a file to send along with a bug report',
  },
  exit: {
    ok: 'the session was written',
    findings:
      'the session could not be written, no agent has a tap open, or the command ended with a code other than 0',
  },
});
