// How GitHub Copilot runs hookwright as its hook.
import { omitUndefined, textOf } from '../../../kit/index.ts';
import { parseIfJsonObject, readObject, type Said } from '../../answers/answer.ts';
import { writeBlock } from '../../hosting/claude-like.ts';
import {
  DEFAULT_DENIAL_REASON,
  describeUnreadMembers,
  type HostRule,
  joinLines,
  readSharedPayload,
} from '../../hosting/host-rule.ts';
import type { JsonObject } from '../../rule-types.ts';
import { replaceStopByDenial } from '../shared.ts';
import { isCopilotEvent, toCamelName } from './events.ts';

const toSnakeKey = (key: string): string => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const renamedMembers: Readonly<Record<string, string>> = {
  toolArgs: 'tool_input',
  toolResult: 'tool_result',
  response: 'last_assistant_message',
  agentName: 'agent_type',
};

const toSnakeMembers = (document: Readonly<JsonObject>): JsonObject => {
  const renamed = Object.entries(document).map(([key, value]) => [renamedMembers[key] ?? toSnakeKey(key), value]);
  const fields: JsonObject = Object.fromEntries(renamed);
  const { tool_input: input, tool_result: result, error } = fields;
  return {
    ...fields,
    // Copilot sends arguments as JSON text, although its published types say otherwise.
    tool_input: parseIfJsonObject(input),
    ...(result === undefined ? {} : { tool_response: result }),
    ...(error === undefined ? {} : { error: readObject(error)?.message ?? error }),
  };
};

const contextEvents: readonly string[] = [
  'preToolUse',
  'postToolUse',
  'postToolUseFailure',
  'sessionStart',
  'notification',
];

const decisionWriters: Readonly<Record<string, (said: Said) => JsonObject>> = {
  preToolUse: ({ decision, reason, toolInput }) =>
    omitUndefined({
      permissionDecision: decision,
      permissionDecisionReason: decision === 'deny' ? (reason ?? DEFAULT_DENIAL_REASON) : reason,
      modifiedArgs: decision === 'deny' ? undefined : toolInput,
    }),
  permissionRequest: ({ decision, reason }) =>
    decision === 'deny'
      ? { behavior: 'deny', message: reason ?? DEFAULT_DENIAL_REASON }
      : decision === 'allow'
        ? { behavior: 'allow' }
        : {},
};

const writeCopilotAnswer: HostRule['write'] = (said, { event, rule }) => {
  const name = toCamelName(event);
  // Copilot's hooks cannot stop the agent: a stop denies the call or the end of the turn.
  const stopped = replaceStopByDenial(said);
  const ofCall = decisionWriters[name];
  const takesContext = contextEvents.includes(name);
  const isDenied = stopped.decision === 'deny';
  const objection = isDenied && !rule.blocks ? (stopped.reason ?? DEFAULT_DENIAL_REASON) : undefined;
  const stdout = omitUndefined({
    ...(ofCall === undefined ? (rule.blocks ? writeBlock(stopped) : {}) : ofCall(stopped)),
    additionalContext: takesContext ? joinLines(said.context, objection) : undefined,
  });
  const aside = joinLines(
    said.message,
    takesContext ? undefined : joinLines(said.context, objection),
    describeUnreadMembers(said.specific, 'Copilot CLI'),
  );
  const blocks = isDenied && ofCall !== undefined;
  const stderr = blocks ? (stopped.reason ?? DEFAULT_DENIAL_REASON) : aside;
  return { stdout: Object.keys(stdout).length === 0 ? undefined : stdout, stderr, exitCode: blocks ? 2 : 0 };
};

export const copilotHost: HostRule = {
  // At events in camelCase, only VS Code names the event on stdin.
  findOtherCaller: ({ hook_event_name: name }, event) =>
    name !== undefined && event !== undefined && event !== 'notification' && toCamelName(event) === event
      ? 'vscode'
      : undefined,
  knownBy: {
    signs: [
      ['sessionId', 'timestamp'],
      ['hook_event_name', 'session_id', 'timestamp'],
    ],
    variable: 'COPILOT_CLI',
  },
  eventOf: ({ hook_event_name: snake, hookEventName, hookName }) => {
    const name = textOf(snake ?? hookEventName ?? hookName);
    // On stdin, the event `notification` is called `Notification`.
    return name === undefined || isCopilotEvent(name) ? name : `${name.charAt(0).toLowerCase()}${name.slice(1)}`;
  },
  read: (document, spot) => readSharedPayload(toSnakeMembers(document), spot),
  write: writeCopilotAnswer,
  replaceResult: (updated, { hook_event_name: isSnake }) => {
    const text = typeof updated === 'string' ? updated : JSON.stringify(updated);
    const inSnake = { result_type: 'success', text_result_for_llm: text };
    const modifiedResult = isSnake === undefined ? { resultType: 'success', textResultForLlm: text } : inSnake;
    return { modifiedResult };
  },
  mayHave: ['hookEventName', 'hookName', 'toolCallId', 'tool_call_id', 'transcriptPath', 'transcript_path'],
};
