// How an agent runs hookwright as its hook: the type of these rules, and the payloads that most agents share.
import { omitUndefined, textOf } from '../../kit/index.ts';
import { copyAgentEventMembers } from '../agent-events.ts';
import { readObject, type Said } from '../answers/answer.ts';
import type { AgentEvent, JsonObject } from '../rule-types.ts';

export interface WrittenAnswer {
  readonly stdout?: JsonObject | undefined;
  readonly stderr?: string | undefined;
  readonly exitCode: 0 | 2;
}

export interface HostRule {
  readonly knownBy: {
    /** Each set of stdin members alone identifies the agent. */
    readonly signs: readonly (readonly string[])[];
    readonly never?: readonly string[];
    readonly variable?: string;
  };
  /** `undefined` if only the command line names the event. */
  readonly eventOf: (document: Readonly<JsonObject>) => string | undefined;
  readonly read: (document: Readonly<JsonObject>, spot: AgentEvent) => JsonObject;
  readonly write: (said: Said, spot: AgentEvent) => WrittenAnswer;
  /** Absent if the agent cannot replace a tool's result: the result is then denied. */
  readonly replaceResult?: (updated: unknown, document: Readonly<JsonObject>) => JsonObject | undefined;
  /** The agent that runs a line written for this one, because it reads the same file, and wants its own format. */
  readonly findOtherCaller?: (document: Readonly<JsonObject>, event: string | undefined) => string | undefined;
  /** Optional members of stdin that the rules do not create. */
  readonly mayHave?: readonly string[];
}

export const readEventName = ({ hook_event_name: name }: Readonly<JsonObject>): string | undefined =>
  typeof name === 'string' ? name : undefined;

export const DEFAULT_DENIAL_REASON = 'blocked by a hook';

/** At these events the agent waits for a permission. At other events a failed guard cannot deny. */
const gateEvents: ReadonlySet<string | undefined> = new Set(['BeforeTool', 'PermissionRequest']);

export const isGateEvent = (moment: string | undefined): boolean => gateEvents.has(moment);

const sessionSources: Readonly<Record<string, string>> = {
  startup: 'startup',
  new: 'startup',
  resume: 'resume',
  fork: 'resume',
  branch: 'resume',
  clear: 'clear',
  compact: 'compress',
  compress: 'compress',
};

const endReasons: readonly string[] = ['exit', 'clear', 'logout', 'prompt_input_exit', 'other', 'error', 'timeout'];
const renamedEndReasons: Readonly<Record<string, string>> = { user_exit: 'exit', window_close: 'exit' };
const notificationTypes: Readonly<Record<string, string>> = { permission_prompt: 'ToolPermission' };

const toText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value ?? ''));

const mapText = (map: Readonly<Record<string, string>>, value: unknown): string | undefined => {
  const text = textOf(value);
  return text === undefined ? undefined : map[text];
};

const readToolMembers = ({ tool_name: name, tool_input: input, mcp_context: mcp }: Readonly<JsonObject>): JsonObject =>
  omitUndefined({ tool_name: name, tool_input: readObject(input) ?? {}, mcp_context: readObject(mcp) });

const readModelMembers = ({ llm_request, llm_response }: Readonly<JsonObject>): JsonObject =>
  omitUndefined({ llm_request: readObject(llm_request) ?? { model: 'unknown', messages: [] }, llm_response });

const readStopHookActive = ({ stop_hook_active: isActive }: Readonly<JsonObject>): JsonObject =>
  typeof isActive === 'boolean' ? { stop_hook_active: isActive } : {};

const payloadReaders: Readonly<Record<string, (document: Readonly<JsonObject>) => JsonObject>> = {
  BeforeTool: readToolMembers,
  AfterTool: (document) => ({ ...readToolMembers(document), tool_response: document.tool_response ?? {} }),
  AfterToolFailure: (document) => ({ ...readToolMembers(document), error: document.error ?? '' }),
  PermissionRequest: (document) => omitUndefined({ ...readToolMembers(document), reason: textOf(document.reason) }),
  BeforeAgent: ({ prompt }) => ({ prompt: textOf(prompt) ?? '' }),
  AfterAgent: ({ prompt, prompt_response, last_assistant_message, ...rest }) => ({
    prompt: textOf(prompt) ?? '',
    prompt_response: textOf(prompt_response) ?? textOf(last_assistant_message) ?? '',
    ...readStopHookActive(rest),
  }),
  BeforeModel: readModelMembers,
  AfterModel: (document) => ({
    ...readModelMembers(document),
    llm_response: document.llm_response ?? { candidates: [] },
  }),
  BeforeToolSelection: readModelMembers,
  SessionStart: ({ source }) => ({ source: mapText(sessionSources, source) ?? 'startup' }),
  SessionEnd: ({ reason }) => ({
    reason: endReasons.find((known) => known === reason) ?? mapText(renamedEndReasons, reason) ?? 'other',
  }),
  PreCompress: ({ trigger }) => ({ trigger: trigger === 'manual' ? 'manual' : 'auto' }),
  Notification: ({ notification_type: type, message, details }) => ({
    notification_type: mapText(notificationTypes, type) ?? textOf(type) ?? 'unknown',
    message: toText(message),
    details: readObject(details) ?? {},
  }),
  SubagentStart: ({ agent_type, prompt }) =>
    omitUndefined({ agent_type: textOf(agent_type) ?? 'unknown', prompt: textOf(prompt) }),
  SubagentStop: ({ agent_type, response, last_assistant_message, ...rest }) => ({
    agent_type: textOf(agent_type) ?? 'unknown',
    response: textOf(response) ?? textOf(last_assistant_message) ?? '',
    ...readStopHookActive(rest),
  }),
};

export const readSharedPayload: HostRule['read'] = (document, { rule: { moment } }) =>
  moment === undefined ? {} : (payloadReaders[moment]?.(document) ?? copyAgentEventMembers(moment, document));

export const describeUnreadMembers = (specific: JsonObject | undefined, title: string): string | undefined => {
  const keys = Object.keys(specific ?? {}).filter((key) => key !== 'hookEventName');
  return keys.length === 0 ? undefined : `hookwright: ${title} has no word for ${keys.join(', ')}`;
};

export const joinLines = (...texts: readonly (string | undefined)[]): string | undefined => {
  const there = texts.filter((text) => text !== undefined && text !== '');
  return there.length === 0 ? undefined : there.join('\n');
};
