import { textOf } from '../../kit/index.ts';
import { sharedMembers } from '../agent-moments.ts';
import { objectOf } from '../answers/documents.ts';
import type { JsonObject } from '../rules.ts';
import type { HostRule } from './host-rule.ts';

const sources: Readonly<Record<string, string>> = {
  startup: 'startup',
  new: 'startup',
  resume: 'resume',
  fork: 'resume',
  branch: 'resume',
  clear: 'clear',
  compact: 'compress',
  compress: 'compress',
};

const reasons: readonly string[] = ['exit', 'clear', 'logout', 'prompt_input_exit', 'other', 'error', 'timeout'];
const otherReasons: Readonly<Record<string, string>> = { user_exit: 'exit', window_close: 'exit' };
const notifications: Readonly<Record<string, string>> = { permission_prompt: 'ToolPermission' };

const asText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value ?? ''));

const word = (map: Readonly<Record<string, string>>, value: unknown): string | undefined => {
  const text = textOf(value);
  return text === undefined ? undefined : map[text];
};

const toolFields = ({ tool_name: name, tool_input: input, mcp_context: mcp }: Readonly<JsonObject>): JsonObject => ({
  tool_name: name,
  tool_input: objectOf(input) ?? {},
  ...(objectOf(mcp) === undefined ? {} : { mcp_context: mcp }),
});

const modelFields = ({ llm_request, llm_response }: Readonly<JsonObject>): JsonObject => ({
  llm_request: objectOf(llm_request) ?? { model: 'unknown', messages: [] },
  ...(llm_response === undefined ? {} : { llm_response }),
});

/** Some agents do not send it. */
const sentOn = ({ stop_hook_active: isActive }: Readonly<JsonObject>): JsonObject =>
  typeof isActive === 'boolean' ? { stop_hook_active: isActive } : {};

/** stdin in the words that most agents share, as the payload of each moment. */
const payloads: Readonly<Record<string, (document: Readonly<JsonObject>) => JsonObject>> = {
  BeforeTool: toolFields,
  AfterTool: (document) => ({ ...toolFields(document), tool_response: document.tool_response ?? {} }),
  AfterToolFailure: (document) => ({ ...toolFields(document), error: document.error ?? '' }),
  PermissionRequest: (document) => ({
    ...toolFields(document),
    ...(textOf(document.reason) === undefined ? {} : { reason: document.reason }),
  }),
  BeforeAgent: ({ prompt }) => ({ prompt: textOf(prompt) ?? '' }),
  AfterAgent: ({ prompt, prompt_response, last_assistant_message, ...rest }) => ({
    prompt: textOf(prompt) ?? '',
    prompt_response: textOf(prompt_response) ?? textOf(last_assistant_message) ?? '',
    ...sentOn(rest),
  }),
  BeforeModel: modelFields,
  AfterModel: (document) => ({ ...modelFields(document), llm_response: document.llm_response ?? { candidates: [] } }),
  BeforeToolSelection: modelFields,
  SessionStart: ({ source }) => ({ source: word(sources, source) ?? 'startup' }),
  SessionEnd: ({ reason }) => ({
    reason: reasons.find((known) => known === reason) ?? word(otherReasons, reason) ?? 'other',
  }),
  PreCompress: ({ trigger }) => ({ trigger: trigger === 'manual' ? 'manual' : 'auto' }),
  Notification: ({ notification_type: type, message, details }) => ({
    notification_type: word(notifications, type) ?? textOf(type) ?? 'unknown',
    message: asText(message),
    details: objectOf(details) ?? {},
  }),
  SubagentStart: ({ agent_type, prompt }) => ({
    agent_type: textOf(agent_type) ?? 'unknown',
    ...(textOf(prompt) === undefined ? {} : { prompt }),
  }),
  SubagentStop: ({ agent_type, response, last_assistant_message, ...rest }) => ({
    agent_type: textOf(agent_type) ?? 'unknown',
    response: textOf(response) ?? textOf(last_assistant_message) ?? '',
    ...sentOn(rest),
  }),
};

export const readShared: HostRule['read'] = (document, { rule: { moment } }) =>
  moment === undefined ? {} : (payloads[moment]?.(document) ?? sharedMembers(moment, document));

/** What is left to say where an agent has no word for it: the person may read it. */
export const unsayable = (specific: JsonObject | undefined, title: string): string | undefined => {
  const keys = Object.keys(specific ?? {}).filter((key) => key !== 'hookEventName');
  return keys.length === 0 ? undefined : `hookwright: ${title} has no word for ${keys.join(', ')}`;
};

/** Members that have a value. */
export const given = (members: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));

/** Texts that are there, in lines of their own. */
export const lines = (...texts: readonly (string | undefined)[]): string | undefined => {
  const there = texts.filter((text) => text !== undefined && text !== '');
  return there.length === 0 ? undefined : there.join('\n');
};
