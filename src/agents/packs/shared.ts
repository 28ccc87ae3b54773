// What the rules of Claude Code and similar agents share: lists of events, keys of handlers, writers of stdin.
import { copyAgentEventMembers } from '../agent-events.ts';
import { isAtLeast } from '../agent-version.ts';
import type { Ended, Said } from '../answers/answer.ts';
import type { AgentEventCall, EventRule, FileRule, JsonObject } from '../rule-types.ts';

export const SECOND_MS = 1_000;

/** On these events of Claude Code and similar agents, a denial makes the agent continue. */
export const stopEvents: readonly string[] = ['Stop', 'SubagentStop'];

/** On these events of Claude Code and similar agents, plain text goes to the model. */
export const plainTextContextEvents: readonly string[] = ['SessionStart', 'UserPromptSubmit', 'UserPromptExpansion'];

export const handlerKeys = {
  command: ['type', 'command', 'timeout', 'statusMessage'],
  http: ['url', 'headers', 'allowedEnvVars'],
  mcp: ['server', 'tool', 'input'],
} as const;

export type StdinWriter = (call: AgentEventCall) => JsonObject;

/** Of `parts`, a text names a member of our hooks' stdin, and a record maps the agent's names of members to ours. */
export const createStdinWriter =
  (...parts: readonly (string | Readonly<Record<string, string>> | StdinWriter)[]): StdinWriter =>
  (call) =>
    Object.assign({}, ...parts.map((part) => writeStdinPart(part, call)));

const writeStdinPart = (
  part: string | Readonly<Record<string, string>> | StdinWriter,
  call: AgentEventCall,
): JsonObject => {
  if (typeof part === 'function') return part(call);
  if (typeof part === 'string') return { [part]: call.input[part] };
  return Object.fromEntries(Object.entries(part).map(([theirs, ours]) => [theirs, call.input[ours]]));
};

export const createWriterByEvent =
  (writers: Readonly<Record<string, StdinWriter>>): StdinWriter =>
  (call) =>
    writers[call.event]?.(call) ?? copyAgentEventMembers(call.event, call.input);

export const toEventName: StdinWriter = ({ event }) => ({ hook_event_name: event });

/** Our hooks get an empty path if there is no transcript. */
export const toTranscriptPath: StdinWriter = ({ input: { transcript_path: path } }) => ({
  transcript_path: path === '' ? null : path,
});

export const toStopHookActive: StdinWriter = ({ input }) => ({ stop_hook_active: input.stop_hook_active ?? false });

export const toSubagentResponse: StdinWriter = ({ input }) => ({ last_assistant_message: input.response ?? '' });

export const toSubagent: StdinWriter = ({ input, callId }) => ({
  agent_id: input.agent_id ?? callId,
  agent_type: input.agent_type,
});

export const createSystemFile = (linux: string, darwin: string, win32?: string): FileRule => ({
  scope: 'system',
  path: { linux, darwin, ...(win32 === undefined ? {} : { win32 }) },
});

export const pickEventsOfVersion = (
  events: Readonly<Record<string, EventRule>>,
  version: string,
): Record<string, EventRule> =>
  Object.fromEntries(
    Object.entries(events).filter(([, { since }]) => since === undefined || isAtLeast(version, since)),
  );

export const toSessionSource: StdinWriter = ({ input: { source } }) => ({
  source: source === 'compress' ? 'compact' : source,
});

export const toNotificationType: StdinWriter = ({ input: { notification_type: type } }) => ({
  notification_type: type === 'ToolPermission' ? 'permission_prompt' : type,
});

export const describeExit = ({ exitCode, signal }: Ended): string =>
  `the hook ended with ${exitCode ?? signal ?? 'a signal'}`;

/** For agents whose hooks cannot stop the agent. */
export const replaceStopByDenial = (said: Said): Said =>
  said.stop === undefined ? said : { ...said, decision: 'deny', reason: said.stop.reason };

export const isDenialWord = (value: unknown): boolean => value === 'deny' || value === 'block';

export const createDecisionReader =
  (words: Readonly<Record<string, Said['decision']>>) =>
  (value: unknown): Said['decision'] =>
    typeof value === 'string' && Object.hasOwn(words, value) ? words[value] : undefined;

const verdictWords = { allow: 'allow', ask: 'ask', deny: 'deny', block: 'deny' } as const;

export const readVerdict = createDecisionReader(verdictWords);

export const readVerdictOrApproval = createDecisionReader({ ...verdictWords, approve: 'allow' });
