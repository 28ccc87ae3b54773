import { defineSpec } from '../../arguments/spec.ts';

export const whySpec = defineSpec({
  name: 'why',
  summary: 'what ran for a recorded request, what it answered, and what became of every field',
  arguments: [
    {
      name: 'request',
      summary:
        'last, a correlation id, or the line of the request in the session; without it the last that was refused, or the last of all',
    },
  ],
  flags: {
    session: {
      kind: 'text',
      value: 'file',
      summary: 'the recording; the newest in .hookwright/sessions by default',
      complete: 'sessions',
    },
    list: { kind: 'switch', summary: 'show all requests of the recording, a line each' },
    full: { kind: 'switch', summary: 'show long values whole' },
    event: { kind: 'text', value: 'name', summary: 'only requests for this event', complete: 'events' },
    tool: { kind: 'text', value: 'name', summary: 'only requests about this tool', complete: 'tools' },
  },
  examples: [
    { command: 'hookwright why', does: 'the last refusal in the newest recording' },
    { command: 'hookwright why --list --tool Bash', does: 'all calls of one tool, and what came of them' },
    { command: 'hookwright why last --tool Bash', does: 'the last call of one tool' },
    { command: 'hookwright why 12 --session bug.jsonl', does: 'the request in line 12 of a session somebody sent' },
  ],
  exit: { ok: 'the request was found', findings: 'there is no such request, or no recording' },
});
