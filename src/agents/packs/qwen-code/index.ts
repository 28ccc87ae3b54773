// Rules of Qwen Code: its hook files, the stdin of its hooks and their answers.
import { mergeByAgentRule } from '../../../merging/index.ts';
import { keepAgentEventNames, toToolCallMembers, toToolMembers } from '../../agent-events.ts';
import type { MatcherRule } from '../../agent-matcher.ts';
import { isAtLeast } from '../../agent-version.ts';
import { type Answer, readObject, readWholeNumber } from '../../answers/answer.ts';
import { createClaudeLikeWriter } from '../../hosting/claude-like.ts';
import { type HostRule, readEventName, readSharedPayload } from '../../hosting/host-rule.ts';
import {
  readCommandHandler,
  readHttpHandler,
  readPromptHandler,
  refuseHandler,
  refuseHere,
} from '../../reading/handler.ts';
import { combineLists, disableUnlistedUrls, findDisableAllHooks, findSwitchValue } from '../../reading/switches.ts';
import type { EventRule, JsonObject } from '../../rule-types.ts';
import type { AgentRules } from '../../rules.ts';
import type { Vocabulary } from '../../tools/vocabulary.ts';
import { findClaudeBlock } from '../claude-code/answers.ts';
import { createExtensionRule } from '../gemini.ts';
import {
  createStdinWriter,
  createSystemFile,
  createWriterByEvent,
  handlerKeys,
  SECOND_MS,
  type StdinWriter,
  stopEvents,
  toEventName,
  toNotificationType,
  toSessionSource,
  toSubagent,
  toSubagentResponse,
} from '../shared.ts';
import { PERMISSION_MARK, readQwenAnswer } from './answers.ts';

/** Since this version Qwen Code follows Claude Code's rules; no source names the exact release of September 2026. */
const ALIGNED_SINCE = '0.24';

const isAligned = (version: string): boolean => isAtLeast(version, ALIGNED_SINCE);

const DEFAULT_LOOP_LIMIT = 8;
const MAX_LOOP_LIMIT = 100;

const everythingMatchers = { everything: ['', '*'], trims: true } as const;
const patternMatcher: MatcherRule = { ...everythingMatchers, otherwise: 'anywhere', invalid: 'literal' };
const equalMatcher: MatcherRule = { ...everythingMatchers, otherwise: 'equal', invalid: 'literal' };

/** A matcher for tools is a name, a list of names, or a pattern that is compared with the tool's first name. */
const toolMatcher: MatcherRule = {
  ...everythingMatchers,
  namesFirst: true,
  notNames: /^[\^(]/,
  separators: /\|/,
  trimsNames: true,
  otherwise: 'anywhere',
  patternsOn: 'first',
  invalid: 'never',
};

const toolEvent = { subject: 'tool_name', blocks: true } as const;

const qwenEvents = keepAgentEventNames({
  PreToolUse: { ...toolEvent, moment: 'BeforeTool' },
  PostToolUse: { ...toolEvent, moment: 'AfterTool', blocks: false, keepsResult: true },
  PostToolUseFailure: { ...toolEvent, moment: 'AfterToolFailure', blocks: false },
  PermissionRequest: { ...toolEvent, moment: 'PermissionRequest' },
  UserPromptSubmit: { moment: 'BeforeAgent', blocks: true },
  Stop: { moment: 'AfterAgent', blocks: true },
  SessionStart: { moment: 'SessionStart', subject: 'source', matcher: patternMatcher, blocks: false },
  SessionEnd: { moment: 'SessionEnd', subject: 'reason', matcher: patternMatcher, blocks: false },
  PreCompact: { moment: 'PreCompress', subject: 'trigger', matcher: equalMatcher, blocks: false },
  Notification: { moment: 'Notification', subject: 'notification_type', matcher: equalMatcher, blocks: false },
  SubagentStart: { moment: 'SubagentStart', subject: 'agent_type', matcher: patternMatcher, blocks: false },
  SubagentStop: { moment: 'SubagentStop', subject: 'agent_type', matcher: patternMatcher, blocks: true },
  PostToolBatch: { blocks: true },
  UserPromptExpansion: { subject: 'command_name', matcher: patternMatcher, blocks: true },
  SessionDelete: { blocks: false },
  StopFailure: { subject: 'error', matcher: equalMatcher, blocks: false },
  MessageDisplay: { blocks: false },
  PermissionDenied: { ...toolEvent, blocks: false },
  PostCompact: { subject: 'trigger', matcher: equalMatcher, blocks: false },
  TodoCreated: { blocks: true },
  TodoCompleted: { blocks: true },
  InstructionsLoaded: { subject: 'file_path', matcher: patternMatcher, blocks: false },
});

/** Versions aligned with Claude Code read the matchers of all events by one rule. */
const alignedEvents: Readonly<Record<string, EventRule>> = Object.fromEntries(
  Object.entries(qwenEvents).map(([name, { matcher: _own, ...rule }]) => [name, rule]),
);

/** Versions aligned with Claude Code read numbers below 1000 as seconds and others as milliseconds. */
const toAlignedMs = (value: number): number => (value >= 1_000 ? value : value * SECOND_MS);

/** Versions aligned with Claude Code accept a number in a text, and use the default for an invalid timeout. */
const normaliseTimeout = ({ timeout, ...raw }: Readonly<JsonObject>): JsonObject => {
  const value = typeof timeout === 'string' && timeout.trim() !== '' ? Number(timeout) : timeout;
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? { ...raw, timeout: value } : raw;
};

const readQwenHandler: AgentRules['readHandler'] = (raw, { version }) => {
  const { type } = raw;
  const isNoTime = isAligned(version) && raw.timeout !== undefined && normaliseTimeout(raw).timeout === undefined;
  const notes = [
    ...(raw.if === undefined ? [] : ['"if" is not read here: the hook runs whether it fits or not']),
    ...(isNoTime ? [`timeout ${JSON.stringify(raw.timeout)} means nothing; a command has its minute`] : []),
  ];
  if (type === 'command') {
    const reading = readCommandHandler(
      isAligned(version) ? normaliseTimeout(raw) : raw,
      { unit: isAligned(version) ? toAlignedMs : 1, fallbackMs: 60 * SECOND_MS },
      (fields) => ({
        env: fields.record('env'),
        shell: fields.text('shell'),
        isAsync: fields.flag('async'),
        ...(isAligned(version) ? { args: fields.texts('args') } : {}),
      }),
    );
    return { ...reading, notes };
  }
  if (type === 'http') return { ...readHttpHandler(raw, { unit: SECOND_MS, fallbackMs: 600 * SECOND_MS }), notes };
  if (type === 'prompt') return readPromptHandler(raw, { unit: SECOND_MS, fallbackMs: 30 * SECOND_MS });
  if (type === 'function') return refuseHere(type, 'it is a function inside the agent');
  return refuseHandler(`"${String(type)}" is no type of handler`, 'known are command, http, prompt');
};

const toPermissionMode: StdinWriter = ({ input }) => ({ permission_mode: input.permission_mode ?? 'default' });

const toStopState: StdinWriter = ({ input, version }) => ({
  stop_hook_active: isAligned(version) ? (input.stop_hook_active ?? false) : true,
});

const writeEventMembers = createWriterByEvent({
  PreToolUse: createStdinWriter(toPermissionMode, toToolCallMembers),
  PostToolUse: createStdinWriter(toPermissionMode, toToolCallMembers, 'tool_response'),
  PostToolUseFailure: createStdinWriter(toPermissionMode, toToolCallMembers, 'error', 'is_interrupt'),
  PermissionRequest: createStdinWriter(toPermissionMode, toToolMembers),
  UserPromptSubmit: createStdinWriter('prompt'),
  Stop: createStdinWriter(toStopState, { last_assistant_message: 'prompt_response' }, ...['background_tasks', 'crons']),
  SessionStart: createStdinWriter(toPermissionMode, toSessionSource, 'model'),
  SessionEnd: createStdinWriter('reason'),
  PreCompact: createStdinWriter('trigger', 'custom_instructions'),
  Notification: createStdinWriter('message', toNotificationType),
  SubagentStart: createStdinWriter(toPermissionMode, toSubagent),
  SubagentStop: createStdinWriter(
    toStopState,
    toSubagent,
    'agent_transcript_path',
    toSubagentResponse,
    'background_tasks',
    'crons',
  ),
});

const mergeOneOfMany = mergeByAgentRule({
  decision: 'any-deny',
  drops: ['ask'],
  reasons: 'join-all',
  messages: 'last',
});

/** Before a tool, the last decision in `hookSpecificOutput` overrides all top-level denials and exit codes 2. */
const mergeQwenAnswers: AgentRules['merge'] = (answers, { event }): Answer => {
  const merged = mergeOneOfMany(answers);
  const spoken = answers.flatMap(({ said }) => said ?? []);
  const inside = spoken.filter(({ mark }) => mark === PERMISSION_MARK);
  const last = inside.at(-1);
  if (event !== 'PreToolUse' || spoken.length < 2 || last === undefined || merged.said === undefined) return merged;
  const reason = inside.findLast((said) => said.reason !== undefined)?.reason ?? merged.said.reason;
  return { ...merged, said: { ...merged.said, decision: last.decision, reason } };
};

const qwenHost: HostRule = {
  knownBy: { signs: [['hook_event_name', 'timestamp', 'transcript_path']], variable: 'QWEN_CODE_CLI' },
  eventOf: readEventName,
  read: readSharedPayload,
  write: createClaudeLikeWriter({
    title: 'Qwen Code',
    contextEvents: [
      'PreToolUse',
      'PostToolUse',
      'PostToolUseFailure',
      'UserPromptSubmit',
      'SessionStart',
      'SubagentStart',
      'Stop',
    ],
    permissionMembers: { deny: ['interrupt'] },
    canAsk: true,
    takesPlainAllow: true,
  }),
  mayHave: ['permission_mode', 'agent_id', 'agent_type', 'model', 'is_interrupt', 'title', 'permission_suggestions'],
};

const qwenTools: Vocabulary = {
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

/** Names of Claude Code that matchers may use in versions aligned with it. */
const claudeNamesByKind: Readonly<Partial<Record<string, string>>> = { shell: 'Bash', read: 'Read', write: 'Write' };

const alignedTools: Vocabulary = {
  ...qwenTools,
  tools: qwenTools.tools.map((tool) => ({
    ...tool,
    names: [...tool.names, claudeNamesByKind[tool.kind] ?? []].flat(),
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
      version: ALIGNED_SINCE,
      what: 'aligned with Claude Code: seconds, its tool names, context from plain text',
      thin: true,
    },
  ],
  files: [
    { scope: 'project', path: '{project}/.qwen/settings.local.json', since: ALIGNED_SINCE },
    { scope: 'project', path: '{project}/.qwen/settings.json' },
    { scope: 'user', path: '{home}/.qwen/settings.json' },
    {
      ...createSystemFile(
        '{QWEN_CODE_SYSTEM_SETTINGS_PATH|/etc/qwen-code/settings.json}',
        '{QWEN_CODE_SYSTEM_SETTINGS_PATH|/Library/Application Support/QwenCode/settings.json}',
        '{QWEN_CODE_SYSTEM_SETTINGS_PATH|C:\\ProgramData\\qwen-code\\settings.json}',
      ),
      since: ALIGNED_SINCE,
    },
  ],
  forms: {
    settings: { syntax: 'jsonc', events: { below: 'hooks' }, nesting: 'groups', notEvents: ['enabled', 'disabled'] },
  },
  plugins: createExtensionRule('.qwen', {
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
  events: (version) => (isAligned(version) ? alignedEvents : qwenEvents),
  handlerKeys: [
    ...handlerKeys.command,
    ...handlerKeys.http,
    ...['name', 'description', 'async', 'env', 'shell', 'args', 'if', 'once', 'prompt', 'model'],
  ],
  readHandler: readQwenHandler,
  matcher: () => toolMatcher,
  tools: qwenTools,
  toolsFor: (_rule, version) => (isAligned(version) ? alignedTools : qwenTools),
  stdin: createStdinWriter('session_id', 'transcript_path', 'cwd', toEventName, 'timestamp', writeEventMembers),
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
    // Versions aligned with Claude Code leave the variables to bash.
    filledIn: (version) => (isAligned(version) ? [] : ['GEMINI_PROJECT_DIR', 'CLAUDE_PROJECT_DIR']),
    withholds: () => ['QWEN_SERVER_TOKEN', 'QWEN_DAEMON_TOKEN', 'QWEN_CODE_PRIVATE_ACP_CAPABILITY'],
  },
  readAnswer: (ended, context) => readQwenAnswer(ended, context, isAligned(context.version)),
  blockIn: findClaudeBlock,
  merge: mergeQwenAnswers,
  losesBesideOthers: () => ['ask'],
  host: qwenHost,
  grantsNothing: ({ event, version }) => event !== 'PermissionRequest' && !isAligned(version),
  textLimit: ({ isHttp }) =>
    isHttp ? { of: ['context', 'reason', 'message'], most: 10_000, unit: 'characters', rest: 'cut' } : undefined,
  loopCap: ({ event, env }) =>
    stopEvents.includes(event)
      ? Math.min(readWholeNumber(env.QWEN_CODE_STOP_HOOK_BLOCK_CAP) ?? DEFAULT_LOOP_LIMIT, MAX_LOOP_LIMIT)
      : undefined,
  order: 'as-asked',
  sameAs: ({ name = '', command = '' }) => `${name}:${command}`,
  isOff: ({ disableAllHooks }) => (disableAllHooks === true ? 'disableAllHooks' : undefined),
  switches: (files) => {
    const off = findDisableAllHooks(files);
    return () => off;
  },
  refine: (files) => {
    const listed = disableUnlistedUrls(
      'security.allowedHttpHookUrls',
      combineLists(files, ({ security }) => readObject(security)?.allowedHttpHookUrls),
    );
    const cap = findSwitchValue(files, ({ stopHookBlockingCap }) => readWholeNumber(stopHookBlockingCap));
    return (entry) => {
      const { handler, event } = entry;
      if (cap === undefined || handler === undefined || !stopEvents.includes(event)) return listed(entry);
      return listed({ ...entry, handler: { ...handler, loopLimit: Math.min(cap.value, MAX_LOOP_LIMIT) } });
    };
  },
  remarks: [
    `Rules changed in September 2026: name the version (${ALIGNED_SINCE} and later are aligned with Claude Code).`,
  ],
};
