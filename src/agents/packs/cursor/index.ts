// Rules of Cursor: its hook files, the stdin of its hooks and their answers.
import { omitUndefined } from '../../../kit/index.ts';
import { mergeByAgentRule } from '../../../merging/index.ts';
import { keepAgentEventNames, toToolCallMembers } from '../../agent-events.ts';
import type { MatcherRule } from '../../agent-matcher.ts';
import { parseIfJsonObject, readObject, readWholeNumber, type Said } from '../../answers/answer.ts';
import {
  DEFAULT_DENIAL_REASON,
  describeUnreadMembers,
  type HostRule,
  joinLines,
  readEventName,
  readSharedPayload,
  type WrittenAnswer,
} from '../../hosting/host-rule.ts';
import { readCommandHandler, readPromptHandler, refuseHandler } from '../../reading/handler.ts';
import type { AgentEvent, JsonObject, RootFlaw } from '../../rule-types.ts';
import type { AgentRules } from '../../rules.ts';
import type { Vocabulary } from '../../tools/vocabulary.ts';
import {
  createStdinWriter,
  createSystemFile,
  createWriterByEvent,
  replaceStopByDenial,
  SECOND_MS,
  type StdinWriter,
  toEventName,
  toTranscriptPath,
} from '../shared.ts';
import { findCursorBlock, promptingEvents, readCursorAnswer, stopEvents } from './answers.ts';

const cursorMatcher: MatcherRule = { everything: ['', '*'], otherwise: 'anywhere', invalid: 'never' };

const toolEvent = { subject: 'tool_name', blocks: true } as const;
const nonBlockingEvent = { blocks: false } as const;

const cursorEvents = keepAgentEventNames({
  preToolUse: { ...toolEvent, moment: 'BeforeTool' },
  postToolUse: { ...toolEvent, moment: 'AfterTool', blocks: false, keepsResult: true },
  postToolUseFailure: { ...toolEvent, moment: 'AfterToolFailure', blocks: false },
  beforeShellExecution: { moment: 'BeforeTool', kinds: ['shell'], subject: 'command', blocks: true },
  afterShellExecution: { moment: 'AfterTool', kinds: ['shell'], subject: 'command', blocks: false },
  beforeMCPExecution: { moment: 'BeforeTool', kinds: ['mcp'], subject: 'tool_name', blocks: true },
  afterMCPExecution: { moment: 'AfterTool', kinds: ['mcp'], subject: 'tool_name', blocks: false },
  beforeReadFile: { moment: 'BeforeTool', kinds: ['read'], subject: 'tool_name', blocks: true },
  afterFileEdit: { moment: 'AfterTool', kinds: ['edit', 'write'], subject: 'tool_name', blocks: false },
  beforeSubmitPrompt: { moment: 'BeforeAgent', literal: 'UserPromptSubmit', blocks: true },
  stop: { moment: 'AfterAgent', literal: 'Stop', blocks: true },
  sessionStart: { ...nonBlockingEvent, moment: 'SessionStart' },
  sessionEnd: { ...nonBlockingEvent, moment: 'SessionEnd' },
  preCompact: { ...nonBlockingEvent, moment: 'PreCompress' },
  subagentStart: { moment: 'SubagentStart', subject: 'subagent_type', blocks: true },
  subagentStop: { moment: 'SubagentStop', subject: 'subagent_type', blocks: true },
  afterAgentResponse: nonBlockingEvent,
  afterAgentThought: nonBlockingEvent,
  beforeTabFileRead: { blocks: true },
  afterTabFileEdit: nonBlockingEvent,
  workspaceOpen: nonBlockingEvent,
});

const DEFAULT_LOOP_LIMIT = 5;

const readLoopLimit = ({ loop_limit: written }: Readonly<JsonObject>): number | null =>
  written === null ? null : (readWholeNumber(written) ?? DEFAULT_LOOP_LIMIT);

const readCursorHandler: AgentRules['readHandler'] = (raw, { event }) => {
  const { type = 'command', loop_limit: written } = raw;
  if (type === 'prompt')
    return readPromptHandler(raw, { unit: SECOND_MS, fallbackMs: 30 * SECOND_MS }, () => ({
      failClosed: raw.failClosed === true,
    }));
  if (type !== 'command') return refuseHandler(`"${String(type)}" is no type of hook`, 'known are command and prompt');
  const isStrange = written !== undefined && written !== null && typeof written !== 'number';
  const isElsewhere = written !== undefined && !stopEvents.includes(event);
  const notes = [
    ...(isElsewhere ? [`"loop_limit" counts only on ${stopEvents.join(' and ')}`] : []),
    ...(isStrange
      ? [`"loop_limit" must be a number or null, found ${JSON.stringify(written)}; it is ${DEFAULT_LOOP_LIMIT}`]
      : []),
  ];
  const isOwn = written !== undefined && !isStrange && stopEvents.includes(event);
  const reading = readCommandHandler(raw, { unit: SECOND_MS, fallbackMs: 60 * SECOND_MS }, (fields) => ({
    failClosed: fields.flag('failClosed'),
    ...(isOwn ? { loopLimit: readLoopLimit(raw) } : {}),
  }));
  return notes.length === 0 ? reading : { ...reading, notes };
};

const cursorTools: Vocabulary = {
  tools: [
    { kind: 'shell', names: ['Shell'], args: { command: 'command', cwd: 'cwd', timeout: 'timeout' } },
    { kind: 'read', names: ['Read'], args: { path: 'file_path', offset: 'offset', limit: 'limit' } },
    { kind: 'write', names: ['Write'], args: { path: 'file_path', content: 'content' } },
    { kind: 'edit', names: ['Write'], args: { path: 'file_path', before: 'old_string', after: 'new_string' } },
    { kind: 'delete', names: ['Delete'], args: { path: 'file_path' } },
    { kind: 'grep', names: ['Grep'], args: { pattern: 'pattern', path: 'file_path' } },
    { kind: 'agent', names: ['Task'], args: { prompt: 'prompt' } },
    { kind: 'fetch', names: ['WebFetch'], args: { url: 'url', prompt: 'prompt' } },
    { kind: 'search', names: ['WebSearch'], args: { query: 'query' } },
  ],
  mcp: 'MCP:{tool}',
};

const toText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value ?? null));

const toToolOutput =
  (name: string): StdinWriter =>
  ({ input: { tool_response: response } }) => ({ [name]: toText(readObject(response)?.llmContent ?? response) });

const toCursorToolCall = createStdinWriter(toToolCallMembers, () => ({ cwd: '' }));

const toServerCall: StdinWriter = ({ tool, input }) => {
  const { server_name, tool_name, url, command } = readObject(input.mcp_context) ?? {};
  const name = tool_name ?? tool?.name.replace(/^MCP:/, '');
  return { tool_name: name, mcp_server_name: server_name, url, command, tool_input: toText(tool?.input) };
};

const toCommand: StdinWriter = ({ tool }) => ({ command: tool?.input.command });
const toFilePath: StdinWriter = ({ tool }) => ({ file_path: tool?.input.file_path });
const toErrorMessage: StdinWriter = ({ input }) => ({ error_message: toText(input.error) });
const toStatus: StdinWriter = ({ input }) => ({ status: input.status ?? 'completed' });
const toLoopCount: StdinWriter = ({ loops }) => ({ loop_count: loops });
const durationKey = { duration: 'duration_ms' } as const;

const writeEventMembers = createWriterByEvent({
  preToolUse: createStdinWriter(toCursorToolCall, 'agent_message'),
  postToolUse: createStdinWriter(toCursorToolCall, toToolOutput('tool_output'), durationKey),
  postToolUseFailure: createStdinWriter(toCursorToolCall, toErrorMessage, 'failure_type', durationKey, 'is_interrupt'),
  beforeShellExecution: createStdinWriter(toCommand, 'cwd', 'sandbox'),
  afterShellExecution: createStdinWriter(toCommand, toToolOutput('output'), durationKey, 'sandbox'),
  beforeMCPExecution: toServerCall,
  afterMCPExecution: createStdinWriter(toServerCall, toToolOutput('result_json'), durationKey),
  beforeReadFile: createStdinWriter(
    toFilePath,
    ({ tool, textOf }) => ({ content: textOf(String(tool?.input.file_path ?? '')) }),
    'attachments',
  ),
  afterFileEdit: createStdinWriter(toFilePath, ({ tool }) => {
    const { old_string, new_string } = tool?.input ?? {};
    return { edits: old_string === undefined ? [] : [{ old_string, new_string }] };
  }),
  beforeSubmitPrompt: ({ input }) => ({ prompt: input.prompt, attachments: input.attachments ?? [] }),
  stop: createStdinWriter(toStatus, toLoopCount),
  sessionStart: createStdinWriter('is_background_agent', 'composer_mode'),
  sessionEnd: createStdinWriter(
    ({ input }) => ({ reason: input.reason === 'error' ? 'error' : 'completed' }),
    ...['duration_ms', 'is_background_agent', 'final_status', 'error_message'],
  ),
  preCompact: createStdinWriter(
    ...['trigger', 'context_usage_percent', 'context_tokens', 'context_window_size', 'message_count'],
    ...['messages_to_compact', 'is_first_compaction'],
  ),
  subagentStart: createStdinWriter(
    ({ callId }) => ({ subagent_id: callId }),
    { subagent_type: 'agent_type', task: 'prompt', parent_conversation_id: 'session_id' },
    ({ callId }) => ({ tool_call_id: callId }),
    ...['subagent_model', 'is_parallel_worker', 'git_branch'],
  ),
  subagentStop: createStdinWriter(
    { subagent_type: 'agent_type' },
    toStatus,
    { summary: 'response' },
    ...['task', 'description', 'duration_ms', 'message_count', 'tool_call_count', 'modified_files'],
    ({ input }) => ({ agent_transcript_path: input.agent_transcript_path ?? null }),
    toLoopCount,
  ),
});

const writeCursorStdin = createStdinWriter(
  { conversation_id: 'session_id', session_id: 'session_id' },
  ({ callId }) => ({ generation_id: callId }),
  'model',
  toEventName,
  ({ version, projectDir }) => ({ cursor_version: version, workspace_roots: [projectDir] }),
  ({ input }) => ({ user_email: input.user_email ?? null }),
  toTranscriptPath,
  writeEventMembers,
);

/** It is not documented whether Cursor reads a file without a version. */
const findRootFlaw = ({ version }: JsonObject): RootFlaw | undefined =>
  version === 1
    ? undefined
    : {
        key: 'version',
        message: `"version" must be 1, found ${JSON.stringify(version) ?? 'none'}`,
        fix: 'write "version": 1',
        voids: false,
      };

/** Stdin of an event for one kind of tool → the tool's name, arguments and result. */
const toolCallReaders: Readonly<Record<string, (document: Readonly<JsonObject>) => JsonObject>> = {
  beforeShellExecution: ({ command }) => ({ tool_name: 'Shell', tool_input: { command } }),
  afterShellExecution: ({ command, output }) => ({
    tool_name: 'Shell',
    tool_input: { command },
    tool_response: { llmContent: output },
  }),
  beforeReadFile: ({ file_path: path }) => ({ tool_name: 'Read', tool_input: { file_path: path } }),
  afterFileEdit: ({ file_path: path, edits }) => ({ tool_name: 'Write', tool_input: { file_path: path, edits } }),
};

const readCursorPayload: HostRule['read'] = (document, spot) => {
  const call = toolCallReaders[spot.event]?.(document) ?? {};
  const { tool_input, tool_output, result_json, error_message, subagent_type, task, summary, loop_count } = document;
  const output = tool_output ?? result_json;
  return readSharedPayload(
    {
      ...document,
      tool_input: parseIfJsonObject(tool_input),
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

const writePermission = ({ decision, reason, toolInput }: Said, event: string): JsonObject => {
  const word = decision === 'ask' && !promptingEvents.includes(event) ? 'deny' : decision;
  const why = word === 'deny' ? (reason ?? DEFAULT_DENIAL_REASON) : reason;
  return omitUndefined({
    permission: word,
    user_message: word === undefined ? undefined : why,
    agent_message: word === undefined ? undefined : why,
    updated_input: word === 'deny' || event !== 'preToolUse' ? undefined : toolInput,
  });
};

const writeFollowUp = ({ decision, reason }: Said): JsonObject =>
  decision === 'deny' ? { followup_message: reason ?? DEFAULT_DENIAL_REASON } : {};

const verdictWriters: Readonly<Record<string, (said: Said, event: string) => JsonObject>> = {
  BeforeTool: writePermission,
  beforeTabFileRead: writePermission,
  SubagentStart: writePermission,
  BeforeAgent: ({ decision, reason }) =>
    decision === 'deny' ? { continue: false, user_message: reason ?? DEFAULT_DENIAL_REASON } : {},
  AfterAgent: writeFollowUp,
  SubagentStop: writeFollowUp,
};

const contextEvents: readonly string[] = ['SessionStart', 'AfterTool'];

/** Always prints an answer, because with `failClosed` Cursor treats empty output as a failure. */
const writeCursorAnswer = (said: Said, { event, rule: { moment = '' } }: AgentEvent): WrittenAnswer => {
  const stopped = moment === 'AfterAgent' ? said : replaceStopByDenial(said);
  const verdict = verdictWriters[moment]?.(stopped, event) ?? {};
  const takesContext = contextEvents.includes(moment);
  const objection =
    verdictWriters[moment] === undefined && stopped.decision === 'deny'
      ? (stopped.reason ?? DEFAULT_DENIAL_REASON)
      : undefined;
  const message = joinLines(
    said.message,
    describeUnreadMembers(said.specific, 'Cursor'),
    takesContext ? undefined : objection,
  );
  const stdout = omitUndefined({
    ...verdict,
    user_message: verdict.user_message ?? message,
    additional_context: takesContext ? joinLines(said.context, objection) : undefined,
  });
  return { stdout, exitCode: 0 };
};

const cursorHost: HostRule = {
  knownBy: {
    signs: [
      ['hook_event_name', 'cursor_version'],
      ['hook_event_name', 'conversation_id'],
      ['hook_event_name', 'generation_id'],
    ],
    variable: 'CURSOR_VERSION',
  },
  eventOf: readEventName,
  read: readCursorPayload,
  write: writeCursorAnswer,
  replaceResult: (updated, { tool_name: name, hook_event_name: event }) =>
    event === 'postToolUse' && String(name).startsWith('MCP:') ? { updated_mcp_tool_output: updated } : undefined,
  mayHave: ['mcp_server_name', 'subagent_model', 'session_id', 'url', 'command', 'agent_message', 'composer_mode'],
};

export const cursor: AgentRules = {
  name: 'cursor',
  title: 'Cursor',
  latest: '3.9.16',
  oldest: '3.1',
  versions: [{ version: '3.9.16', what: 'an empty answer is a failure under failClosed', thin: true }],
  files: [
    { scope: 'project', path: '{project}/.cursor/hooks.json' },
    { scope: 'user', path: '{home}/.cursor/hooks.json' },
    createSystemFile(
      '/etc/cursor/hooks.json',
      '/Library/Application Support/Cursor/hooks.json',
      'C:\\ProgramData\\Cursor\\hooks.json',
    ),
  ],
  alsoReads: [
    {
      files: [
        '{project}/.claude/settings.local.json',
        '{project}/.claude/settings.json',
        '{home}/.claude/settings.json',
      ],
      as: 'claude-code',
      except: ['Notification', 'PermissionRequest'],
    },
  ],
  forms: { settings: { syntax: 'json', events: { below: 'hooks' }, nesting: 'entries', rootFlaw: findRootFlaw } },
  plugins: {
    noun: 'plugin',
    folders: [
      { path: '{home}/.cursor/plugins/local/*', parts: ['name'] },
      { path: '{home}/.cursor/plugins/cache/*/*/*', parts: ['market', 'name', 'version'] },
    ],
    manifests: ['.cursor-plugin/plugin.json', '.claude-plugin/plugin.json'],
    hooks: ['hooks/hooks.json'],
    readsManifest: true,
    wishes: ({ enabledPlugins }) => readObject(enabledPlugins) ?? {},
    isOnByDefault: true,
    variables: ({ root }) => ({ CURSOR_PLUGIN_ROOT: root, CLAUDE_PLUGIN_ROOT: root }),
  },
  writes: {
    failClosed: { failClosed: true },
    loops: { key: 'loop_limit', events: stopEvents },
    path: '{project}/.cursor/hooks.json',
    line: 'command',
    projectDir: '$CURSOR_PROJECT_DIR',
    timeout: { key: 'timeout', ms: 1_000 },
    root: { version: 1 },
  },
  events: () => cursorEvents,
  handlerKeys: ['type', 'command', 'timeout', 'loop_limit', 'failClosed', 'prompt', 'model'],
  readHandler: readCursorHandler,
  matcher: () => cursorMatcher,
  tools: cursorTools,
  stdin: writeCursorStdin,
  process: {
    shell: 'sh',
    cwd: 'settings',
    environment: ({ projectDir, version }) => ({
      CURSOR_PROJECT_DIR: projectDir,
      CLAUDE_PROJECT_DIR: projectDir,
      CURSOR_VERSION: version,
    }),
  },
  readAnswer: readCursorAnswer,
  blockIn: findCursorBlock,
  merge: mergeByAgentRule({ decision: 'strictest', reasons: 'first', scopes: ['system', 'project', 'user'] }),
  host: cursorHost,
  loopCap: ({ event }) => (stopEvents.includes(event) ? DEFAULT_LOOP_LIMIT : undefined),
  order: 'parallel',
  isOff: () => undefined,
  remarks: [
    'One shell call is both preToolUse and beforeShellExecution: a hook under both runs twice, as in Cursor.',
    'It is unclear which text of a denial reaches the model: put the reason into user_message.',
  ],
};
