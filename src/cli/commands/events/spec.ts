import { defineSpec } from '../../arguments/spec.ts';
import { languages } from '../../scaffold/language-names.ts';

export const eventsSpec = defineSpec({
  name: 'events',
  summary: 'show what a hook of an event reads, what it may answer, and how to write one',
  description: [
    'Without an event, lists all events. With one, shows every field on stdin with its type and an example, every field of an answer and what it does, and the exit codes.',
  ],
  arguments: [{ name: 'event', summary: 'the event, such as BeforeTool', complete: 'events' }],
  flags: {
    script: {
      kind: 'text',
      value: 'language',
      summary: 'print only a script to start from',
      choices: languages,
    },
    stdin: { kind: 'switch', summary: 'print only an example of what a hook reads' },
  },
  examples: [
    { command: 'hookwright events', does: 'all events, and when they fire' },
    { command: 'hookwright events BeforeTool', does: 'all about one event' },
    { command: 'hookwright events BeforeTool --stdin | ./my-hook.sh', does: 'try a script by hand' },
    { command: 'hookwright events BeforeAgent --script python > my-hook.py', does: 'a script to start from' },
  ],
  exit: { ok: 'it was printed' },
});
