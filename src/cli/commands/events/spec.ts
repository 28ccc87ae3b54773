/** The command line of `events` and `events --schema`: arguments, flags, examples and exit codes. */
import { defineSpec } from '../../arguments/spec.ts';
import { languages } from '../../scaffold/language-names.ts';

export const eventsSpec = defineSpec({
  name: 'events',
  summary: 'show the input of an event’s hooks, their possible answers, and a script to start from',
  description: [
    'Without an event, lists all events. With one, shows every field on stdin with its type and an example, every field of an answer with its effect, and the exit codes.',
  ],
  arguments: [{ name: 'event', summary: 'the event, such as BeforeTool', complete: 'events' }],
  flags: {
    script: {
      kind: 'text',
      value: 'language',
      summary: 'print only a script to start from',
      choices: languages,
    },
    stdin: { kind: 'switch', summary: 'print only an example of the input of a hook' },
  },
  examples: [
    { command: 'hookwright events', does: 'all events, and when they fire' },
    { command: 'hookwright events BeforeTool', does: 'one event in full' },
    { command: 'hookwright events BeforeTool --stdin | ./my-hook.sh', does: 'try a script by hand' },
    { command: 'hookwright events BeforeAgent --script python > my-hook.py', does: 'a script to start from' },
  ],
  exit: { ok: 'it was printed' },
});

export const eventsSchemaSpec = defineSpec({
  name: 'events --schema',
  formerly: 'schema',
  summary: 'print the JSON Schema of a file, a message or the payload of an event',
  arguments: [{ name: 'name', summary: 'its name; default: list all names' }],
  examples: [
    { command: 'hookwright events --schema', does: 'list the names' },
    {
      command: 'hookwright events --schema settings > settings.schema.json',
      does: 'for an editor that completes settings',
    },
    { command: 'hookwright events --schema BeforeTool', does: 'the payload of the event' },
    { command: 'hookwright events --schema envelope', does: 'the format of --json' },
  ],
  exit: { ok: 'it was printed' },
});
