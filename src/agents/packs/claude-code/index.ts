// Rules of Claude Code: its hook files, the stdin of its hooks and their answers.
import { resolve } from 'node:path';
import { isRecord, textOf } from '../../../kit/index.ts';
import { mergeByAgentRule } from '../../../merging/index.ts';
import { fitsCondition } from '../../../planner/index.ts';
import { readCallPattern } from '../../../protocol/index.ts';
import { toToolCallMembers, toToolMembers } from '../../agent-events.ts';
import { isAtLeast, pickMembersOfVersion } from '../../agent-version.ts';
import { readObject, readWholeNumber } from '../../answers/answer.ts';
import type { DialectEntry } from '../../reading/entry.ts';
import {
  type HandlerContext,
  type HandlerReading,
  readCommandHandler,
  readHttpHandler,
  readMcpHandler,
  readPromptHandler,
  refuseHandler,
  refuseHere,
} from '../../reading/handler.ts';
import {
  combineLists,
  disableUnlistedUrls,
  findDisableAllHooks,
  findSwitchSetTo,
  type SwitchSource,
} from '../../reading/switches.ts';
import type { JsonObject } from '../../rule-types.ts';
import type { AgentRules } from '../../rules.ts';
import { claudeTools } from '../../tools/vocabulary.ts';
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
  toStopHookActive,
  toSubagent,
  toSubagentResponse,
} from '../shared.ts';
import { findClaudeBlock, readClaudeAnswer } from './answers.ts';
import { claudeHost, createClaudeMatcher, listClaudeEvents } from './events.ts';

const CONDITIONS_SINCE = '2.1.85';

const MAX_SESSION_END_MS = 60 * SECOND_MS;

const eventsWithConditions: readonly string[] = [
  'PreToolUse',
  'PostToolUse',
  'PostToolUseFailure',
  'PermissionRequest',
  'PermissionDenied',
];

const eventsWithPromptHandlers: readonly string[] = [
  ...[...eventsWithConditions, 'PostToolBatch', 'Stop', 'SubagentStop', 'TaskCompleted', 'TaskCreated', 'TeammateIdle'],
  ...['UserPromptExpansion', 'UserPromptSubmit'],
];

const failOpenEvents: readonly string[] = ['Stop', 'SubagentStop', 'TaskCompleted', 'TeammateIdle'];

const listConditionNotes = (condition: unknown, version: string): string[] => {
  if (condition === undefined) return [];
  const runs = `the hook runs whether ${JSON.stringify(condition)} fits or not`;
  if (!isAtLeast(version, CONDITIONS_SINCE)) return [`"if" is not read before ${CONDITIONS_SINCE}: ${runs}`];
  return typeof condition === 'string' && readCallPattern(condition) !== undefined
    ? []
    : [`"if" is no permission rule: ${runs}`];
};

const listUnsupportedNotes = (raw: Readonly<JsonObject>, { version }: HandlerContext): string[] => [
  ...listConditionNotes(raw.if, version),
  ...(raw.once === undefined ? [] : ['"once" counts only in the frontmatter of a skill; the hook runs each time']),
  ...(raw.asyncRewake === true ? ['"asyncRewake" cannot wake an agent here; the hook runs in the background'] : []),
];

const readClaudeHandler = (raw: Readonly<JsonObject>, spot: HandlerContext): HandlerReading => {
  const { type = undefined } = raw;
  const { event, rule, version } = spot;
  if (type === undefined) return refuseHandler('the handler has no "type"', 'add "type": "command"');
  if (raw.if !== undefined && isAtLeast(version, CONDITIONS_SINCE) && !eventsWithConditions.includes(event)) {
    return refuseHandler(
      `"if" on ${event} keeps the hook from ever running`,
      `remove "if": it works only on ${eventsWithConditions.join(', ')}`,
    );
  }
  // All hooks of SessionEnd share one time limit, which a hook may raise to a minute.
  const most = event === 'SessionEnd' ? { mostMs: MAX_SESSION_END_MS } : {};
  const timeout = { unit: SECOND_MS, fallbackMs: rule.timeoutMs ?? 600 * SECOND_MS, ...most };
  const isAsync = raw.async === true || raw.asyncRewake === true;
  const condition = isAtLeast(version, CONDITIONS_SINCE) && typeof raw.if === 'string' ? raw.if : undefined;
  const failClosed =
    raw.onFailure === 'block' && isAtLeast(version, '2.1.295') && !isAsync && !failOpenEvents.includes(event);
  const notes = listUnsupportedNotes(raw, spot);
  const withNotes = (reading: HandlerReading): HandlerReading => ({
    ...reading,
    notes: [...notes, ...(reading.notes ?? [])],
  });
  if (type === 'command') {
    return withNotes(
      readCommandHandler(raw, timeout, (fields) => ({
        args: isAtLeast(version, '2.1.139') ? fields.texts('args') : undefined,
        shell: fields.text('shell'),
        isAsync: fields.flag('async') === true || isAsync,
        failClosed,
        condition,
      })),
    );
  }
  if (type === 'http' && isAtLeast(version, '2.1.63')) {
    if (event === 'SessionStart' || event === 'Setup') {
      return refuseHandler(`${event} takes no handler of type "http"`, 'write a command');
    }
    return withNotes(readHttpHandler(raw, timeout, () => ({ failClosed, condition })));
  }
  if (type === 'prompt') {
    if (!eventsWithPromptHandlers.includes(event))
      return refuseHandler(
        `${event} takes no handler of type "prompt"`,
        `it works on ${eventsWithPromptHandlers.join(', ')}`,
      );
    return withNotes(
      readPromptHandler(raw, { unit: SECOND_MS, fallbackMs: 30 * SECOND_MS }, () => ({ failClosed, condition })),
    );
  }
  if (type === 'agent') return refuseHere(type, 'it is an agent of its own, and hookwright brings none');
  if (type === 'mcp_tool' && isAtLeast(version, '2.1.118'))
    return withNotes(readMcpHandler(raw, timeout, () => ({ failClosed, condition })));
  return refuseHandler(`"${String(type)}" is no type of handler`, 'known are command, http, mcp_tool, prompt, agent');
};

const endReasons: Readonly<Record<string, string>> = { exit: 'prompt_input_exit', error: 'other', timeout: 'other' };

/** Scripts expect a shell's result as an object; other results stay unchanged. */
const toToolResponse: StdinWriter = ({ tool, input: { tool_response: response } }) => {
  const text = isRecord(response) ? response.llmContent : undefined;
  const isShellText = tool?.kind === 'shell' && typeof text === 'string';
  return { tool_response: isShellText ? { stdout: text, stderr: '', interrupted: false, isImage: false } : response };
};

const writeEventMembers = createWriterByEvent({
  PreToolUse: toToolCallMembers,
  PostToolUse: createStdinWriter(toToolCallMembers, toToolResponse, 'duration_ms'),
  PostToolUseFailure: createStdinWriter(toToolCallMembers, 'error', 'is_interrupt', 'duration_ms'),
  PermissionRequest: createStdinWriter(toToolMembers, 'permission_suggestions'),
  UserPromptSubmit: createStdinWriter('prompt'),
  Stop: createStdinWriter(
    toStopHookActive,
    { last_assistant_message: 'prompt_response' },
    'background_tasks',
    'session_crons',
  ),
  SessionStart: createStdinWriter(toSessionSource, 'model', 'session_title'),
  SessionEnd: ({ input }) => ({ reason: endReasons[String(input.reason)] ?? input.reason }),
  PreCompact: createStdinWriter('trigger', 'custom_instructions'),
  Notification: createStdinWriter('message', 'title', toNotificationType),
  SubagentStart: toSubagent,
  SubagentStop: createStdinWriter(
    toStopHookActive,
    toSubagent,
    'agent_transcript_path',
    toSubagentResponse,
    'background_tasks',
    'session_crons',
  ),
});

const eventsWithoutPermissionMode: readonly string[] = [
  'SessionStart',
  'SessionEnd',
  'PreCompact',
  'Notification',
  'SubagentStart',
];

const membersSince: Readonly<Record<string, string>> = {
  prompt_id: '2.1.196',
  background_tasks: '2.1.145',
  session_crons: '2.1.145',
};

const resolveFilePath: AgentRules['handsOn'] = ({ file_path: path, ...args }, { cwd, version }) => {
  if (typeof path !== 'string') return path === undefined ? args : { file_path: path, ...args };
  return { file_path: isAtLeast(version, '2.1.89') ? resolve(cwd, path) : path, ...args };
};

const toPermissionMode: StdinWriter = ({ event, input }) =>
  eventsWithoutPermissionMode.includes(event) ? {} : { permission_mode: input.permission_mode ?? 'default' };

const writeClaudeStdin = createStdinWriter(
  ...['session_id', 'prompt_id', 'transcript_path', 'cwd'],
  toPermissionMode,
  toEventName,
  writeEventMembers,
);

const mergeStrictest = mergeByAgentRule({ decision: 'strictest', reasons: 'first' });

/** If one hook ends the turn, the reasons of other hooks to continue are dropped. */
const mergeClaudeAnswers: AgentRules['merge'] = (answers, { event }) => {
  const merged = mergeStrictest(answers);
  const isOver = stopEvents.includes(event) && merged.said?.stop !== undefined;
  return isOver ? { ...merged, said: { ...merged.said, decision: undefined, reason: undefined } } : merged;
};

const readList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const readSessionEndLimit = (files: readonly SwitchSource[]): number => {
  const wishes = files
    .flatMap(({ root }) => readList(readObject(root.hooks)?.SessionEnd))
    .flatMap((group) => readList(readObject(group)?.hooks))
    .flatMap((handler) => readObject(handler)?.timeout ?? [])
    .filter((timeout) => typeof timeout === 'number');
  return Math.min(MAX_SESSION_END_MS, Math.max(0, ...wishes) * SECOND_MS);
};

const createClaudeRefinement = (files: readonly SwitchSource[]): ((entry: DialectEntry) => DialectEntry) => {
  const listed = disableUnlistedUrls(
    'allowedHttpHookUrls',
    combineLists(files, ({ allowedHttpHookUrls }) => allowedHttpHookUrls),
  );
  const names = combineLists(files, ({ httpHookAllowedEnvVars }) => httpHookAllowedEnvVars)?.items;
  const share = readSessionEndLimit(files);
  const timed = (entry: DialectEntry): DialectEntry => {
    const { handler, event, written } = entry;
    if (handler === undefined || event !== 'SessionEnd' || written.timeout !== undefined) return entry;
    return { ...entry, handler: { ...handler, timeoutMs: Math.max(handler.timeoutMs, share) } };
  };
  return (entry) => {
    const { handler } = entry;
    if (handler?.allowedEnvVars === undefined || names === undefined) return listed(timed(entry));
    const allowedEnvVars = handler.allowedEnvVars.filter((name) => names.includes(name));
    return listed(timed({ ...entry, handler: { ...handler, allowedEnvVars } }));
  };
};

export const claudeCode: AgentRules = {
  name: 'claude-code',
  title: 'Claude Code',
  latest: '2.1.296',
  oldest: '2.1.49',
  versions: [
    { version: '2.1.77', what: 'allow no longer overrides deny rules' },
    { version: '2.1.85', what: 'the key if' },
    { version: '2.1.139', what: 'the key args' },
    { version: '2.1.191', what: 'commas separate names in matchers' },
    { version: '2.1.195', what: 'a hyphen no longer makes a matcher a pattern' },
    { version: '2.1.214', what: 'an invalid answer with exit code 2 blocks' },
    { version: '2.1.251', what: 'PreModelSwitch, PostModelSwitch' },
    { version: '2.1.295', what: 'onFailure: "block"' },
  ],
  files: [
    { scope: 'project', path: '{project}/.claude/settings.local.json' },
    { scope: 'project', path: '{project}/.claude/settings.json' },
    { scope: 'user', path: '{home}/.claude/settings.json' },
    createSystemFile(
      '/etc/claude-code/managed-settings.json',
      '/Library/Application Support/ClaudeCode/managed-settings.json',
      'C:\\Program Files\\ClaudeCode\\managed-settings.json',
    ),
    createSystemFile(
      '/etc/claude-code/managed-settings.d/*.json',
      '/Library/Application Support/ClaudeCode/managed-settings.d/*.json',
      'C:\\Program Files\\ClaudeCode\\managed-settings.d\\*.json',
    ),
  ],
  forms: { settings: { syntax: 'json', events: { below: 'hooks' }, nesting: 'groups' } },
  decoys: [
    { path: '{project}/.claude/hooks.json', fix: 'move its "hooks" to .claude/settings.json' },
    { path: '{home}/.claude/hooks.json', fix: 'move its "hooks" to ~/.claude/settings.json' },
  ],
  plugins: {
    noun: 'plugin',
    folders: [
      { path: '{home}/.claude/plugins/cache/*/*/*', parts: ['market', 'name', 'version'] },
      { path: '{home}/.claude/plugins/marketplaces/*/plugins/*', parts: ['market', 'name'] },
      { path: '{home}/.claude/plugins/marketplaces/*/external_plugins/*', parts: ['market', 'name'] },
    ],
    manifests: ['.claude-plugin/plugin.json'],
    hooks: ['hooks/hooks.json'],
    readsManifest: true,
    wishes: ({ enabledPlugins }) => readObject(enabledPlugins) ?? {},
    isOnByDefault: false,
    registry: '{home}/.claude/plugins/installed_plugins.json',
    markets: {
      file: '{home}/.claude/plugins/known_marketplaces.json',
      fallback: '{home}/.claude/plugins/marketplaces',
    },
    data: '{home}/.claude/plugins/data',
    variables: ({ root, data }) => ({ CLAUDE_PLUGIN_ROOT: root, CLAUDE_PLUGIN_DATA: data }),
  },
  writes: {
    failClosed: { onFailure: 'block' },
    path: '{project}/.claude/settings.json',
    line: 'command',
    projectDir: '$CLAUDE_PROJECT_DIR',
    timeout: { key: 'timeout', ms: 1_000 },
    type: true,
  },
  events: listClaudeEvents,
  handlerKeys: [
    ...handlerKeys.command,
    ...handlerKeys.http,
    ...handlerKeys.mcp,
    ...[
      'if',
      'once',
      'onFailure',
      'args',
      'async',
      'asyncRewake',
      'rewakeMessage',
      'rewakeSummary',
      'shell',
      'prompt',
      'model',
      'continueOnBlock',
    ],
  ],
  readHandler: readClaudeHandler,
  matcher: createClaudeMatcher,
  fits: (condition, { tool, input: { cwd }, projectDir }) =>
    tool === undefined ||
    fitsCondition(condition, { tool: tool.name, input: tool.input, cwd: textOf(cwd) ?? projectDir, projectDir }),
  tools: claudeTools,
  handsOn: resolveFilePath,
  stdin: (call) => pickMembersOfVersion(call.version, membersSince, writeClaudeStdin(call)),
  process: {
    shell: 'sh',
    cwd: 'session',
    environment: ({ projectDir, sessionId }) => ({
      CLAUDE_PROJECT_DIR: projectDir,
      CLAUDECODE: '1',
      CLAUDE_CODE_SESSION_ID: sessionId,
    }),
    withholds: (version) => (isAtLeast(version, '2.1.128') ? ['OTEL_*'] : []),
    environmentFile: {
      variable: 'CLAUDE_ENV_FILE',
      events: ['SessionStart', 'Setup', 'CwdChanged', 'FileChanged'],
    },
  },
  readAnswer: readClaudeAnswer,
  blockIn: findClaudeBlock,
  merge: mergeClaudeAnswers,
  host: claudeHost,
  textLimit: () => ({ of: ['context', 'reason', 'message'], most: 10_000, unit: 'characters', rest: 'file' }),
  loopCap: ({ event, version, env }) => {
    if (!stopEvents.includes(event) || !isAtLeast(version, '2.1.143')) return undefined;
    const most = readWholeNumber(env.CLAUDE_CODE_STOP_HOOK_BLOCK_CAP) ?? 8;
    return most === 0 ? undefined : most;
  },
  order: 'parallel',
  sameAs: ({ key }) => key,
  isOff: ({ disableAllHooks }) => (disableAllHooks === true ? 'disableAllHooks' : undefined),
  switches: (files) => {
    const managed = files.filter(({ scope }) => scope === 'system');
    const byManaged = findDisableAllHooks(managed);
    const byOthers =
      findSwitchSetTo(true, 'allowManagedHooksOnly', managed, ({ allowManagedHooksOnly: only }) => only) ??
      findDisableAllHooks(files.filter(({ scope }) => scope !== 'system'));
    return ({ scope }) => byManaged ?? (scope === 'system' ? undefined : byOthers);
  },
  refine: createClaudeRefinement,
  remarks: [
    'Handlers of type prompt ask the model of the host, mcp_tool handlers its MCP servers; agent handlers are not run.',
    'Hooks of skills and sub-agents are not read.',
  ],
};
