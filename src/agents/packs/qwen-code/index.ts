// Rules of Qwen Code.
import { mergeByAgentRule } from '../../../merging/index.ts';
import { callFields, sharedMembers, withAgentEvents } from '../../agent-events.ts';
import type { MatcherRule } from '../../agent-matcher.ts';
import { isAtLeast } from '../../agent-version.ts';
import { type Answer, objectOf, wholeNumberIn } from '../../answers/answer.ts';
import { writeClaudeLike } from '../../hosting/claude-like.ts';
import { type HostRule, namedEvent, readSharedMembers } from '../../hosting/host-rule.ts';
import {
  type HandlerReading,
  notRunHere,
  readCommandHandler,
  readHttpHandler,
  readPromptHandler,
  refusedHandler,
  type TimeoutRule,
} from '../../reading/handler.ts';
import { combinedList, disabledBy, disableUnlistedUrls, firstSwitchValue } from '../../reading/switches.ts';
import type { Call, EventRule, JsonObject } from '../../rule-types.ts';
import type { AgentRules } from '../../rules.ts';
import type { Vocabulary } from '../../tools/vocabulary.ts';
import { claudeBlockIn } from '../claude-code/answers.ts';
import { extensionsIn } from '../gemini.ts';
import { copyMembers, handlerKeys, SECOND } from '../shared.ts';
import { continuingEvents, PERMISSION, readQwenAnswer } from './answers.ts';

/** Since this version the rules are Claude Code's; no source names the exact release of September 2026. */
const ALIGNED = '0.24';

const isAligned = (version: string): boolean => isAtLeast(version, ALIGNED);

const LOOPS = 8;
const MOST_LOOPS = 100;

const everything = { everything: ['', '*'], trims: true } as const;
const pattern: MatcherRule = { ...everything, otherwise: 'anywhere', invalid: 'literal' };
const equal: MatcherRule = { ...everything, otherwise: 'equal', invalid: 'literal' };

/** One of a tool's names, a list of them, or a pattern on the tool's id. */
const toolMatcher: MatcherRule = {
  ...everything,
  namesFirst: true,
  notNames: /^[\^(]/,
  separators: /\|/,
  trimsNames: true,
  otherwise: 'anywhere',
  patternsOn: 'first',
  invalid: 'never',
};

const tool = { subject: 'tool_name', blocks: true } as const;

const events = withAgentEvents({
  PreToolUse: { ...tool, moment: 'BeforeTool' },
  PostToolUse: { ...tool, moment: 'AfterTool', blocks: false, keepsResult: true },
  PostToolUseFailure: { ...tool, moment: 'AfterToolFailure', blocks: false },
  PermissionRequest: { ...tool, moment: 'PermissionRequest' },
  UserPromptSubmit: { moment: 'BeforeAgent', blocks: true },
  Stop: { moment: 'AfterAgent', blocks: true },
  SessionStart: { moment: 'SessionStart', subject: 'source', matcher: pattern, blocks: false },
  SessionEnd: { moment: 'SessionEnd', subject: 'reason', matcher: pattern, blocks: false },
  PreCompact: { moment: 'PreCompress', subject: 'trigger', matcher: equal, blocks: false },
  Notification: { moment: 'Notification', subject: 'notification_type', matcher: equal, blocks: false },
  SubagentStart: { moment: 'SubagentStart', subject: 'agent_type', matcher: pattern, blocks: false },
  SubagentStop: { moment: 'SubagentStop', subject: 'agent_type', matcher: pattern, blocks: true },
  PostToolBatch: { blocks: true },
  UserPromptExpansion: { subject: 'command_name', matcher: pattern, blocks: true },
  SessionDelete: { blocks: false },
  StopFailure: { subject: 'error', matcher: equal, blocks: false },
  MessageDisplay: { blocks: false },
  PermissionDenied: { ...tool, blocks: false },
  PostCompact: { subject: 'trigger', matcher: equal, blocks: false },
  TodoCreated: { blocks: true },
  TodoCompleted: { blocks: true },
  InstructionsLoaded: { subject: 'file_path', matcher: pattern, blocks: false },
});

/** Since then all events share one rule for matchers. */
const alignedEvents: Readonly<Record<string, EventRule>> = Object.fromEntries(
  Object.entries(events).map(([name, { matcher: _own, ...rule }]) => [name, rule]),
);

/** Aligned versions read numbers below 1000 as seconds and others as milliseconds. */
const alignedUnit = (value: number): number => (value >= 1_000 ? value : value * SECOND);

const commandTimeout = (version: string): TimeoutRule =>
  isAligned(version) ? { unit: alignedUnit, fallbackMs: 60 * SECOND } : { unit: 1, fallbackMs: 60 * SECOND };

/** Aligned versions accept a number in a text, and use the default for an invalid timeout. */
const withTimeout = ({ timeout, ...raw }: Readonly<JsonObject>): JsonObject => {
  const value = typeof timeout === 'string' && timeout.trim() !== '' ? Number(timeout) : timeout;
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? { ...raw, timeout: value } : raw;
};

const readHandler: AgentRules['readHandler'] = (raw, { version }): HandlerReading => {
  const { type } = raw;
  const isNoTime = isAligned(version) && raw.timeout !== undefined && withTimeout(raw).timeout === undefined;
  const notes = [
    ...(raw.if === undefined ? [] : ['"if" is not read here: the hook runs whether it fits or not']),
    ...(isNoTime ? [`timeout ${JSON.stringify(raw.timeout)} means nothing; a command has its minute`] : []),
  ];
  if (type === 'command') {
    const reading = readCommandHandler(
      isAligned(version) ? withTimeout(raw) : raw,
      commandTimeout(version),
      (fields) => ({
        env: fields.record('env'),
        shell: fields.text('shell'),
        isAsync: fields.flag('async'),
        ...(isAligned(version) ? { args: fields.texts('args') } : {}),
      }),
    );
    return { ...reading, notes };
  }
  if (type === 'http') return { ...readHttpHandler(raw, { unit: SECOND, fallbackMs: 600 * SECOND }), notes };
  if (type === 'prompt') return readPromptHandler(raw, { unit: SECOND, fallbackMs: 30 * SECOND });
  if (type === 'function') return notRunHere(type, 'it is a function inside the agent');
  return refusedHandler(`"${String(type)}" is no type of handler`, 'known are command, http, prompt');
};

const sources: Readonly<Record<string, string>> = { compress: 'compact' };
const notifications: Readonly<Record<string, string>> = { ToolPermission: 'permission_prompt' };

const modeOf = ({ input }: Call): unknown => input.permission_mode ?? 'default';
const toolFields = (call: Call): JsonObject => ({ permission_mode: modeOf(call), ...callFields(call) });

const stopActive = ({ input, version }: Call): unknown =>
  isAligned(version) ? (input.stop_hook_active ?? false) : true;

const fields: Readonly<Record<string, (call: Call) => JsonObject>> = {
  PreToolUse: toolFields,
  PostToolUse: (call) => ({ ...toolFields(call), tool_response: call.input.tool_response }),
  PostToolUseFailure: (call) => ({
    ...toolFields(call),
    error: call.input.error,
    is_interrupt: call.input.is_interrupt,
  }),
  PermissionRequest: (call) => ({
    permission_mode: modeOf(call),
    tool_name: call.tool?.name,
    tool_input: call.tool?.input,
  }),
  UserPromptSubmit: copyMembers('prompt'),
  Stop: (call) => ({
    stop_hook_active: stopActive(call),
    last_assistant_message: call.input.prompt_response,
    background_tasks: call.input.background_tasks,
    crons: call.input.crons,
  }),
  SessionStart: (call) => ({
    permission_mode: modeOf(call),
    source: sources[String(call.input.source)] ?? call.input.source,
    model: call.input.model,
  }),
  SessionEnd: copyMembers('reason'),
  PreCompact: copyMembers('trigger', 'custom_instructions'),
  Notification: ({ input }) => ({
    message: input.message,
    notification_type: notifications[String(input.notification_type)] ?? input.notification_type,
  }),
  SubagentStart: (call) => ({
    permission_mode: modeOf(call),
    agent_id: call.input.agent_id ?? call.callId,
    agent_type: call.input.agent_type,
  }),
  SubagentStop: (call) => ({
    stop_hook_active: stopActive(call),
    agent_id: call.input.agent_id ?? call.callId,
    agent_type: call.input.agent_type,
    agent_transcript_path: call.input.agent_transcript_path,
    last_assistant_message: call.input.response ?? '',
    background_tasks: call.input.background_tasks,
    crons: call.input.crons,
  }),
};

const oneOfMany = mergeByAgentRule({ decision: 'any-deny', drops: ['ask'], reasons: 'join-all', messages: 'last' });

/**
 * Before a tool, Qwen Code prefers decisions in `hookSpecificOutput`, of which the last one counts: it overrides every
 * top-level denial and exit code 2, in any order.
 */
const merge: AgentRules['merge'] = (answers, { event }): Answer => {
  const merged = oneOfMany(answers);
  const spoken = answers.flatMap(({ said }) => said ?? []);
  const inside = spoken.filter(({ mark }) => mark === PERMISSION);
  const last = inside.at(-1);
  if (event !== 'PreToolUse' || spoken.length < 2 || last === undefined || merged.said === undefined) return merged;
  const reason = inside.findLast((said) => said.reason !== undefined)?.reason ?? merged.said.reason;
  return { ...merged, said: { ...merged.said, decision: last.decision, reason } };
};

export const qwenHost: HostRule = {
  knownBy: { signs: [['hook_event_name', 'timestamp', 'transcript_path']], variable: 'QWEN_CODE_CLI' },
  eventOf: namedEvent,
  read: readSharedMembers,
  write: writeClaudeLike({
    title: 'Qwen Code',
    contexts: [
      'PreToolUse',
      'PostToolUse',
      'PostToolUseFailure',
      'UserPromptSubmit',
      'SessionStart',
      'SubagentStart',
      'Stop',
    ],
    permissions: { deny: ['interrupt'] },
    asks: true,
    allows: true,
  }),
  mayHave: ['permission_mode', 'agent_id', 'agent_type', 'model', 'is_interrupt', 'title', 'permission_suggestions'],
};

export const tools: Vocabulary = {
  tools: [
    {
      kind: 'shell',
      names: ['run_shell_command', 'Shell', 'ShellTool'],
      args: {
        command: 'command',
        description: 'description',
        cwd: 'directory',
        background: 'is_background',
        timeout: 'timeout',
      },
    },
    {
      kind: 'read',
      names: ['read_file', 'ReadFile', 'ReadFileTool'],
      args: { path: 'file_path', offset: 'offset', limit: 'limit' },
    },
    {
      kind: 'write',
      names: ['write_file', 'WriteFile', 'WriteFileTool'],
      args: { path: 'file_path', content: 'content' },
    },
    {
      kind: 'edit',
      names: ['edit', 'Edit', 'EditTool', 'replace'],
      args: { path: 'file_path', before: 'old_string', after: 'new_string', all: 'replace_all' },
    },
    { kind: 'glob', names: ['glob', 'Glob', 'FindFiles'], args: { pattern: 'pattern', path: 'path' } },
    {
      kind: 'grep',
      names: ['grep_search', 'Grep', 'search_file_content', 'SearchFiles'],
      args: { pattern: 'pattern', path: 'path', glob: 'glob' },
    },
    { kind: 'list', names: ['list_directory', 'ListFiles', 'ReadFolder'], args: { path: 'path' } },
    { kind: 'fetch', names: ['web_fetch', 'WebFetch'], args: { url: 'url', prompt: 'prompt' } },
    { kind: 'search', names: ['web_search', 'WebSearch'], args: { query: 'query' } },
    {
      kind: 'agent',
      names: ['agent', 'Agent', 'Task', 'task'],
      args: { prompt: 'prompt', description: 'description', agent: 'subagent_type' },
    },
    { kind: 'todo', names: ['todo_write', 'TodoList', 'TodoWrite'], args: {} },
    { kind: 'ask', names: ['ask_user_question', 'AskUserQuestion'], args: {} },
  ],
  mcp: 'mcp__{server}__{tool}',
};

/** Names that users of Claude Code write; they match since the rules were aligned. */
const claudeNames: Readonly<Partial<Record<string, string>>> = { shell: 'Bash', read: 'Read', write: 'Write' };

export const alignedTools: Vocabulary = {
  ...tools,
  tools: tools.tools.map((tool) => ({
    ...tool,
    names: [...tool.names, ...(claudeNames[tool.kind] ?? '').split(' ').filter(Boolean)],
  })),
};

export const qwenCode: AgentRules = {
  name: 'qwen-code',
  title: 'Qwen Code',
  latest: '0.26.8',
  oldest: '0.22',
  versions: [
    { version: '0.22', what: 'timeouts of commands in milliseconds; names of its own tools only' },
    {
      version: ALIGNED,
      what: 'aligned with Claude Code: seconds, its tool names, context from plain text',
      thin: true,
    },
  ],
  files: [
    { scope: 'project', path: '{project}/.qwen/settings.local.json', since: ALIGNED },
    { scope: 'project', path: '{project}/.qwen/settings.json' },
    { scope: 'user', path: '{home}/.qwen/settings.json' },
    {
      scope: 'system',
      since: ALIGNED,
      path: {
        linux: '{QWEN_CODE_SYSTEM_SETTINGS_PATH|/etc/qwen-code/settings.json}',
        darwin: '{QWEN_CODE_SYSTEM_SETTINGS_PATH|/Library/Application Support/QwenCode/settings.json}',
        win32: '{QWEN_CODE_SYSTEM_SETTINGS_PATH|C:\\ProgramData\\qwen-code\\settings.json}',
      },
    },
  ],
  forms: {
    settings: { syntax: 'jsonc', events: { below: 'hooks' }, nesting: 'groups', notEvents: ['enabled', 'disabled'] },
  },
  plugins: extensionsIn('.qwen', {
    manifests: ['qwen-extension.json'],
    hooks: ['hooks/hooks.json'],
    readsManifest: true,
    variables: ({ root }) => ({ CLAUDE_PLUGIN_ROOT: root }),
  }),
  writes: {
    path: '{project}/.qwen/settings.json',
    line: 'command',
    projectDir: '$QWEN_PROJECT_DIR',
    timeout: { key: 'timeout', ms: 1_000, most: 999 },
    type: true,
  },
  events: (version) => (isAligned(version) ? alignedEvents : events),
  handlerKeys: [
    ...handlerKeys.command,
    ...handlerKeys.http,
    ...['name', 'description', 'async', 'env', 'shell', 'args', 'if', 'once', 'prompt', 'model'],
  ],
  readHandler,
  matcher: () => toolMatcher,
  tools,
  toolsFor: (_rule, version) => (isAligned(version) ? alignedTools : tools),
  stdin: (call) => ({
    session_id: call.input.session_id,
    transcript_path: call.input.transcript_path,
    cwd: call.input.cwd,
    hook_event_name: call.event,
    timestamp: call.input.timestamp,
    ...(fields[call.event]?.(call) ?? sharedMembers(call.event, call.input)),
  }),
  process: {
    shell: 'bash',
    cwd: 'session',
    environment: ({ cwd, sessionId }) => ({
      GEMINI_PROJECT_DIR: cwd,
      CLAUDE_PROJECT_DIR: cwd,
      QWEN_PROJECT_DIR: cwd,
      QWEN_CODE_PROJECT_DIR: cwd,
      QWEN_CODE_SESSION_ID: sessionId,
      QWEN_CODE_CLI: '1',
    }),
    // Aligned versions leave them to bash.
    filledIn: (version) => (isAligned(version) ? [] : ['GEMINI_PROJECT_DIR', 'CLAUDE_PROJECT_DIR']),
    withholds: () => ['QWEN_SERVER_TOKEN', 'QWEN_DAEMON_TOKEN', 'QWEN_CODE_PRIVATE_ACP_CAPABILITY'],
  },
  readAnswer: (ended, context) => readQwenAnswer(ended, context, isAligned(context.version)),
  blockIn: claudeBlockIn,
  merge,
  losesBesideOthers: () => ['ask'],
  host: qwenHost,
  grantsNothing: ({ event, version }) => event !== 'PermissionRequest' && !isAligned(version),
  textLimit: ({ isHttp }) =>
    isHttp ? { of: ['context', 'reason', 'message'], most: 10_000, unit: 'characters', rest: 'cut' } : undefined,
  loopCap: ({ event, env }) =>
    continuingEvents.includes(event)
      ? Math.min(wholeNumberIn(env.QWEN_CODE_STOP_HOOK_BLOCK_CAP) ?? LOOPS, MOST_LOOPS)
      : undefined,
  order: 'as-asked',
  sameAs: ({ name = '', command = '' }) => `${name}:${command}`,
  isOff: ({ disableAllHooks }) => (disableAllHooks === true ? 'disableAllHooks' : undefined),
  switches: (files) => {
    const off = disabledBy(files);
    return () => off;
  },
  refine: (files) => {
    const listed = disableUnlistedUrls(
      'security.allowedHttpHookUrls',
      combinedList(files, ({ security }) => objectOf(security)?.allowedHttpHookUrls),
    );
    const cap = firstSwitchValue(files, ({ stopHookBlockingCap }) => wholeNumberIn(stopHookBlockingCap));
    return (entry) => {
      const { handler, event } = entry;
      if (cap === undefined || handler === undefined || !continuingEvents.includes(event)) return listed(entry);
      return listed({ ...entry, handler: { ...handler, loopLimit: Math.min(cap.value, MOST_LOOPS) } });
    };
  },
  remarks: [`Rules changed in September 2026: name the version (${ALIGNED} and later are aligned with Claude Code).`],
};
