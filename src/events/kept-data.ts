import type { DataField } from './event-record.ts';

/** What hooks at the start of a session set for the commands that the agent runs in it. */
export const variablesKept = {
  environment: {
    type: 'object',
    words: 'variables for the commands that the agent runs in this session',
    example: { NODE_ENV: 'test' },
  },
  environmentScript: {
    type: 'string',
    words: 'shell lines to run before each of these commands',
    example: '. ./venv/bin/activate',
  },
} satisfies Readonly<Record<string, DataField>>;

/** What comes along with the answer to a request for permission. */
export const permissionsKept = {
  updatedPermissions: {
    type: 'array',
    words: 'with "allow": permissions from now on, in the format of Claude Code; the agent may keep them',
    example: [{ type: 'setMode', mode: 'acceptEdits', destination: 'session' }],
  },
  interrupt: {
    type: 'boolean',
    words: 'with "deny": true also ends the agent’s turn',
    example: true,
  },
} satisfies Readonly<Record<string, DataField>>;
