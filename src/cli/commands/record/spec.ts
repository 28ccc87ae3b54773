import { defineSpec } from '../../arguments/spec.ts';

export const recordSpec = defineSpec({
  name: 'record',
  summary: 'write the hook traffic of an agent to a session file',
  description: [
    'With a command, starts it and records everything its hooks do, from the first event on. Without one, attaches to an agent that is running and has its tap open (HOOKWRIGHT_TAP=1 in its environment, or openTap in its code). Secrets are removed before anything leaves the agent. Ctrl-C ends the recording.',
  ],
  arguments: [{ name: 'command', summary: 'behind --, the agent to start', rest: true }],
  flags: {
    file: {
      kind: 'text',
      value: 'file',
      summary: 'where to; .hookwright/sessions/<time>.jsonl by default',
      complete: 'files',
    },
    pid: { kind: 'number', value: 'pid', summary: 'which agent to attach to, when several are running' },
  },
  examples: [
    { command: 'hookwright record -- node agent.mjs', does: 'record a whole run of an agent' },
    { command: 'hookwright record', does: 'attach to the agent that is running, until Ctrl-C' },
    { command: 'hookwright record --file bug.jsonl --pid 4242', does: 'a file to send along with a bug report' },
  ],
  exit: {
    ok: 'the session was written',
    findings:
      'the session could not be written, no agent has a tap open, or the command that was started ended with another code than 0',
  },
});
