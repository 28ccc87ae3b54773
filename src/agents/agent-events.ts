// Maps events of agents to hookwright's events, and shapes the members that most agents send.
import { agentEventNames, isHookEventName } from '../events/index.ts';
import { isRecord } from '../kit/index.ts';
import type { Call, EventRule, JsonObject } from './rule-types.ts';

/**
 * Hookwright cannot answer this event: its hooks print the path of a worktree on a line, which a merged answer cannot
 * be.
 */
const UNANSWERABLE_EVENT = 'WorktreeCreate';

/** Maps events without an equivalent to the event of the same name in `agentEvents`. */
export const mapToAgentEvents = (rules: Readonly<Record<string, EventRule>>): Readonly<Record<string, EventRule>> =>
  Object.fromEntries(
    Object.entries(rules).map(([name, rule]) =>
      rule.moment === undefined && agentEventNames.includes(name) && name !== UNANSWERABLE_EVENT
        ? [name, { ...rule, moment: name }]
        : [name, rule],
    ),
  );

/** Our event for an event of an agent; `undefined` if there is none, or if this host does not fire it. */
export const findOurEvent = ({ moment }: EventRule): string | undefined =>
  isHookEventName(moment) ? moment : undefined;

const base: ReadonlySet<string> = new Set(['session_id', 'transcript_path', 'cwd', 'hook_event_name', 'timestamp']);

/** Members of an event of `agentEvents`: agents and our hooks use the same names. */
export const copyAgentEventMembers = (event: string, document: Readonly<JsonObject>): JsonObject =>
  agentEventNames.includes(event) ? Object.fromEntries(Object.entries(document).filter(([key]) => !base.has(key))) : {};

export const toToolCallMembers = ({ tool, callId }: Call): JsonObject => ({
  tool_name: tool?.name,
  tool_input: tool?.input,
  tool_use_id: callId,
});

/** The text of a tool result, for agents that do not send the object around it. */
export const plainResponse = ({ input: { tool_response: response } }: Call): unknown =>
  isRecord(response) && response.llmContent !== undefined ? response.llmContent : response;
