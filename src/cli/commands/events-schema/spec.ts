import { defineSpec } from '../../arguments/spec.ts';

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
