import { countIn, objectOf } from '../../answers/documents.ts';
import { mergeBy } from '../../answers/merge.ts';
import type { Call, Dialect, EventRule, Json } from '../../dialect.ts';
import type { MatcherRule } from '../../matcher.ts';
import { type HandlerReading, notRunHere, readCommandHandler, refused } from '../../reading/handler.ts';
import type { RootFlaw } from '../../rules.ts';
import { callFields } from '../../tools/call-fields.ts';
import type { Vocabulary } from '../../tools/vocabulary.ts';
import { cursorBlockIn, goesOn, readAnswer } from './answers.ts';
import { cursorHost } from './host.ts';

const SECOND = 1_000;

const matcher: MatcherRule = { everything: ['', '*'], otherwise: 'anywhere', invalid: 'never' };

const tool = { subject: 'tool_name', blocks: true } as const;
const off = { blocks: false } as const;

const events: Readonly<Record<string, EventRule>> = {
  preToolUse: { ...tool, moment: 'BeforeTool' },
  postToolUse: { ...tool, moment: 'AfterTool', blocks: false, keepsResult: true },
  postToolUseFailure: { ...tool, moment: 'AfterToolFailure', blocks: false },
  beforeShellExecution: { moment: 'BeforeTool', kinds: ['shell'], subject: 'command', blocks: true },
  afterShellExecution: { moment: 'AfterTool', kinds: ['shell'], subject: 'command', blocks: false },
  beforeMCPExecution: { moment: 'BeforeTool', kinds: ['mcp'], subject: 'tool_name', blocks: true },
  afterMCPExecution: { moment: 'AfterTool', kinds: ['mcp'], subject: 'tool_name', blocks: false },
  beforeReadFile: { moment: 'BeforeTool', kinds: ['read'], subject: 'tool_name', blocks: true },
  afterFileEdit: { moment: 'AfterTool', kinds: ['edit', 'write'], subject: 'tool_name', blocks: false },
  beforeSubmitPrompt: { moment: 'BeforeAgent', literal: 'UserPromptSubmit', blocks: true },
  stop: { moment: 'AfterAgent', literal: 'Stop', blocks: true },
  sessionStart: { ...off, moment: 'SessionStart' },
  sessionEnd: { ...off, moment: 'SessionEnd' },
  preCompact: { ...off, moment: 'PreCompress' },
  subagentStart: { moment: 'SubagentStart', subject: 'subagent_type', blocks: true },
  subagentStop: { moment: 'SubagentStop', subject: 'subagent_type', blocks: true },
  afterAgentResponse: off,
  afterAgentThought: off,
  beforeTabFileRead: { blocks: true },
  afterTabFileEdit: off,
  workspaceOpen: off,
};

/** How often a hook sends the agent on, where it says nothing of it. */
const LOOPS = 5;

/** A number of times, or `null` for as often as it likes. */
const loopLimitIn = ({ loop_limit: written }: Readonly<Json>): number | null =>
  written === null ? null : (countIn(written) ?? LOOPS);

const readHandler: Dialect['readHandler'] = (raw, { event }): HandlerReading => {
  const { type = 'command', loop_limit: written } = raw;
  if (type === 'prompt') return notRunHere(type, 'it asks a model, and there is none in the engine');
  if (type !== 'command') return refused(`"${String(type)}" is no type of hook`, 'known are command and prompt');
  const isStrange = written !== undefined && written !== null && typeof written !== 'number';
  const isElsewhere = written !== undefined && !goesOn.includes(event);
  const notes = [
    ...(isElsewhere ? [`"loop_limit" counts only on ${goesOn.join(' and ')}`] : []),
    ...(isStrange ? [`"loop_limit" must be a number or null, found ${JSON.stringify(written)}; it is ${LOOPS}`] : []),
  ];
  const isOwn = written !== undefined && !isStrange && goesOn.includes(event);
  const reading = readCommandHandler(raw, { unit: SECOND, fallbackMs: 60 * SECOND }, (fields) => ({
    failClosed: fields.flag('failClosed'),
    ...(isOwn ? { loopLimit: loopLimitIn(raw) } : {}),
  }));
  return notes.length === 0 ? reading : { ...reading, notes };
};

const tools: Vocabulary = {
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

const asText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value ?? null));

const responseText = (input: Readonly<Json>): string => {
  const response = objectOf(input.tool_response);
  return asText(response?.llmContent ?? input.tool_response);
};

const toolFields = (call: Call): Json => ({ ...callFields(call), cwd: '' });

const pathOf = ({ tool }: Call): unknown => tool?.input.file_path;

const fields: Readonly<Record<string, (call: Call) => Json>> = {
  preToolUse: (call) => ({ ...toolFields(call), agent_message: '' }),
  postToolUse: (call) => ({ ...toolFields(call), tool_output: responseText(call.input), duration: 0 }),
  postToolUseFailure: (call) => ({
    ...toolFields(call),
    error_message: asText(call.input.error),
    failure_type: 'error',
    duration: 0,
    is_interrupt: false,
  }),
  beforeShellExecution: ({ tool, input }) => ({ command: tool?.input.command, cwd: input.cwd, sandbox: false }),
  afterShellExecution: ({ tool, input }) => ({
    command: tool?.input.command,
    output: responseText(input),
    duration: 0,
    sandbox: false,
  }),
  beforeMCPExecution: ({ tool }) => ({ tool_name: tool?.name, tool_input: asText(tool?.input) }),
  afterMCPExecution: ({ tool, input }) => ({
    tool_name: tool?.name,
    tool_input: asText(tool?.input),
    result_json: responseText(input),
    duration: 0,
  }),
  beforeReadFile: (call) => ({
    file_path: pathOf(call),
    content: call.textOf(String(pathOf(call) ?? '')),
    attachments: [],
  }),
  afterFileEdit: (call) => ({
    file_path: pathOf(call),
    edits:
      call.tool?.input.old_string === undefined
        ? []
        : [{ old_string: call.tool.input.old_string, new_string: call.tool.input.new_string }],
  }),
  beforeSubmitPrompt: ({ input }) => ({ prompt: input.prompt, attachments: [] }),
  stop: ({ loops }) => ({ status: 'completed', loop_count: loops }),
  sessionStart: () => ({ is_background_agent: false }),
  sessionEnd: ({ input }) => ({
    reason: input.reason === 'error' ? 'error' : 'completed',
    duration_ms: 0,
    is_background_agent: false,
    final_status: 'completed',
  }),
  preCompact: ({ input }) => ({
    trigger: input.trigger,
    context_usage_percent: 0,
    context_tokens: 0,
    context_window_size: 0,
    message_count: 0,
    messages_to_compact: 0,
    is_first_compaction: false,
  }),
  subagentStart: ({ input, callId }) => ({
    subagent_id: callId,
    subagent_type: input.agent_type,
    task: input.prompt ?? '',
    parent_conversation_id: input.session_id,
    tool_call_id: callId,
    subagent_model: 'unknown',
    is_parallel_worker: false,
  }),
  subagentStop: ({ input, loops }) => ({
    subagent_type: input.agent_type,
    status: 'completed',
    task: '',
    description: '',
    summary: input.response ?? '',
    duration_ms: 0,
    message_count: 0,
    tool_call_count: 0,
    modified_files: [],
    agent_transcript_path: null,
    loop_count: loops,
  }),
};

const stdin = (call: Call): Json => ({
  conversation_id: call.input.session_id,
  session_id: call.input.session_id,
  generation_id: call.callId,
  model: 'unknown',
  hook_event_name: call.event,
  cursor_version: call.version,
  workspace_roots: [call.projectDir],
  user_email: null,
  transcript_path: call.input.transcript_path === '' ? null : call.input.transcript_path,
  ...fields[call.event]?.(call),
});

/** One linter says that the version has to be there; nobody says what comes of it if not. */
const rootFlaw = ({ version }: Json): RootFlaw | undefined =>
  version === 1
    ? undefined
    : {
        key: 'version',
        message: `"version" must be 1, found ${JSON.stringify(version) ?? 'none'}`,
        fix: 'write "version": 1',
        voids: false,
      };

export const cursor: Dialect = {
  name: 'cursor',
  title: 'Cursor',
  latest: '3.9.16',
  oldest: '3.1',
  versions: [{ version: '3.9.16', what: 'an empty answer counts as failing under failClosed', thin: true }],
  files: [
    { scope: 'project', path: '{project}/.cursor/hooks.json' },
    { scope: 'user', path: '{home}/.cursor/hooks.json' },
    {
      scope: 'system',
      path: {
        linux: '/etc/cursor/hooks.json',
        darwin: '/Library/Application Support/Cursor/hooks.json',
        win32: 'C:\\ProgramData\\Cursor\\hooks.json',
      },
    },
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
  forms: { settings: { syntax: 'json', events: { below: 'hooks' }, nesting: 'entries', rootFlaw } },
  plugins: {
    noun: 'plugin',
    folders: [
      { path: '{home}/.cursor/plugins/local/*', parts: ['name'] },
      { path: '{home}/.cursor/plugins/cache/*/*/*', parts: ['market', 'name', 'version'] },
    ],
    manifests: ['.cursor-plugin/plugin.json', '.claude-plugin/plugin.json'],
    hooks: ['hooks/hooks.json'],
    readsManifest: true,
    wishes: ({ enabledPlugins }) => objectOf(enabledPlugins) ?? {},
    isOnByDefault: true,
    variables: ({ root }) => ({ CURSOR_PLUGIN_ROOT: root, CLAUDE_PLUGIN_ROOT: root }),
  },
  writes: {
    failClosed: { failClosed: true },
    path: '{project}/.cursor/hooks.json',
    line: 'command',
    projectDir: '$CURSOR_PROJECT_DIR',
    timeout: { key: 'timeout', ms: 1_000 },
    root: { version: 1 },
  },
  events: () => events,
  handlerKeys: ['type', 'command', 'timeout', 'loop_limit', 'failClosed', 'prompt', 'model'],
  readHandler,
  matcher: () => matcher,
  tools,
  stdin,
  process: {
    shell: 'sh',
    cwd: 'settings',
    environment: ({ projectDir, version }) => ({
      CURSOR_PROJECT_DIR: projectDir,
      CLAUDE_PROJECT_DIR: projectDir,
      CURSOR_VERSION: version,
    }),
  },
  readAnswer,
  blockIn: cursorBlockIn,
  merge: mergeBy({ decision: 'strictest', reasons: 'first', scopes: ['system', 'project', 'user'] }),
  host: cursorHost,
  loopCap: ({ event }) => (goesOn.includes(event) ? LOOPS : undefined),
  order: 'parallel',
  sameAs: () => undefined,
  isOff: () => undefined,
  remarks: [
    'One shell call is both preToolUse and beforeShellExecution: a hook that stands under both runs twice, as it does there.',
    'Which text of a denial reaches the model is not settled: write the reason into user_message.',
  ],
};
