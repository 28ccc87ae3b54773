// How GitHub Copilot runs hookwright as its hook.
import { textOf } from '../../../kit/index.ts';
import { documentIn, objectOf, type Said, withoutUndefined } from '../../answers/answer.ts';
import { blockOf } from '../../hosting/claude-like.ts';
import {
  type HostAgentEvent,
  type HostRule,
  joinLines,
  NO_REASON,
  readSharedMembers,
  unreadMembersNote,
  type Written,
} from '../../hosting/host-rule.ts';
import type { JsonObject } from '../../rule-types.ts';
import { isCopilotEvent, plainName } from './events.ts';

const snakeKey = (key: string): string => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const others: Readonly<Record<string, string>> = {
  toolArgs: 'tool_input',
  toolResult: 'tool_result',
  response: 'last_assistant_message',
  agentName: 'agent_type',
};

const inSnake = (document: Readonly<JsonObject>): JsonObject => {
  const renamed = Object.entries(document).map(([key, value]) => [others[key] ?? snakeKey(key), value]);
  const fields: JsonObject = Object.fromEntries(renamed);
  const { tool_input: input, tool_result: result, error } = fields;
  return {
    ...fields,
    // Arguments are sent as JSON text, although the published types differ.
    tool_input: documentIn(input),
    ...(result === undefined ? {} : { tool_response: result }),
    ...(error === undefined ? {} : { error: objectOf(error)?.message ?? error }),
  };
};

const contexts: readonly string[] = ['preToolUse', 'postToolUse', 'postToolUseFailure', 'sessionStart', 'notification'];

const decisions: Readonly<Record<string, (said: Said) => JsonObject>> = {
  preToolUse: ({ decision, reason, toolInput }) =>
    withoutUndefined({
      permissionDecision: decision,
      permissionDecisionReason: decision === 'deny' ? (reason ?? NO_REASON) : reason,
      modifiedArgs: decision === 'deny' ? undefined : toolInput,
    }),
  permissionRequest: ({ decision, reason }) =>
    decision === 'deny'
      ? { behavior: 'deny', message: reason ?? NO_REASON }
      : decision === 'allow'
        ? { behavior: 'allow' }
        : {},
};

const write = (said: Said, { event, rule }: HostAgentEvent): Written => {
  const name = plainName(event);
  // Copilot's hooks cannot stop the agent: a stop denies the call or the end of the turn.
  const stopped: Said = said.stop === undefined ? said : { ...said, decision: 'deny', reason: said.stop.reason };
  const ofCall = decisions[name];
  const takesContext = contexts.includes(name);
  const isDenied = stopped.decision === 'deny';
  const objection = isDenied && !rule.blocks ? (stopped.reason ?? NO_REASON) : undefined;
  const stdout = withoutUndefined({
    ...(ofCall === undefined ? (rule.blocks ? blockOf(stopped) : {}) : ofCall(stopped)),
    additionalContext: takesContext ? joinLines(said.context, objection) : undefined,
  });
  const aside = joinLines(
    said.message,
    takesContext ? undefined : joinLines(said.context, objection),
    unreadMembersNote(said.specific, 'Copilot CLI'),
  );
  const blocks = isDenied && ofCall !== undefined;
  const stderr = blocks ? (stopped.reason ?? NO_REASON) : aside;
  return { stdout: Object.keys(stdout).length === 0 ? undefined : stdout, stderr, exitCode: blocks ? 2 : 0 };
};

export const copilotHost: HostRule = {
  knownBy: {
    signs: [
      ['sessionId', 'timestamp'],
      ['hook_event_name', 'session_id', 'timestamp'],
    ],
    variable: 'COPILOT_CLI',
  },
  eventOf: ({ hook_event_name: snake, hookEventName, hookName }) => {
    const name = textOf(snake ?? hookEventName ?? hookName);
    // One camelCase event sends its name in PascalCase.
    return name === undefined || isCopilotEvent(name) ? name : `${name.charAt(0).toLowerCase()}${name.slice(1)}`;
  },
  read: (document, spot) => readSharedMembers(inSnake(document), spot),
  write,
  replaceResult: (updated, { hook_event_name: isSnake }) => {
    const text = typeof updated === 'string' ? updated : JSON.stringify(updated);
    const inSnake = { result_type: 'success', text_result_for_llm: text };
    const modifiedResult = isSnake === undefined ? { resultType: 'success', textResultForLlm: text } : inSnake;
    return { modifiedResult };
  },
  mayHave: ['hookEventName', 'hookName', 'toolCallId', 'tool_call_id', 'transcriptPath', 'transcript_path'],
};
