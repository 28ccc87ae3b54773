// Rules of GitHub Copilot: its hook files, the stdin of its hooks and their answers.
import { mergeByAgentRule } from '../../../merging/index.ts';
import { toToolMembers } from '../../agent-events.ts';
import { isAtLeast } from '../../agent-version.ts';
import { type Answer, readObject } from '../../answers/answer.ts';
import {
  readCommandHandler,
  readHttpHandler,
  refuseHandler,
  refuseHere,
  type TimeoutRule,
} from '../../reading/handler.ts';
import { findDisableAllHooks } from '../../reading/switches.ts';
import type { JsonObject, RootFlaw } from '../../rule-types.ts';
import type { AgentRules } from '../../rules.ts';
import { claudeTools, type Vocabulary } from '../../tools/vocabulary.ts';
import {
  createStdinWriter,
  createSystemFile,
  SECOND_MS,
  type StdinWriter,
  toNotificationType,
  toSubagent,
  toSubagentResponse,
} from '../shared.ts';
import { findCopilotBlock, readCopilotAnswer } from './answers.ts';
import { camelMatcher, listCopilotEvents, PASCAL_VARIANT, toCamelName } from './events.ts';
import { copilotHost } from './host.ts';

const timeoutRule: TimeoutRule = { key: 'timeoutSec', alias: 'timeout', unit: SECOND_MS, fallbackMs: 30 * SECOND_MS };

const httpsOnlyEvents: readonly string[] = ['preToolUse', 'permissionRequest'];

const readCopilotHandler: AgentRules['readHandler'] = (raw, { event, platform, version }) => {
  const { type = 'command', url } = raw;
  if (type === 'prompt') return refuseHere(type, 'it hands a prompt to the agent');
  if (type === 'http') {
    if (!isAtLeast(version, '1.0.35'))
      return refuseHandler('there are no handlers of type "http" before 1.0.35', 'write a command');
    const isSecure = typeof url === 'string' && url.startsWith('https://');
    const isNear = typeof url === 'string' && /^http:\/\/(?:localhost|127\.[\d.]+|\[::1\])(?:[:/]|$)/.test(url);
    if (!isSecure && (httpsOnlyEvents.includes(toCamelName(event)) || !isNear))
      return refuseHandler('url must begin with https:// here', 'use https');
    if (!isSecure && raw.allowedEnvVars !== undefined)
      return refuseHandler(
        'allowedEnvVars needs a url that begins with https://',
        'use https, or take allowedEnvVars away',
      );
    return readHttpHandler(raw, timeoutRule);
  }
  if (type !== 'command')
    return refuseHandler(`"${String(type)}" is no type of hook`, 'known are command, http, prompt');
  const own = platform === 'win32' ? raw.powershell : raw.bash;
  const line = own ?? raw.command;
  if (raw.exec !== undefined) {
    if (line !== undefined)
      return refuseHandler('exec cannot stand beside bash, powershell or command', 'keep one of them');
    return readCommandHandler({ ...raw, command: raw.exec }, timeoutRule, (fields) => ({
      args: fields.texts('args') ?? [],
      cwd: fields.text('cwd'),
      env: fields.record('env'),
    }));
  }
  if (line === undefined && (raw.bash ?? raw.powershell) !== undefined)
    return refuseHandler(`it has no command for ${platform}`, 'add "command", or the one of this system');
  return readCommandHandler({ ...raw, command: line }, timeoutRule, (fields) => ({
    cwd: fields.text('cwd'),
    env: fields.record('env'),
    shell: own === undefined ? undefined : platform === 'win32' ? 'powershell' : 'bash',
  }));
};

const copilotTools: Vocabulary = {
  tools: [
    { kind: 'shell', names: ['bash'], args: { command: 'command', description: 'description' } },
    { kind: 'shell', names: ['powershell'], args: { command: 'command', description: 'description' } },
    { kind: 'read', names: ['view'], args: { path: 'path', limit: 'view_range' } },
    { kind: 'write', names: ['create'], args: { path: 'path', content: 'file_text' } },
    { kind: 'edit', names: ['edit'], args: { path: 'path', before: 'old_str', after: 'new_str' } },
    { kind: 'edit', names: ['str_replace_editor'], args: { path: 'path', before: 'old_str', after: 'new_str' } },
    { kind: 'edit', names: ['apply_patch'], args: { path: 'path', before: 'old_str', after: 'new_str' } },
    { kind: 'glob', names: ['glob'], args: { pattern: 'pattern' } },
    { kind: 'grep', names: ['grep'], args: { pattern: 'pattern', path: 'path' } },
    { kind: 'grep', names: ['rg'], args: { pattern: 'pattern', path: 'path' } },
    { kind: 'fetch', names: ['web_fetch'], args: { url: 'url' } },
    { kind: 'search', names: ['web_search'], args: { query: 'query' } },
    { kind: 'agent', names: ['task'], args: { prompt: 'prompt', description: 'description', agent: 'agent_type' } },
    { kind: 'todo', names: ['update_todo'], args: {} },
    { kind: 'ask', names: ['ask_user'], args: {} },
  ],
};

/** PascalCase events use Claude Code's tool names; their matchers may also use Copilot's name of the called tool. */
const pascalTools: Vocabulary = {
  ...claudeTools,
  tools: claudeTools.tools.flatMap((tool) => {
    const runtime = copilotTools.tools.filter(({ kind }) => kind === tool.kind);
    return runtime.length === 0 ? [tool] : runtime.map(({ names }) => ({ ...tool, names: [...tool.names, ...names] }));
  }),
};

const readResultText = (input: Readonly<JsonObject>): string => {
  const response = readObject(input.tool_response);
  const content = response?.llmContent ?? input.tool_response;
  return typeof content === 'string' ? content : JSON.stringify(content ?? '');
};

const copilotSources: Readonly<Record<string, string>> = { clear: 'new', compress: 'resume' };
const endReasons: Readonly<Record<string, string>> = {
  exit: 'user_exit',
  prompt_input_exit: 'user_exit',
  logout: 'user_exit',
  error: 'error',
  timeout: 'timeout',
};

const stdinByEvent: Readonly<Record<string, StdinWriter>> = {
  preToolUse: toToolMembers,
  permissionRequest: toToolMembers,
  postToolUse: createStdinWriter(toToolMembers, ({ input }) => ({
    tool_result: { result_type: 'success', text_result_for_llm: readResultText(input) },
  })),
  postToolUseFailure: createStdinWriter(toToolMembers, 'error'),
  userPromptSubmitted: createStdinWriter('prompt'),
  agentStop: createStdinWriter('transcript_path', ({ input }) => ({
    stop_reason: input.stop_reason ?? 'end_turn',
    stop_hook_active: input.stop_hook_active ?? false,
  })),
  sessionStart: ({ input }) => ({ source: copilotSources[String(input.source)] ?? input.source }),
  sessionEnd: ({ input }) => ({ reason: endReasons[String(input.reason)] ?? 'complete' }),
  preCompact: createStdinWriter('transcript_path', 'trigger', 'custom_instructions'),
  notification: createStdinWriter(() => ({ hook_event_name: 'Notification' }), 'message', toNotificationType),
  subagentStart: createStdinWriter('transcript_path', { agent_name: 'agent_type' }),
  subagentStop: createStdinWriter(
    'transcript_path',
    toSubagent,
    { agent_name: 'agent_type' },
    toSubagentResponse,
    ({ input }) => ({ stop_reason: input.stop_reason ?? 'end_turn' }),
  ),
};

const irregularCamelKeys: Readonly<Record<string, string>> = {
  stop_hook_active: 'stop_hook_active',
  hook_event_name: 'hook_event_name',
  notification_type: 'notification_type',
  tool_input: 'toolArgs',
  last_assistant_message: 'response',
};

const toCamelMembers = (value: unknown): unknown => {
  const record = readObject(value);
  if (record === undefined) return value;
  return Object.fromEntries(Object.entries(record).map(([key, member]) => [toCamelKey(key), member]));
};

const toCamelKey = (key: string): string =>
  irregularCamelKeys[key] ?? key.replace(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase());

const createCopilotStdin: StdinWriter = (call) => {
  const { input, rule } = call;
  const fields = stdinByEvent[toCamelName(call.event)]?.(call) ?? {};
  if (rule.variant === PASCAL_VARIANT && isAtLeast(call.version, '1.0.21')) {
    return {
      hook_event_name: call.event,
      session_id: input.session_id,
      timestamp: input.timestamp,
      cwd: input.cwd,
      ...fields,
    };
  }
  const renamed = Object.entries(fields).map(([key, value]) => [
    toCamelKey(key),
    // Copilot sends arguments as JSON text, although its published types say otherwise.
    key === 'tool_input' ? JSON.stringify(value ?? {}) : key === 'tool_result' ? toCamelMembers(value) : value,
  ]);
  return {
    sessionId: input.session_id,
    timestamp: Date.parse(String(input.timestamp)),
    cwd: input.cwd,
    ...Object.fromEntries(renamed),
  };
};

const scopeOrder: readonly (string | undefined)[] = ['system', 'user', 'project'];

const sortByScope = (answers: readonly Answer[]): Answer[] =>
  [...answers].sort((one, other) => scopeOrder.indexOf(one.said?.scope) - scopeOrder.indexOf(other.said?.scope));

const mergeCopilotAnswers: AgentRules['merge'] = (answers, { event }) =>
  toCamelName(event) === 'permissionRequest'
    ? mergeByAgentRule({ decision: 'last', reasons: 'last' })(sortByScope(answers))
    : mergeByAgentRule({ decision: 'strictest', reasons: 'first', separator: '\n\n' })(sortByScope(answers));

/** The only valid version of a hooks file is 1, which may be omitted. */
const findRootFlaw = ({ version }: JsonObject): RootFlaw | undefined =>
  version === undefined || version === 1
    ? undefined
    : {
        key: 'version',
        message: `"version" must be 1, found ${JSON.stringify(version)}; Copilot CLI drops the whole file`,
        fix: 'write "version": 1',
        voids: true,
      };

export const copilot: AgentRules = {
  name: 'copilot',
  title: 'Copilot CLI',
  latest: '1.0.78',
  oldest: '0.0.422',
  versions: [
    { version: '1.0.4', what: 'ask' },
    { version: '1.0.6', what: 'PascalCase events, nested groups' },
    { version: '1.0.8', what: 'hooks in settings' },
    { version: '1.0.18', what: 'allow suppresses the question, notification' },
    { version: '1.0.21', what: 'PascalCase events have a payload of their own' },
    { version: '1.0.24', what: 'updatedInput, context before a tool' },
    { version: '1.0.36', what: 'matchers of preToolUse' },
    { version: '1.0.35', what: 'http handlers' },
    { version: '1.0.57', what: 'a failing preToolUse hook denies' },
    { version: '1.0.62', what: "Claude's tool names in PascalCase events" },
    { version: '1.0.63', what: 'matchers of postToolUse' },
    { version: '1.0.65', what: 'context with a prompt', thin: true },
    { version: '1.0.67', what: 'a timeout lets the call through' },
    { version: '1.0.70', what: 'exit code 2 denies, over any allow' },
    { version: '1.0.71', what: 'a broken entry is dropped alone; before, its whole file was dropped' },
  ],
  files: [
    createSystemFile(
      '/etc/github-copilot/policy.d/*.json',
      '/etc/github-copilot/policy.d/*.json',
      'C:\\ProgramData\\GitHub\\Copilot\\policy.d\\*.json',
    ),
    { scope: 'user', path: '{COPILOT_HOME|{home}/.copilot}/hooks/*.json' },
    { scope: 'user', path: '{COPILOT_HOME|{home}/.copilot}/settings.json', form: 'inline', since: '1.0.8' },
    { scope: 'project', path: '{project}/.github/hooks/*.json' },
    { scope: 'project', path: '{project}/.github/copilot/settings.json', form: 'inline', since: '1.0.8' },
    { scope: 'project', path: '{project}/.github/copilot/settings.local.json', form: 'inline', since: '1.0.8' },
    { scope: 'project', path: '{project}/.claude/settings.json', since: '1.0.6', of: 'claude-code' },
    { scope: 'project', path: '{project}/.claude/settings.local.json', since: '1.0.6', of: 'claude-code' },
  ],
  forms: {
    settings: {
      syntax: 'json',
      events: { below: 'hooks' },
      nesting: 'both',
      rootFlaw: findRootFlaw,
      voidedByNonList: true,
      voidedByEntryUntil: '1.0.71',
    },
    inline: { syntax: 'json', events: { below: 'hooks' }, nesting: 'both', voidedByEntry: true },
  },
  plugins: {
    noun: 'plugin',
    folders: [{ path: '{COPILOT_HOME|{home}/.copilot}/installed-plugins/*/*', parts: ['market', 'name'] }],
    manifests: ['plugin.json', '.github/plugin/plugin.json', '.claude-plugin/plugin.json'],
    hooks: ['hooks.json', 'hooks/hooks.json'],
    readsManifest: true,
    wishes: ({ enabledPlugins }) => readObject(enabledPlugins) ?? {},
    isOnByDefault: true,
    data: '{COPILOT_HOME|{home}/.copilot}/plugin-data',
    variables: ({ root, data, projectDir }) => ({
      PLUGIN_ROOT: root,
      COPILOT_PLUGIN_ROOT: root,
      CLAUDE_PLUGIN_ROOT: root,
      CLAUDE_PROJECT_DIR: projectDir,
      CLAUDE_PLUGIN_DATA: data,
    }),
    placeholders: ({ projectDir, data }) => ({ '{{project_dir}}': projectDir, '{{plugin_data_dir}}': data }),
  },
  writes: {
    path: '{project}/.github/hooks/hooks.json',
    line: 'command',
    projectDir: '.',
    timeout: { key: 'timeoutSec', ms: 1_000 },
    root: { version: 1 },
    type: true,
  },
  events: listCopilotEvents,
  handlerKeys: [
    'type',
    'bash',
    'powershell',
    'command',
    'exec',
    'args',
    'cwd',
    'env',
    'timeoutSec',
    'timeout',
    'url',
    'headers',
    'allowedEnvVars',
    'prompt',
  ],
  readHandler: readCopilotHandler,
  matcher: () => camelMatcher,
  tools: copilotTools,
  toolsFor: ({ variant }, version) =>
    variant === PASCAL_VARIANT && isAtLeast(version, '1.0.62') ? pascalTools : copilotTools,
  stdin: createCopilotStdin,
  process: { shell: 'bash', cwd: 'project', environment: () => ({ COPILOT_CLI: '1' }), fillsEnv: true },
  readAnswer: readCopilotAnswer,
  blockIn: findCopilotBlock,
  merge: mergeCopilotAnswers,
  host: copilotHost,
  grantsNothing: ({ event, version }) => toCamelName(event) === 'preToolUse' && !isAtLeast(version, '1.0.18'),
  textLimit: ({ event }) =>
    toCamelName(event) === 'postToolUse'
      ? { of: ['context'], most: 10 * 1_024, unit: 'bytes', rest: 'cut' }
      : undefined,
  loopCap: ({ event, version }) =>
    ['agentStop', 'subagentStop'].includes(toCamelName(event)) && isAtLeast(version, '1.0.72') ? 8 : undefined,
  order: 'sequential',
  isOff: ({ disableAllHooks }) => (disableAllHooks === true ? 'disableAllHooks' : undefined),
  switches: (files) => {
    // In a project's settings the switch disables all hooks but policies, elsewhere only the hooks of its own file.
    const all = findDisableAllHooks(files.filter(({ form, scope }) => form === 'inline' && scope === 'project'));
    return (file) => (file.scope === 'system' ? undefined : (all ?? findDisableAllHooks([file])));
  },
  remarks: [
    'Exit code 2 of a stop hook only warns: answer with "decision": "block".',
    'A hook before a tool denies if it fails in any way except a timeout.',
  ],
};
