import type { DataField } from './define-event.ts';

/** What hooks at the start of a session set for the commands that the agent runs in it. */
export const variablesKept = {
  environment: {
    type: 'object',
    words: 'variables for the commands that the agent runs in this session',
    example: { NODE_ENV: 'test' },
  },
  environmentScript: {
    type: 'string',
    words: 'lines for a shell that are to run before each of these commands',
    example: '. ./venv/bin/activate',
  },
} satisfies Readonly<Record<string, DataField>>;

/** What comes along with the answer to a request for permission. */
export const permissionsKept = {
  updatedPermissions: {
    type: 'array',
    words: 'with "allow": what is to be permitted from now on, in the words of Claude Code; the agent keeps it, or not',
    example: [{ type: 'setMode', mode: 'acceptEdits', destination: 'session' }],
  },
  interrupt: {
    type: 'boolean',
    words: 'with "deny": whether the agent is to end its turn as well',
    example: true,
  },
} satisfies Readonly<Record<string, DataField>>;
