import { defineSpec } from '../../arguments/spec.ts';

export const schemaSpec = defineSpec({
  name: 'schema',
  summary: 'print the JSON Schema of a file, a message or the payload of an event',
  arguments: [{ name: 'name', summary: 'which one; default: list the names' }],
  examples: [
    { command: 'hookwright schema', does: 'what there is' },
    { command: 'hookwright schema settings > settings.schema.json', does: 'for an editor that completes settings' },
    { command: 'hookwright schema BeforeTool', does: 'the payload of the event' },
    { command: 'hookwright schema envelope', does: 'what --json prints' },
  ],
  exit: { ok: 'it was printed' },
});
