import { sinceFlag } from '../../arguments/flags.ts';
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
      kind: 'text',
      value: 'file',
      summary: 'the recording, or journal; default: the newer of the newest in .hookwright/sessions and the journal',
      complete: 'sessions',
    },
    ...sinceFlag,
    denied: { kind: 'switch', summary: 'list requests that hooks denied or stopped' },
    list: { kind: 'switch', summary: 'list all requests of the recording' },
    full: { kind: 'switch', summary: 'show long values in full' },
    event: { kind: 'text', value: 'name', summary: 'only requests for this event', complete: 'events' },
    tool: { kind: 'text', value: 'name', summary: 'only requests about this tool', complete: 'tools' },
  },
  examples: [
    { command: 'hookwright why', does: 'the last refusal in the newest recording, or in the journal' },
    { command: 'hookwright why --since 30d --denied', does: 'what did my guards stop?' },
    { command: 'hookwright why --list --tool Bash', does: 'all calls of one tool, with their verdicts' },
    { command: 'hookwright why last --tool Bash', does: 'the last call of one tool' },
    {
      command: 'hookwright why 12 --session bug.jsonl',
      does: 'the request in line 12 of a session that a colleague sent',
    },
  ],
  exit: { ok: 'the request was found', findings: 'there is no such request, or no recording' },
});
