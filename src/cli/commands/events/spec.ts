import { defineSpec } from '../../arguments/spec.ts';
import { languages } from '../../scaffold/language-names.ts';

export const eventsSpec = defineSpec({
  name: 'events',
  summary: 'what a hook of an event reads, may answer, and how to write one',
  description: [
    'Without an event: all of them. With one: every field on stdin with its type and an example, every field of an answer and what it does, and the exit codes.',
  ],
  arguments: [{ name: 'event', summary: 'the event, such as BeforeTool', complete: 'events' }],
  flags: {
    script: {
      kind: 'text',
      value: 'language',
      summary: 'print a script to begin with, and nothing else',
      choices: languages,
    },
    stdin: { kind: 'switch', summary: 'print an example of what a hook reads, and nothing else' },
  },
  examples: [
    { command: 'hookwright events', does: 'all events, and when they fire' },
    { command: 'hookwright events BeforeTool', does: 'all about one' },
    { command: 'hookwright events BeforeTool --stdin | ./my-hook.sh', does: 'try a script by hand' },
    { command: 'hookwright events BeforeAgent --script python > my-hook.py', does: 'a script to begin with' },
  ],
  exit: { ok: 'it was printed' },
});
