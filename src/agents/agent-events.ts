import { agentEventNames, isHookEventName } from '../events/index.ts';
import { isRecord } from '../kit/index.ts';
import type { Call, EventRule, JsonObject } from './rule-types.ts';

/** Answered with the path of the worktree on a line, which no merged answer of ours is. */
const WITHOUT_ANSWER = 'WorktreeCreate';

/** Rules of an agent whose events without an equivalent of ours are those of `agentEvents`, under the same names. */
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

/** How most agents tell a hook of a call of a tool. */
export const callFields = ({ tool, callId }: Call): JsonObject => ({
  tool_name: tool?.name,
  tool_input: tool?.input,
  tool_use_id: callId,
});

/** The result of a tool where hooks get what the model gets: its text, not the record that holds it. */
export const plainResponse = ({ input: { tool_response: response } }: Call): unknown =>
  isRecord(response) && response.llmContent !== undefined ? response.llmContent : response;
