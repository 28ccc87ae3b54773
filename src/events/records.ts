// The records of all events of an agent. A new event is added here.
import * as z from 'zod/mini';
import { withChanges } from '../kit/index.ts';
import type { AnyHookTranslator, ModelResponse, TranslatableRequest, TranslatableResponse } from '../models/index.ts';
import type { HookOutput } from '../protocol/index.ts';
import { createEventRecord } from './event-record.ts';
import {
  AfterAgentHookOutput,
  AfterModelHookOutput,
  AfterToolHookOutput,
  applyResponseUpdate,
  BeforeAgentHookOutput,
  BeforeModelHookOutput,
  BeforeToolHookOutput,
  BeforeToolSelectionHookOutput,
  DefaultHookOutput,
  mergeIntoShownResponse,
  PermissionRequestHookOutput,
  patchModelRequest,
  patchToolConfig,
  SessionStartHookOutput,
  toStableResponse,
} from './outputs.ts';
import { PreCompressTrigger, SessionEndReason, SessionStartSource } from './payload-enums.ts';
import {
  createChoiceSchema,
  createChoiceSubject,
  createMcpFields,
  createObjectSchema,
  createPromptField,
  createRequestSchema,
  createResponseSchema,
  createStopCountField,
  createStopHookActiveField,
  getToolFields,
  type JsonRecord,
  toolSubject,
  withCallId,
  withDescription,
} from './payload-fields.ts';
import { subagentRecords } from './subagent-records.ts';

const withChangedArguments = <Payload extends { tool_input: JsonRecord }>(
  payload: Payload,
  { hookSpecificOutput: { tool_input: changes } = {} }: HookOutput,
): Payload => (changes === undefined ? payload : { ...payload, tool_input: withChanges(payload.tool_input, changes) });

/** Events of model requests have the SDK's own request, which is translated for hooks. */
const modelRequestParts = {
  payload: () => z.object({ llm_request: createRequestSchema() }),
  fromArgs: (llm_request: TranslatableRequest) => ({ llm_request }),
  translated: new Set(['llm_request'] as const),
  toFields: (payload: { llm_request: TranslatableRequest }, translator: AnyHookTranslator) => ({
    ...payload,
    llm_request: translator.toHookLLMRequest(payload.llm_request),
  }),
};

export const records = {
  BeforeTool: createEventRecord({
    alsoCalled: ['PreToolUse'],
    when: 'before a tool runs',
    denied: 'the tool does not run, and the model gets the reason',
    sample: { tool_name: 'example_tool', tool_input: {} },
    payload: () => z.object(getToolFields()),
    fromArgs: (tool_name: string, tool_input: JsonRecord, mcpContext?: JsonRecord, originalName?: string) => ({
      tool_name,
      tool_input,
      ...createMcpFields(mcpContext, originalName),
    }),
    toFields: (payload) => withCallId(payload),
    subject: toolSubject,
    merge: 'keep-everything',
    holdsUp: true,
    onLost: 'deny',
    supports: ['tool_input', 'additionalContext'],
    output: BeforeToolHookOutput,
    rewritten: withChangedArguments,
    feed: (input, output) => withChangedArguments(input, output),
  }),
  AfterTool: createEventRecord({
    alsoCalled: ['PostToolUse'],
    when: 'after a tool has run',
    denied: 'the model gets the reason instead of the result',
    sample: { tool_name: 'example_tool', tool_input: {}, tool_response: {} },
    payload: () =>
      z.object({
        ...getToolFields(),
        tool_response: withDescription(
          z.custom<unknown>((value) => value !== undefined, 'expected a value'),
          'the result of the tool, in the agent’s own form',
          { llmContent: 'notes.md' },
        ),
      }),
    fromArgs: (
      tool_name: string,
      tool_input: JsonRecord,
      tool_response: unknown,
      mcpContext?: JsonRecord,
      originalName?: string,
    ) => ({ tool_name, tool_input, tool_response, ...createMcpFields(mcpContext, originalName) }),
    toFields: (payload) => withCallId(payload),
    subject: toolSubject,
    merge: 'keep-result',
    supports: ['additionalContext', 'updatedOutput', 'tailToolCallRequest'],
    keepsData: true,
    output: AfterToolHookOutput,
    feed: (input, output) => {
      const updated = output.hookSpecificOutput?.updatedOutput;
      return updated === undefined
        ? input
        : { ...input, tool_response: applyResponseUpdate(input.tool_response, updated) };
    },
  }),
  BeforeAgent: createEventRecord({
    alsoCalled: ['UserPromptSubmit', 'UserPromptSubmitted', 'BeforeSubmitPrompt'],
    when: 'after the user sent a prompt, before the agent works on it',
    denied: 'the agent does not work on the prompt, and the user sees the reason',
    sample: { prompt: '' },
    payload: () => z.object({ prompt: createPromptField() }),
    fromArgs: (prompt: string | { prompt: string }) => (typeof prompt === 'string' ? { prompt } : prompt),
    toFields: (payload) => payload,
    merge: 'keep-everything',
    holdsUp: true,
    supports: ['additionalContext'],
    beginsTurn: true,
    output: BeforeAgentHookOutput,
    feed: (input, output) => {
      const context = output.hookSpecificOutput?.additionalContext;
      return context === undefined || context.trim() === ''
        ? input
        : { ...input, prompt: `${input.prompt}\n\n${context}` };
    },
  }),
  AfterAgent: createEventRecord({
    alsoCalled: ['Stop', 'AgentStop'],
    when: 'when the agent has answered a prompt',
    denied: 'the agent goes on working, with the reason as its instruction',
    sample: { prompt: '', prompt_response: '' },
    payload: () =>
      z.object({
        prompt: createPromptField(),
        prompt_response: withDescription(z.string(), 'what the agent answered', 'Done: it is in parser.test.ts.'),
        stop_hook_active: createStopHookActiveField(),
        stop_count: createStopCountField(),
      }),
    fromArgs: (
      prompt:
        | string
        | {
            prompt: string;
            prompt_response: string;
            stop_hook_active?: boolean | undefined;
            stop_count?: number | undefined;
          },
      prompt_response: string = '',
      stop_hook_active: boolean = false,
    ) => (typeof prompt === 'string' ? { prompt, prompt_response, stop_hook_active } : prompt),
    toFields: (payload) => ({ ...payload, stop_hook_active: payload.stop_hook_active ?? false }),
    merge: 'keep-everything',
    endsTurn: true,
    holdsUp: true,
    supports: ['clearContext'],
    output: AfterAgentHookOutput,
  }),
  BeforeModel: createEventRecord({
    alsoCalled: ['PreInvocation'],
    when: 'before a request goes to the model',
    denied: 'the request does not go out',
    sample: { llm_request: { model: 'example-model', messages: [] } },
    ...modelRequestParts,
    merge: 'replace-fields',
    holdsUp: true,
    supports: ['llm_request', 'llm_response'],
    output: BeforeModelHookOutput<ModelResponse>,
    feed: (input, output) => {
      const changes = output.hookSpecificOutput?.llm_request;
      return changes === undefined ? input : { ...input, llm_request: patchModelRequest(input.llm_request, changes) };
    },
  }),
  AfterModel: createEventRecord({
    alsoCalled: ['PostInvocation'],
    when: 'when the model has answered in full',
    denied: 'the answer is not used',
    sample: { llm_request: { model: 'example-model', messages: [] }, llm_response: { text: '', candidates: [] } },
    payload: () => z.object({ llm_request: createRequestSchema(), llm_response: createResponseSchema() }),
    fromArgs: (llm_request: TranslatableRequest, llm_response: TranslatableResponse) => ({
      llm_request,
      llm_response,
    }),
    translated: new Set(['llm_request', 'llm_response']),
    toFields: (payload, translator) => ({
      ...payload,
      llm_request: translator.toHookLLMRequest(payload.llm_request),
      llm_response: translator.toHookLLMResponse(payload.llm_response),
    }),
    merge: 'replace-fields',
    holdsUp: true,
    supports: ['llm_response'],
    output: AfterModelHookOutput<ModelResponse>,
    feed: (input, output) => {
      const response = toStableResponse(output.hookSpecificOutput?.llm_response);
      return response === undefined
        ? input
        : { ...input, llm_response: mergeIntoShownResponse(input.llm_response, response) };
    },
  }),
  BeforeToolSelection: createEventRecord({
    when: 'before the model gets the list of tools',
    sample: { llm_request: { model: 'example-model', messages: [] } },
    ...modelRequestParts,
    merge: 'unite-tools',
    holdsUp: true,
    supports: ['toolConfig'],
    output: BeforeToolSelectionHookOutput,
    feed: (input, output) => {
      const changes = output.hookSpecificOutput?.toolConfig;
      if (changes === undefined) return input;
      const toolConfig = patchToolConfig(input.llm_request.toolConfig, changes);
      return { ...input, llm_request: { ...input.llm_request, toolConfig } };
    },
  }),
  SessionStart: createEventRecord({
    when: 'when a session begins, resumes or is cleared',
    sample: { source: 'startup' },
    payload: () =>
      z.object({
        source: withDescription(createChoiceSchema(SessionStartSource), 'the cause of the session', 'startup'),
      }),
    fromArgs: (source: SessionStartSource | { source: SessionStartSource }) =>
      typeof source === 'string' ? { source } : source,
    // `trigger` is the older name of `source`.
    toFields: (payload) => {
      const source = payload.source.toLowerCase();
      return { ...payload, source, trigger: source };
    },
    subject: createChoiceSubject('source', SessionStartSource),
    merge: 'keep-variables',
    beginsSession: true,
    supports: ['additionalContext'],
    keepsData: {
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
    },
    output: SessionStartHookOutput,
  }),
  SessionEnd: createEventRecord({
    when: 'when a session ends',
    sample: { reason: 'exit' },
    payload: () =>
      z.object({ reason: withDescription(createChoiceSchema(SessionEndReason), 'why the session ends', 'exit') }),
    fromArgs: (reason: SessionEndReason | { reason: SessionEndReason }) =>
      typeof reason === 'string' ? { reason } : reason,
    toFields: (payload) => ({ ...payload, reason: payload.reason.toLowerCase() }),
    subject: createChoiceSubject('reason', SessionEndReason),
    merge: 'last-wins',
    endsSession: true,
    supports: [],
    output: DefaultHookOutput,
  }),
  PreCompress: createEventRecord({
    alsoCalled: ['PreCompact'],
    when: 'before the conversation is compressed',
    sample: { trigger: 'manual' },
    payload: () =>
      z.object({
        trigger: withDescription(createChoiceSchema(PreCompressTrigger), 'what caused the compression', 'auto'),
      }),
    fromArgs: (trigger: PreCompressTrigger | { trigger: PreCompressTrigger }) =>
      typeof trigger === 'string' ? { trigger } : trigger,
    toFields: (payload) => ({ ...payload, trigger: payload.trigger.toLowerCase() }),
    subject: createChoiceSubject('trigger', PreCompressTrigger),
    merge: 'last-wins',
    supports: [],
    output: DefaultHookOutput,
  }),
  Notification: createEventRecord({
    when: 'when the agent shows a message to the user',
    sample: { notification_type: 'ToolPermission', message: '', details: {} },
    payload: () =>
      z.object({
        notification_type: withDescription(
          z.string().check(z.minLength(1)),
          'the type of the message',
          'ToolPermission',
        ),
        message: withDescription(z.string(), 'the text for the user', 'May I run ls?'),
        details: withDescription(z.optional(createObjectSchema()), 'details of the message', {
          tool_name: 'run_shell_command',
        }),
      }),
    fromArgs: (notification_type: string, message: string, details: JsonRecord = {}) => ({
      notification_type,
      message,
      details,
    }),
    toFields: (payload) => ({ ...payload, details: payload.details ?? {} }),
    merge: 'last-wins',
    supports: [],
    output: DefaultHookOutput,
  }),
  PermissionRequest: createEventRecord({
    when: 'before a person is asked whether a tool may run',
    denied: 'the tool does not run, and the person is not asked',
    sample: { tool_name: 'example_tool', tool_input: {}, reason: 'a hook asks' },
    payload: () =>
      z.object({
        ...getToolFields(),
        reason: withDescription(z.optional(z.string()), 'why a person is asked', 'It deletes files.'),
      }),
    fromArgs: (tool_name: string, tool_input: JsonRecord, reason?: string, mcpContext?: JsonRecord) => ({
      tool_name,
      tool_input,
      ...(reason === undefined ? {} : { reason }),
      ...createMcpFields(mcpContext),
    }),
    toFields: (payload) => withCallId(payload),
    subject: toolSubject,
    merge: 'keep-permissions',
    holdsUp: true,
    onLost: 'deny',
    supports: ['tool_input'],
    keepsData: {
      updatedPermissions: {
        type: 'array',
        words: 'with "allow": permissions from now on, in the format of Claude Code; the agent may keep them',
        example: [{ type: 'setMode', mode: 'acceptEdits', destination: 'session' }],
      },
      interrupt: { type: 'boolean', words: 'with "deny": true also ends the agent’s turn', example: true },
    },
    output: PermissionRequestHookOutput,
    rewritten: withChangedArguments,
    feed: (input, output) => withChangedArguments(input, output),
  }),
  AfterToolFailure: createEventRecord({
    alsoCalled: ['PostToolUseFailure'],
    when: 'after a tool has failed',
    sample: { tool_name: 'example_tool', tool_input: {}, error: 'it did not work' },
    payload: () =>
      z.object({ ...getToolFields(), error: withDescription(z.string(), 'what went wrong', 'no such file: notes.md') }),
    fromArgs: (
      tool_name: string,
      tool_input: JsonRecord,
      error: string,
      mcpContext?: JsonRecord,
      originalName?: string,
    ) => ({
      tool_name,
      tool_input,
      error,
      ...createMcpFields(mcpContext, originalName),
    }),
    toFields: (payload) => withCallId(payload),
    subject: toolSubject,
    merge: 'keep-everything',
    supports: ['additionalContext'],
    output: DefaultHookOutput,
  }),
  ...subagentRecords,
};
