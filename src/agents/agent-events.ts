// Maps events of agents to hookwright's events, and creates the stdin members that most agents send.
import { agentEventNames, isHookEventName } from '../events/index.ts';
import { isRecord } from '../kit/index.ts';
import type { AgentEvent, AgentEventCall, EventRule, JsonObject } from './rule-types.ts';

/** Hooks at this event print the path of a worktree as plain text, which a merged answer cannot express. */
const UNANSWERABLE_EVENT = 'WorktreeCreate';

/** Events without an equivalent in hookwright keep their own names if `agentEventNames` lists them. */
export const keepAgentEventNames = (rules: Readonly<Record<string, EventRule>>): Readonly<Record<string, EventRule>> =>
  Object.fromEntries(
    Object.entries(rules).map(([name, rule]) =>
      rule.moment === undefined && agentEventNames.includes(name) && name !== UNANSWERABLE_EVENT
        ? [name, { ...rule, moment: name }]
        : [name, rule],
    ),
  );

export const findOurEvent = ({ moment }: EventRule): string | undefined =>
  isHookEventName(moment) ? moment : undefined;

/** The hookwright events at which hooks of an agent's event run. */
export const listOurEvents = ({ moment, alsoAt }: EventRule): readonly string[] => [moment ?? [], alsoAt ?? []].flat();

/** The agent's event at which hooks of `moment`, an event of hookwright, run for every kind of tool. */
export const findGeneralEvent = (rules: Readonly<Record<string, EventRule>>, moment: string): string | undefined =>
  Object.keys(rules).find((event) => rules[event]?.moment === moment && rules[event].kinds === undefined);

/** Members of stdin that the engine sets itself. */
export const engineMembers: ReadonlySet<string> = new Set([
  'session_id',
  'transcript_path',
  'cwd',
  'hook_event_name',
  'timestamp',
]);

/** Events in `agentEventNames` have the same members in agents and in our hooks. */
export const copyAgentEventMembers = (event: string, document: Readonly<JsonObject>): JsonObject =>
  agentEventNames.includes(event)
    ? Object.fromEntries(Object.entries(document).filter(([key]) => !engineMembers.has(key)))
    : {};

/** Creates a call without a session or project, to see which stdin an agent's rules create. */
export const createSampleCall = (event: AgentEvent, input: Readonly<JsonObject>): AgentEventCall => ({
  ...event,
  input,
  callId: '',
  projectDir: '',
  loops: 0,
  nth: 0,
  textOf: () => '',
});

export const toToolMembers = ({ tool }: AgentEventCall): JsonObject => ({
  tool_name: tool?.name,
  tool_input: tool?.input,
});

export const toToolCallMembers = (call: AgentEventCall): JsonObject => ({
  ...toToolMembers(call),
  tool_use_id: call.callId,
});

export const unwrapToolResponse = ({ input: { tool_response: response } }: AgentEventCall): unknown =>
  isRecord(response) && response.llmContent !== undefined ? response.llmContent : response;
