// Events of other agents that a host can add to the catalogue.
import * as z from 'zod/mini';
import { createHostEvent, type HostEvent, type HostEventParts } from './define-event.ts';
import { createObjectSchema, withDescription } from './payload-fields.ts';

const createAgentEvent = <const Name extends string, Fields extends z.core.$ZodShape>({
  fields,
  ...definition
}: Omit<HostEventParts<Name, unknown>, 'payload'> & { readonly fields: () => Fields }) =>
  createHostEvent({ ...definition, payload: () => z.looseObject(fields()) });

const createTextField = (about: string, example: string) => withDescription(z.optional(z.string()), about, example);
const createFileField = () => createTextField('the path of the file', 'src/index.ts');
const createObjectField = (about: string) => withDescription(z.optional(createObjectSchema()), about, {});
const createTaskFields = () => ({
  task_id: createTextField('the id of the task', 'task-1'),
  task_subject: createTextField('the task in a line', 'Write a test for the parser'),
  task_description: createTextField('the task in full', 'Cover empty input, too.'),
  teammate_name: createTextField('the agent that works on it', 'tester'),
});
const createMcpServerField = () => createTextField('the MCP server that asks', 'github');

/**
 * Events that other agents fire. They are off until a host names them: `createHooks({events:
 * [agentEvents.ConfigChange]})`. Every field may be missing, because agents send different ones.
 */
export const agentEvents = {
  Setup: createAgentEvent({
    name: 'Setup',
    when: 'when the agent is set up or maintained',
    fields: () => ({ trigger: createTextField('why: init or maintenance', 'init') }),
    subject: 'trigger',
  }),
  ConfigChange: createAgentEvent({
    name: 'ConfigChange',
    when: 'when settings have changed, before they are used',
    fields: () => ({
      source: createTextField('which settings', 'project_settings'),
      file_path: createFileField(),
    }),
    subject: 'source',
    denied: 'the agent goes on with the settings that it had',
  }),
  InstructionsLoaded: createAgentEvent({
    name: 'InstructionsLoaded',
    when: 'when a file of instructions was loaded',
    fields: () => ({
      file_path: createFileField(),
      memory_type: createTextField('whose instructions', 'Project'),
      load_reason: createTextField('why it was loaded', 'session_start'),
    }),
    subject: 'load_reason',
    merge: 'last',
  }),
  CwdChanged: createAgentEvent({
    name: 'CwdChanged',
    when: 'when the working directory has changed',
    fields: () => ({
      old_cwd: createTextField('the directory before', '/project'),
      new_cwd: createTextField('the new one', '/other'),
    }),
    keepsData: true,
  }),
  FileChanged: createAgentEvent({
    name: 'FileChanged',
    when: 'when a watched file has changed',
    fields: () => ({ file_path: createFileField(), event: createTextField('change, add or unlink', 'change') }),
    subject: 'file_path',
    keepsData: true,
  }),
  StopFailure: createAgentEvent({
    name: 'StopFailure',
    when: 'when a turn ends because the model failed',
    fields: () => ({
      error: createTextField('the kind of failure', 'rate_limit'),
      error_details: createTextField('more about it', 'try again in 30 s'),
    }),
    subject: 'error',
    merge: 'last',
  }),
  PostToolBatch: createAgentEvent({
    name: 'PostToolBatch',
    when: 'when all tool calls of one response have run',
    fields: () => ({
      tool_calls: withDescription(z.optional(z.array(createObjectSchema())), 'the calls and their results', []),
    }),
    denied: 'the agent stops before the next request to the model',
  }),
  TaskCreated: createAgentEvent({
    name: 'TaskCreated',
    when: 'when the agent creates a task',
    fields: createTaskFields,
    denied: 'the task is not created',
  }),
  TaskCompleted: createAgentEvent({
    name: 'TaskCompleted',
    when: 'when a task is to be marked as completed',
    fields: createTaskFields,
    denied: 'the task stays open',
  }),
  WorktreeCreate: createAgentEvent({
    name: 'WorktreeCreate',
    when: 'when the agent needs a worktree',
    fields: () => ({ name: createTextField('the name of the worktree', 'feature') }),
    keepsData: true,
    denied: 'no worktree is made',
  }),
  WorktreeRemove: createAgentEvent({
    name: 'WorktreeRemove',
    when: 'when a worktree is removed',
    fields: () => ({ worktree_path: createTextField('its path', '/project/.worktrees/feature') }),
    merge: 'last',
  }),
  Elicitation: createAgentEvent({
    name: 'Elicitation',
    when: 'when an MCP server asks the user for something',
    fields: () => ({
      mcp_server_name: createMcpServerField(),
      message: createTextField('the question', 'Which account?'),
      requested_schema: createObjectField('the schema of the answer'),
    }),
    subject: 'mcp_server_name',
    keepsData: true,
    denied: 'the question is declined',
  }),
  ElicitationResult: createAgentEvent({
    name: 'ElicitationResult',
    when: 'before the answer of the user goes to the MCP server',
    fields: () => ({
      mcp_server_name: createMcpServerField(),
      action: createTextField('accept, decline or cancel', 'accept'),
      content: createObjectField('the answer'),
    }),
    subject: 'mcp_server_name',
    keepsData: true,
    denied: 'the server is told that the user declined',
  }),
  PostCompact: createAgentEvent({
    name: 'PostCompact',
    when: 'when the conversation was compressed',
    fields: () => ({
      trigger: createTextField('who wanted it', 'auto'),
      compact_summary: createTextField('what is left of it', 'We fixed the parser.'),
    }),
    subject: 'trigger',
    merge: 'last',
  }),
  PermissionDenied: createAgentEvent({
    name: 'PermissionDenied',
    when: 'when the agent itself denied a tool call',
    fields: () => ({
      tool_name: createTextField('the name of the tool', 'run_shell_command'),
      tool_input: createObjectField('its arguments'),
      reason: createTextField('why', 'the classifier blocked it'),
    }),
    subject: { field: 'tool_name', compare: 'pattern' },
    keepsData: true,
  }),
  UserPromptExpansion: createAgentEvent({
    name: 'UserPromptExpansion',
    when: 'when a command of the user becomes a prompt',
    fields: () => ({
      command_name: createTextField('the command', 'review'),
      command_args: createTextField('its arguments', '42'),
      prompt: createTextField('the prompt that it becomes', 'Review pull request 42.'),
    }),
    subject: 'command_name',
    denied: 'the prompt is not sent',
  }),
  Interrupt: createAgentEvent({
    name: 'Interrupt',
    when: 'when the user interrupts the agent',
    fields: () => ({}),
    merge: 'last',
  }),
  beforeTabFileRead: createAgentEvent({
    name: 'beforeTabFileRead',
    when: 'before a file is read for completions in the editor',
    fields: () => ({ file_path: createFileField(), content: createTextField('its content', 'export {};') }),
    denied: 'the file is not read',
  }),
  afterTabFileEdit: createAgentEvent({
    name: 'afterTabFileEdit',
    when: 'when a completion has changed a file',
    fields: () => ({
      file_path: createFileField(),
      edits: withDescription(z.optional(z.array(createObjectSchema())), 'the changes', []),
    }),
    merge: 'last',
  }),
};

export type AgentEventName = keyof typeof agentEvents;

export const agentEventNames: readonly string[] = Object.keys(agentEvents);

export const allAgentEvents: readonly HostEvent[] = Object.values(agentEvents);
