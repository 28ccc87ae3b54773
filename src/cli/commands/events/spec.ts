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
  examples: {
    'hookwright events': 'all events, and when they fire',
    'hookwright events BeforeTool': 'one event in full',
    'hookwright events BeforeTool --stdin | ./my-hook.sh': 'try a script by hand',
    'hookwright events BeforeAgent --script python > my-hook.py': 'a script to start from',
  },
  exit: { ok: 'it was printed' },
});

export const eventsSchemaSpec = defineSpec({
  name: 'events --schema',
  formerly: 'schema',
  summary: 'print the JSON Schema of a file, a message or the payload of an event',
  arguments: [{ name: 'name', summary: 'its name; default: list all names' }],
  examples: {
    'hookwright events --schema': 'list the names',
    'hookwright events --schema settings > settings.schema.json': 'for an editor that completes settings',
    'hookwright events --schema BeforeTool': 'the payload of the event',
    'hookwright events --schema envelope': 'the format of --json',
  },
  exit: { ok: 'it was printed' },
});
