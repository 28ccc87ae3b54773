// Events of other agents that a host can add to the catalogue.
import * as z from 'zod/mini';
import { defineEvent, type HostEvent } from './define-event.ts';
import { described, objectSchema } from './payload-fields.ts';

const text = (about: string, example: string) => described(z.optional(z.string()), about, example);
const file = () => text('the path of the file', 'src/index.ts');
const data = (about: string) => described(z.optional(objectSchema()), about, {});
const task = () => ({
  task_id: text('the id of the task', 'task-1'),
  task_subject: text('the task in a line', 'Write a test for the parser'),
  task_description: text('the task in full', 'Cover empty input, too.'),
  teammate_name: text('the agent that works on it', 'tester'),
});
const server = () => text('the MCP server that asks', 'github');
const compacted = () => text('who wanted it', 'auto');

/**
 * Events that other agents fire. They are off until a host names them: `createHooks({events:
 * [agentEvents.ConfigChange]})`. Every field may be missing, because agents send different ones.
 */
export const agentEvents = {
  Setup: defineEvent({
    name: 'Setup',
    when: 'when the agent is set up or maintained',
    payload: z.looseObject({ trigger: text('why: init or maintenance', 'init') }),
    subject: 'trigger',
  }),
  ConfigChange: defineEvent({
    name: 'ConfigChange',
    when: 'when settings have changed, before they are used',
    payload: z.looseObject({ source: text('which settings', 'project_settings'), file_path: file() }),
    subject: 'source',
    denied: 'the agent goes on with the settings that it had',
  }),
  InstructionsLoaded: defineEvent({
    name: 'InstructionsLoaded',
    when: 'when a file of instructions was loaded',
    payload: z.looseObject({
      file_path: file(),
      memory_type: text('whose instructions', 'Project'),
      load_reason: text('why it was loaded', 'session_start'),
    }),
    subject: 'load_reason',
    merge: 'last',
  }),
  CwdChanged: defineEvent({
    name: 'CwdChanged',
    when: 'when the working directory has changed',
    payload: z.looseObject({
      old_cwd: text('the directory before', '/project'),
      new_cwd: text('the new one', '/other'),
    }),
    keepsData: true,
  }),
  FileChanged: defineEvent({
    name: 'FileChanged',
    when: 'when a watched file has changed',
    payload: z.looseObject({ file_path: file(), event: text('change, add or unlink', 'change') }),
    subject: 'file_path',
    keepsData: true,
  }),
  StopFailure: defineEvent({
    name: 'StopFailure',
    when: 'when a turn ends because the model failed',
    payload: z.looseObject({
      error: text('the kind of failure', 'rate_limit'),
      error_details: text('more about it', 'try again in 30 s'),
    }),
    subject: 'error',
    merge: 'last',
  }),
  PostToolBatch: defineEvent({
    name: 'PostToolBatch',
    when: 'when all tool calls of one response have run',
    payload: z.looseObject({
      tool_calls: described(z.optional(z.array(objectSchema())), 'the calls and their results', []),
    }),
    denied: 'the agent stops before the next request to the model',
  }),
  TaskCreated: defineEvent({
    name: 'TaskCreated',
    when: 'when the agent creates a task',
    payload: z.looseObject(task()),
    denied: 'the task is not created',
  }),
  TaskCompleted: defineEvent({
    name: 'TaskCompleted',
    when: 'when a task is to be marked as completed',
    payload: z.looseObject(task()),
    denied: 'the task stays open',
  }),
  WorktreeCreate: defineEvent({
    name: 'WorktreeCreate',
    when: 'when the agent needs a worktree',
    payload: z.looseObject({ name: text('the name of the worktree', 'feature') }),
    keepsData: true,
    denied: 'no worktree is made',
  }),
  WorktreeRemove: defineEvent({
    name: 'WorktreeRemove',
    when: 'when a worktree is removed',
    payload: z.looseObject({ worktree_path: text('its path', '/project/.worktrees/feature') }),
    merge: 'last',
  }),
  Elicitation: defineEvent({
    name: 'Elicitation',
    when: 'when an MCP server asks the user for something',
    payload: z.looseObject({
      mcp_server_name: server(),
      message: text('the question', 'Which account?'),
      requested_schema: data('the schema of the answer'),
    }),
    subject: 'mcp_server_name',
    keepsData: true,
    denied: 'the question is declined',
  }),
  ElicitationResult: defineEvent({
    name: 'ElicitationResult',
    when: 'before the answer of the user goes to the MCP server',
    payload: z.looseObject({
      mcp_server_name: server(),
      action: text('accept, decline or cancel', 'accept'),
      content: data('the answer'),
    }),
    subject: 'mcp_server_name',
    keepsData: true,
    denied: 'the server is told that the user declined',
  }),
  PostCompact: defineEvent({
    name: 'PostCompact',
    when: 'when the conversation was compressed',
    payload: z.looseObject({
      trigger: compacted(),
      compact_summary: text('what is left of it', 'We fixed the parser.'),
    }),
    subject: 'trigger',
    merge: 'last',
  }),
  PermissionDenied: defineEvent({
    name: 'PermissionDenied',
    when: 'when the agent itself denied a tool call',
    payload: z.looseObject({
      tool_name: text('the name of the tool', 'run_shell_command'),
      tool_input: data('its arguments'),
      reason: text('why', 'the classifier blocked it'),
    }),
    subject: { field: 'tool_name', compare: 'pattern' },
    keepsData: true,
  }),
  UserPromptExpansion: defineEvent({
    name: 'UserPromptExpansion',
    when: 'when a command of the user becomes a prompt',
    payload: z.looseObject({
      command_name: text('the command', 'review'),
      command_args: text('its arguments', '42'),
      prompt: text('the prompt that it becomes', 'Review pull request 42.'),
    }),
    subject: 'command_name',
    denied: 'the prompt is not sent',
  }),
  Interrupt: defineEvent({
    name: 'Interrupt',
    when: 'when the user interrupts the agent',
    payload: z.looseObject({}),
    merge: 'last',
  }),
  beforeTabFileRead: defineEvent({
    name: 'beforeTabFileRead',
    when: 'before a file is read for completions in the editor',
    payload: z.looseObject({ file_path: file(), content: text('its content', 'export {};') }),
    denied: 'the file is not read',
  }),
  afterTabFileEdit: defineEvent({
    name: 'afterTabFileEdit',
    when: 'when a completion has changed a file',
    payload: z.looseObject({
      file_path: file(),
      edits: described(z.optional(z.array(objectSchema())), 'the changes', []),
    }),
    merge: 'last',
  }),
};

export type AgentEventName = keyof typeof agentEvents;

export const agentEventNames: readonly string[] = Object.keys(agentEvents);

export const allAgentEvents: readonly HostEvent[] = Object.values(agentEvents);
