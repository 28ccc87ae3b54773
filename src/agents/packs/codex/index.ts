// Rules of Codex: its hook files, the stdin of its hooks and their answers.
import { dirname } from 'node:path';
import { mergeByAgentRule } from '../../../merging/index.ts';
import { keepAgentEventNames, toToolCallMembers, unwrapToolResponse } from '../../agent-events.ts';
import type { MatcherRule } from '../../agent-matcher.ts';
import { isAtLeast, pickMembersOfVersion } from '../../agent-version.ts';
import { readObject, readWholeNumber } from '../../answers/answer.ts';
import { createClaudeLikeWriter } from '../../hosting/claude-like.ts';
import { type HostRule, readEventName, readSharedPayload } from '../../hosting/host-rule.ts';
import type { DialectEntry } from '../../reading/entry.ts';
import { readCommandHandler, readMcpHandler, refuseFile, refuseHere } from '../../reading/handler.ts';
import { findSwitchSetTo, type SwitchSource } from '../../reading/switches.ts';
import type { JsonObject } from '../../rule-types.ts';
import type { AgentRules } from '../../rules.ts';
import { patchCodec } from '../../tools/patch.ts';
import type { Vocabulary } from '../../tools/vocabulary.ts';
import {
  createStdinWriter,
  createSystemFile,
  createWriterByEvent,
  handlerKeys,
  pickEventsOfVersion,
  SECOND_MS,
  type StdinWriter,
  stopEvents,
  toEventName,
  toSessionSource,
  toStopHookActive,
  toSubagent,
  toTranscriptPath,
} from '../shared.ts';
import { findCodexBlock, readCodexAnswer } from './answers.ts';

const codexMatcher: MatcherRule = {
  everything: ['', '*'],
  names: /^[\w|]+$/,
  separators: /\|/,
  otherwise: 'anywhere',
  language: 'rust',
  invalid: 'left-out',
};

const toolEvent = { subject: 'tool_name', blocks: true } as const;

const codexEvents = keepAgentEventNames({
  PreToolUse: { ...toolEvent, moment: 'BeforeTool', since: '0.117' },
  PostToolUse: { ...toolEvent, moment: 'AfterTool', since: '0.117' },
  PermissionRequest: { ...toolEvent, moment: 'PermissionRequest', since: '0.122' },
  UserPromptSubmit: { moment: 'BeforeAgent', blocks: true, since: '0.116' },
  Stop: { moment: 'AfterAgent', blocks: true },
  SessionStart: { moment: 'SessionStart', subject: 'source', blocks: true },
  SessionEnd: { moment: 'SessionEnd', subject: 'reason', blocks: false, timeoutMs: SECOND_MS, since: '0.145' },
  PreCompact: { moment: 'PreCompress', subject: 'trigger', blocks: true, since: '0.129' },
  PostCompact: { subject: 'trigger', blocks: false, since: '0.129' },
  SubagentStart: { moment: 'SubagentStart', subject: 'agent_type', blocks: false, since: '0.133' },
  SubagentStop: { moment: 'SubagentStop', subject: 'agent_type', blocks: true, since: '0.133' },
  Interrupt: { blocks: false, timeoutMs: SECOND_MS, since: '0.153' },
});

const readCodexHandler: AgentRules['readHandler'] = (raw, { event, rule, version, platform }) => {
  const { type, timeout } = raw;
  if (type === 'prompt' || type === 'agent') return refuseHere(type, 'Codex itself skips it with a warning');
  if (type === 'mcp_tool' && isAtLeast(version, '0.149'))
    return readMcpHandler(raw, { unit: SECOND_MS, fallbackMs: 600 * SECOND_MS });
  if (type !== 'command')
    return refuseFile(`"${String(type)}" is no type of handler, and Codex drops the whole file`, 'write "command"');
  const isWhole = timeout === undefined || (typeof timeout === 'number' && Number.isInteger(timeout) && timeout >= 0);
  if (!isWhole) {
    return refuseFile(
      `timeout must be a whole number of seconds, found ${JSON.stringify(timeout)}; Codex drops the whole file`,
      'write a whole number of seconds',
    );
  }
  if (raw.commandWindows !== undefined && raw.command_windows !== undefined) {
    return refuseFile('commandWindows and command_windows are both there, and Codex drops the whole file', 'keep one');
  }
  const ofWindows = platform === 'win32' ? (raw.commandWindows ?? raw.command_windows) : undefined;
  const isZero = timeout === 0;
  const ends = event === 'SessionEnd' || event === 'Interrupt';
  const limits = ends ? { leastMs: SECOND_MS, mostMs: 3 * SECOND_MS } : { leastMs: SECOND_MS };
  const written = {
    ...raw,
    ...(isZero ? { timeout: 1 } : {}),
    ...(ofWindows === undefined ? {} : { command: ofWindows }),
  };
  const timing = { unit: SECOND_MS, fallbackMs: rule.timeoutMs ?? 600 * SECOND_MS, ...limits };
  const contextTokens = isAtLeast(version, '0.145') ? readWholeNumber(raw.additionalContextLimit) : undefined;
  const reading = readCommandHandler(written, timing, (fields) => ({
    contextTokens,
    isAsync: fields.flag('async') === true && event !== 'SessionEnd' && isAtLeast(version, '0.148'),
  }));
  return isZero ? { ...reading, notes: ['timeout 0 is taken for one second'] } : reading;
};

const codexTools: Vocabulary = {
  tools: [
    { kind: 'shell', names: ['Bash'], args: { command: 'command' } },
    { kind: 'edit', names: ['apply_patch', 'Edit', 'Write'], codec: patchCodec },
    { kind: 'write', names: ['apply_patch', 'Write', 'Edit'], codec: patchCodec },
    { kind: 'delete', names: ['apply_patch', 'Write', 'Edit'], codec: patchCodec },
    { kind: 'agent', names: ['spawn_agent', 'Agent'], args: { prompt: 'message' } },
    { kind: 'ask', names: ['request_permissions'], args: {} },
  ],
  mcp: 'mcp__{server}__{tool}',
};

const membersSince: Readonly<Record<string, string>> = {
  stop_hook_active: '0.115',
  turn_id: '0.117',
  agent_id: '0.134',
};

const toTurnId: StdinWriter = ({ event, input, callId }) =>
  event === 'SessionStart' || event === 'SessionEnd' ? {} : { turn_id: input.turn_id ?? callId };

const toModel: StdinWriter = ({ event, input }) => (event === 'SessionEnd' ? {} : { model: input.model ?? 'unknown' });

const toPermissionMode: StdinWriter = ({ event, input }) =>
  ['SessionEnd', 'PreCompact', 'PostCompact'].includes(event)
    ? {}
    : { permission_mode: input.permission_mode ?? 'default' };

const writeEventMembers = createWriterByEvent({
  PreToolUse: toToolCallMembers,
  PostToolUse: createStdinWriter(toToolCallMembers, (call) => ({ tool_response: unwrapToolResponse(call) })),
  PermissionRequest: ({ tool, input }) => ({
    tool_name: tool?.name,
    // Codex sends the reason of a permission request beside the command.
    tool_input:
      tool?.kind === 'shell' && typeof input.reason === 'string'
        ? { ...tool.input, description: input.reason }
        : tool?.input,
  }),
  UserPromptSubmit: createStdinWriter('prompt'),
  Stop: createStdinWriter(toStopHookActive, ({ input }) => ({ last_assistant_message: input.prompt_response ?? null })),
  SessionStart: toSessionSource,
  SessionEnd: () => ({ reason: 'other' }),
  PreCompact: createStdinWriter('trigger'),
  SubagentStart: toSubagent,
  SubagentStop: createStdinWriter(toStopHookActive, toSubagent, ({ input }) => ({
    agent_transcript_path: input.agent_transcript_path ?? null,
    last_assistant_message: input.response ?? null,
  })),
});

const writeCodexStdin = createStdinWriter(
  'session_id',
  toTurnId,
  toTranscriptPath,
  'cwd',
  toEventName,
  toModel,
  toPermissionMode,
  writeEventMembers,
);

const mergeOneAnswer = mergeByAgentRule({ decision: 'any-deny', reasons: 'first', denyDropsInput: true });
const mergeContinues = mergeByAgentRule({ decision: 'any-deny', reasons: 'join', separator: '\n\n' });

const LAST_CONFIGURED_NOTE =
  'Codex takes the new input of the hook that finishes last; here the last configured one counts';

/** On stop events, all reasons to continue are joined, unless a hook ends the turn. */
const mergeCodexAnswers: AgentRules['merge'] = (answers, { event }) => {
  if (!stopEvents.includes(event)) {
    const merged = mergeOneAnswer(answers);
    const rewrites = answers.filter(({ said }) => said?.toolInput !== undefined);
    if (merged.said?.toolInput === undefined || rewrites.length < 2) return merged;
    return { ...merged, swallowed: [...merged.swallowed, LAST_CONFIGURED_NOTE] };
  }
  const merged = mergeContinues(answers);
  return merged.said?.stop === undefined
    ? merged
    : { ...merged, said: { ...merged.said, decision: undefined, reason: undefined } };
};

/** The key under which `hooks.state` of config.toml enables or disables the hook. */
const toStateKey = ({ file, event, path }: DialectEntry): string | undefined => {
  const [, group, handler] = /\[(\d+)\]\.hooks\[(\d+)\]$/.exec(path) ?? [];
  const snake = event.replace(/(?!^)[A-Z]/g, (letter) => `_${letter}`).toLowerCase();
  return group === undefined ? undefined : `${file}:${snake}:${group}:${handler}`;
};

const readHooksFeature = ({ features }: JsonObject): unknown => {
  const { hooks, codex_hooks: older } = readObject(features) ?? {};
  return hooks ?? older;
};

const hasHooks = ({ root }: SwitchSource): boolean =>
  Object.keys(readObject(root.hooks) ?? {}).some((key) => Object.hasOwn(codexEvents, key));

const tomlForm = { form: 'toml', since: '0.124' } as const;

/** Codex writes a long context of these events to a file. */
const contextFileEvents: readonly string[] = [
  'PreToolUse',
  'PostToolUse',
  'SessionStart',
  'UserPromptSubmit',
  'SubagentStart',
];
const DEFAULT_CONTEXT_TOKENS = 2_500;

const codexHost: HostRule = {
  knownBy: {
    signs: [
      ['hook_event_name', 'turn_id'],
      ['hook_event_name', 'model', 'permission_mode'],
    ],
    never: ['timestamp', 'cursor_version', 'conversation_id'],
  },
  eventOf: readEventName,
  read: (document, spot) => {
    const described = readObject(document.tool_input)?.description;
    const reason = document.reason ?? (document.hook_event_name === 'PermissionRequest' ? described : undefined);
    return readSharedPayload({ ...document, reason }, spot);
  },
  write: createClaudeLikeWriter({
    title: 'Codex',
    contextEvents: ['PreToolUse', 'PostToolUse', 'UserPromptSubmit', 'SessionStart', 'SubagentStart'],
    stopOnlyEvents: ['SessionStart', 'PreCompact'],
    canAsk: false,
    takesPlainAllow: false,
    unstoppableEvents: ['PreToolUse', 'PermissionRequest'],
  }),
  mayHave: ['agent_id', 'agent_type', 'description', 'turn_id', 'permission_mode', 'model', 'trigger'],
};

export const codex: AgentRules = {
  name: 'codex',
  title: 'Codex',
  latest: '0.153',
  oldest: '0.114',
  versions: [
    { version: '0.114', what: 'the first hooks' },
    { version: '0.124', what: 'hooks in config.toml, MCP tools, apply_patch' },
    { version: '0.129', what: 'approval by hash, compaction, long context goes to a file' },
    { version: '0.131', what: 'updatedInput, allow_managed_hooks_only' },
    { version: '0.136', what: 'an answer with an unknown field is ignored' },
    { version: '0.145', what: 'SessionEnd' },
    { version: '0.149', what: 'mcp_tool' },
    { version: '0.153', what: 'Interrupt', thin: true },
  ],
  files: [
    {
      ...createSystemFile(
        '/etc/codex/requirements.toml',
        '/etc/codex/requirements.toml',
        'C:\\ProgramData\\OpenAI\\Codex\\requirements.toml',
      ),
      form: 'requirements',
      since: '0.124',
    },
    createSystemFile('/etc/codex/hooks.json', '/etc/codex/hooks.json'),
    { ...createSystemFile('/etc/codex/config.toml', '/etc/codex/config.toml'), ...tomlForm },
    { scope: 'user', path: '{CODEX_HOME|{home}/.codex}/hooks.json' },
    { scope: 'user', path: '{CODEX_HOME|{home}/.codex}/config.toml', ...tomlForm },
    { scope: 'project', path: '{cwd+}/.codex/hooks.json' },
    { scope: 'project', path: '{cwd+}/.codex/config.toml', ...tomlForm },
  ],
  forms: {
    settings: { syntax: 'json', onlyKeys: ['description', 'hooks'], events: { below: 'hooks' }, nesting: 'groups' },
    // Settings of an administrator. The keys that are not events name folders with scripts.
    requirements: {
      syntax: 'toml',
      events: { below: 'hooks' },
      nesting: 'groups',
      notEvents: ['managed_dir', 'windows_managed_dir'],
    },
    toml: { syntax: 'toml', events: { below: 'hooks' }, nesting: 'groups', notEvents: ['state'] },
  },
  plugins: {
    noun: 'plugin',
    folders: [
      { path: '{CODEX_HOME|{home}/.codex}/plugins/cache/*/*/*', parts: ['market', 'name', 'version'] },
      { path: '{CODEX_HOME|{home}/.codex}/plugins/*', parts: ['name'] },
    ],
    manifests: ['.codex-plugin/plugin.json'],
    hooks: ['hooks/hooks.json'],
    readsManifest: true,
    wishes: ({ plugins }) =>
      Object.fromEntries(
        Object.entries(readObject(plugins) ?? {}).map(([id, said]) => [id, readObject(said)?.enabled !== false]),
      ),
    isOnByDefault: false,
    data: '{CODEX_HOME|{home}/.codex}/plugins/data',
    variables: ({ root, data }) => ({
      PLUGIN_ROOT: root,
      CLAUDE_PLUGIN_ROOT: root,
      PLUGIN_DATA: data,
      CLAUDE_PLUGIN_DATA: data,
    }),
  },
  writes: {
    path: '{project}/.codex/hooks.json',
    line: 'command',
    projectDir: '$(git rev-parse --show-toplevel)',
    timeout: { key: 'timeout', ms: 1_000 },
    type: true,
  },
  events: (version) => {
    const events = pickEventsOfVersion(codexEvents, version);
    const { PreToolUse: before, PostToolUse: after } = events;
    if (isAtLeast(version, '0.124') || before === undefined || after === undefined) return events;
    const kinds = ['shell'];
    return { ...events, PreToolUse: { ...before, kinds }, PostToolUse: { ...after, kinds } };
  },
  handlerKeys: [
    ...handlerKeys.command,
    ...handlerKeys.mcp,
    ...['commandWindows', 'command_windows', 'async', 'additionalContextLimit', 'prompt'],
  ],
  readHandler: readCodexHandler,
  matcher: () => codexMatcher,
  tools: codexTools,
  stdin: (call) => pickMembersOfVersion(call.version, membersSince, writeCodexStdin(call)),
  process: {
    shell: 'login',
    cwd: 'session',
    environment: () => ({}),
    withholds: () => [
      'CODEX_EXEC_SERVER_NOISE_AUTH_TOKEN',
      'NODE_REPL_AUTH_TOKEN',
      'OPENAI_FEDERATION_RULE_ID',
      'OPENAI_IDENTITY_TOKEN_FILE',
      'OPENAI_WORKLOAD_IDENTITY_CONTEXT',
    ],
  },
  readAnswer: readCodexAnswer,
  blockIn: findCodexBlock,
  merge: mergeCodexAnswers,
  host: codexHost,
  textLimit: ({ event, version, contextTokens = DEFAULT_CONTEXT_TOKENS }) =>
    contextTokens === 0 || !contextFileEvents.includes(event) || !isAtLeast(version, '0.129')
      ? undefined
      : { of: ['context'], most: contextTokens, unit: 'tokens', rest: 'file' },
  order: 'parallel',
  approval: 'Codex runs a new or changed hook only once you approve it there: it asks when it starts.',
  isOff: (root) => (readHooksFeature(root) === false ? 'features.hooks' : undefined),
  switches: (files) => {
    // The file nearest to the working directory wins, but `files` begins with the farthest.
    const off = findSwitchSetTo(false, 'features.hooks', [...files].reverse(), readHooksFeature);
    const required = files.filter(({ form }) => form === 'requirements');
    const byManaged = findSwitchSetTo(
      true,
      'allow_managed_hooks_only',
      required,
      ({ allow_managed_hooks_only: only }) => only,
    );
    return ({ scope }) => off ?? (scope === 'system' ? undefined : byManaged);
  },
  besides: (file, files) => {
    const folder = dirname(file.path);
    const isTwin = (other: SwitchSource): boolean => dirname(other.path) === folder && other.form === 'settings';
    if (file.form !== 'toml' || !hasHooks(file) || !files.some((other) => isTwin(other) && hasHooks(other)))
      return undefined;
    return {
      message: 'hooks stand in config.toml and in hooks.json beside it: all of them run, and Codex warns',
      fix: 'put them into one of the two',
    };
  },
  refine: (files) => {
    const [own] = files.filter(({ scope, root }) => scope === 'user' && readObject(readObject(root.hooks)?.state));
    const state = readObject(readObject(own?.root.hooks)?.state) ?? {};
    return (entry) => {
      const key = toStateKey(entry);
      const isOff = key !== undefined && readObject(state[key])?.enabled === false;
      return isOff ? { ...entry, off: `hooks.state."${key}" in ${own?.path}` } : entry;
    };
  },
  remarks: [
    'Commands run in a login shell, so the output of a profile comes before the answer.',
    'There is no variable for the project directory.',
    'Requirements that an administrator distributes over MDM are not read. A broken requirements.toml ends Codex, and is a problem here.',
  ],
};
