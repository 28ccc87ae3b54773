import type { Said } from '../../answers/answer.ts';
import { documentIn } from '../../answers/documents.ts';
import type { JsonObject } from '../../dialect.ts';
import { type HostedMoment, type HostRule, NO_REASON, namedEvent, type Written } from '../../hosting/host-rule.ts';
import { given, lines, readShared, unsayable } from '../../hosting/read.ts';
import { asks } from './answers.ts';

/** Calls of tools have an event each; they are named as if they had come over the one for all. */
const calls: Readonly<Record<string, (document: Readonly<JsonObject>) => JsonObject>> = {
  beforeShellExecution: ({ command }) => ({ tool_name: 'Shell', tool_input: { command } }),
  afterShellExecution: ({ command, output }) => ({
    tool_name: 'Shell',
    tool_input: { command },
    tool_response: { llmContent: output },
  }),
  beforeReadFile: ({ file_path: path }) => ({ tool_name: 'Read', tool_input: { file_path: path } }),
  afterFileEdit: ({ file_path: path, edits }) => ({ tool_name: 'Write', tool_input: { file_path: path, edits } }),
};

const read: HostRule['read'] = (document, spot) => {
  const call = calls[spot.event]?.(document) ?? {};
  const { tool_input, tool_output, result_json, error_message, subagent_type, task, summary, loop_count } = document;
  const output = tool_output ?? result_json;
  return readShared(
    {
      ...document,
      tool_input: documentIn(tool_input),
      ...(output === undefined ? {} : { tool_response: { llmContent: output } }),
      ...(error_message === undefined ? {} : { error: error_message }),
      agent_type: subagent_type,
      prompt: document.prompt ?? task,
      response: summary,
      ...(typeof loop_count === 'number' ? { stop_hook_active: loop_count > 0 } : {}),
      ...call,
    },
    spot,
  );
};

const permission = ({ decision, reason, toolInput }: Said, event: string): JsonObject => {
  const word = decision === 'ask' && !asks.includes(event) ? 'deny' : decision;
  const why = word === 'deny' ? (reason ?? NO_REASON) : reason;
  return given({
    permission: word,
    user_message: word === undefined ? undefined : why,
    agent_message: word === undefined ? undefined : why,
    updated_input: word === 'deny' || event !== 'preToolUse' ? undefined : toolInput,
  });
};

const follow = ({ decision, reason }: Said): JsonObject =>
  decision === 'deny' ? { followup_message: reason ?? NO_REASON } : {};

const verdicts: Readonly<Record<string, (said: Said, event: string) => JsonObject>> = {
  BeforeTool: permission,
  beforeTabFileRead: permission,
  SubagentStart: permission,
  BeforeAgent: ({ decision, reason }) =>
    decision === 'deny' ? { continue: false, user_message: reason ?? NO_REASON } : {},
  AfterAgent: follow,
  SubagentStop: follow,
};

const contexts: readonly string[] = ['SessionStart', 'AfterTool'];

/** Something is always printed: a hook of `failClosed` that says nothing counts as failing. */
const write = (said: Said, { event, rule: { moment = '' } }: HostedMoment): Written => {
  const stopped: Said =
    said.stop === undefined || moment === 'AfterAgent' ? said : { ...said, decision: 'deny', reason: said.stop.reason };
  const verdict = verdicts[moment]?.(stopped, event) ?? {};
  const takesContext = contexts.includes(moment);
  const objection =
    verdicts[moment] === undefined && stopped.decision === 'deny' ? (stopped.reason ?? NO_REASON) : undefined;
  const message = lines(said.message, unsayable(said.specific, 'Cursor'), takesContext ? undefined : objection);
  const stdout = given({
    ...verdict,
    user_message: verdict.user_message ?? message,
    additional_context: takesContext ? lines(said.context, objection) : undefined,
  });
  return { stdout, exitCode: 0 };
};

export const cursorHost: HostRule = {
  knownBy: {
    signs: [
      ['hook_event_name', 'cursor_version'],
      ['hook_event_name', 'conversation_id'],
      ['hook_event_name', 'generation_id'],
    ],
    variable: 'CURSOR_VERSION',
  },
  eventOf: namedEvent,
  read,
  write,
  replaceResult: (updated, { tool_name: name, hook_event_name: event }) =>
    event === 'postToolUse' && String(name).startsWith('MCP:') ? { updated_mcp_tool_output: updated } : undefined,
  mayHave: ['mcp_server_name', 'subagent_model', 'session_id', 'url', 'command', 'agent_message', 'composer_mode'],
};
