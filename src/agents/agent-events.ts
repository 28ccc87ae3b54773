import { agentEventNames, isHookEventName } from '../events/index.ts';
import { isRecord } from '../kit/index.ts';
import type { Call, EventRule, JsonObject } from './rule-types.ts';

/** Answered with the path of the worktree on a line, which no merged answer of ours is. */
const WITHOUT_ANSWER = 'WorktreeCreate';

/** Maps events without an equivalent of ours to the event of the same name in `agentEvents`. */
export const withAgentEvents = (rules: Readonly<Record<string, EventRule>>): Readonly<Record<string, EventRule>> =>
  Object.fromEntries(
    Object.entries(rules).map(([name, rule]) =>
      rule.moment === undefined && agentEventNames.includes(name) && name !== WITHOUT_ANSWER
        ? [name, { ...rule, moment: name }]
        : [name, rule],
    ),
  );

/** Our event for an event of an agent; `undefined` if there is none, or if this host does not fire it. */
export const momentOf = ({ moment }: EventRule): string | undefined => (isHookEventName(moment) ? moment : undefined);

const base: ReadonlySet<string> = new Set(['session_id', 'transcript_path', 'cwd', 'hook_event_name', 'timestamp']);

/** The members of an event of `agentEvents`, which agents and our hooks call the same. */
export const sharedMembers = (event: string, document: Readonly<JsonObject>): JsonObject =>
  agentEventNames.includes(event) ? Object.fromEntries(Object.entries(document).filter(([key]) => !base.has(key))) : {};

/** The members of a tool call that most agents send. */
export const callFields = ({ tool, callId }: Call): JsonObject => ({
  tool_name: tool?.name,
  tool_input: tool?.input,
  tool_use_id: callId,
});

/** The text of a result, for agents that do not send the record around it. */
export const plainResponse = ({ input: { tool_response: response } }: Call): unknown =>
  isRecord(response) && response.llmContent !== undefined ? response.llmContent : response;
