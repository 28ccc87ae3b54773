// Rules of Codex.
import { dirname } from 'node:path';
import { mergeByAgentRule } from '../../../merging/index.ts';
import { callFields, plainResponse, sharedMembers, withAgentEvents } from '../../agent-events.ts';
import type { MatcherRule } from '../../agent-matcher.ts';
import { isAtLeast, membersOfVersion } from '../../agent-version.ts';
import { objectOf, wholeNumberIn } from '../../answers/answer.ts';
import { writeClaudeLike } from '../../hosting/claude-like.ts';
import { type HostRule, namedEvent, readSharedMembers } from '../../hosting/host-rule.ts';
import type { DialectEntry } from '../../reading/entry.ts';
import {
  type HandlerReading,
  notRunHere,
  readCommandHandler,
  readMcpHandler,
  refusedWithFile,
} from '../../reading/handler.ts';
import { booleanOrUndefined, firstSwitchValue, type SwitchSource } from '../../reading/switches.ts';
import type { Call, JsonObject } from '../../rule-types.ts';
import type { AgentRules } from '../../rules.ts';
import { patchCodec } from '../../tools/patch.ts';
import type { Vocabulary } from '../../tools/vocabulary.ts';
import { copyMembers, handlerKeys, SECOND, systemFile } from '../shared.ts';
import { codexBlockIn, readCodexAnswer } from './answers.ts';

const matcher: MatcherRule = {
  everything: ['', '*'],
  names: /^[\w|]+$/,
  separators: /\|/,
  otherwise: 'anywhere',
  language: 'rust',
  invalid: 'left-out',
};

const tool = { subject: 'tool_name', blocks: true } as const;

const events = withAgentEvents({
  PreToolUse: { ...tool, moment: 'BeforeTool', since: '0.117' },
  PostToolUse: { ...tool, moment: 'AfterTool', since: '0.117' },
  PermissionRequest: { ...tool, moment: 'PermissionRequest', since: '0.122' },
  UserPromptSubmit: { moment: 'BeforeAgent', blocks: true, since: '0.116' },
  Stop: { moment: 'AfterAgent', blocks: true },
  SessionStart: { moment: 'SessionStart', subject: 'source', blocks: true },
  SessionEnd: { moment: 'SessionEnd', subject: 'reason', blocks: false, timeoutMs: SECOND, since: '0.145' },
  PreCompact: { moment: 'PreCompress', subject: 'trigger', blocks: true, since: '0.129' },
  PostCompact: { subject: 'trigger', blocks: false, since: '0.129' },
  SubagentStart: { moment: 'SubagentStart', subject: 'agent_type', blocks: false, since: '0.133' },
  SubagentStop: { moment: 'SubagentStop', subject: 'agent_type', blocks: true, since: '0.133' },
  Interrupt: { blocks: false, timeoutMs: SECOND, since: '0.153' },
});

const readHandler: AgentRules['readHandler'] = (raw, { event, rule, version, platform }): HandlerReading => {
  const { type, timeout } = raw;
  if (type === 'prompt' || type === 'agent') return notRunHere(type, 'Codex itself skips it with a warning');
  if (type === 'mcp_tool' && isAtLeast(version, '0.149'))
    return readMcpHandler(raw, { unit: SECOND, fallbackMs: 600 * SECOND });
  if (type !== 'command')
    return refusedWithFile(
      `"${String(type)}" is no type of handler, and Codex drops the whole file`,
      'write "command"',
    );
  const isWhole = timeout === undefined || (typeof timeout === 'number' && Number.isInteger(timeout) && timeout >= 0);
  if (!isWhole) {
    return refusedWithFile(
      `timeout must be a whole number of seconds, found ${JSON.stringify(timeout)}; Codex drops the whole file`,
      'write a whole number of seconds',
    );
  }
  if (raw.commandWindows !== undefined && raw.command_windows !== undefined) {
    return refusedWithFile(
      'commandWindows and command_windows are both there, and Codex drops the whole file',
      'keep one',
    );
  }
  const ofWindows = platform === 'win32' ? (raw.commandWindows ?? raw.command_windows) : undefined;
  const isZero = timeout === 0;
  const ends = event === 'SessionEnd' || event === 'Interrupt';
  const limits = ends ? { leastMs: SECOND, mostMs: 3 * SECOND } : { leastMs: SECOND };
  const written = {
    ...raw,
    ...(isZero ? { timeout: 1 } : {}),
    ...(ofWindows === undefined ? {} : { command: ofWindows }),
  };
  const timing = { unit: SECOND, fallbackMs: rule.timeoutMs ?? 600 * SECOND, ...limits };
  const contextTokens = isAtLeast(version, '0.145') ? wholeNumberIn(raw.additionalContextLimit) : undefined;
  const reading = readCommandHandler(written, timing, (fields) => ({
    contextTokens,
    isAsync: fields.flag('async') === true && event !== 'SessionEnd' && isAtLeast(version, '0.148'),
  }));
  return isZero ? { ...reading, notes: ['timeout 0 is taken for one second'] } : reading;
};

const tools: Vocabulary = {
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

const sources: Readonly<Record<string, string>> = { compress: 'compact' };

/** Members that older versions do not send yet. */
const since: Readonly<Record<string, string>> = { stop_hook_active: '0.115', turn_id: '0.117', agent_id: '0.134' };

const common = ({ event, input, callId }: Call): JsonObject => ({
  session_id: input.session_id,
  ...(event === 'SessionStart' || event === 'SessionEnd' ? {} : { turn_id: input.turn_id ?? callId }),
  transcript_path: input.transcript_path === '' ? null : input.transcript_path,
  cwd: input.cwd,
  hook_event_name: event,
});

const withModel = ({ event, input }: Call): JsonObject =>
  event === 'SessionEnd'
    ? {}
    : {
        model: input.model ?? 'unknown',
        ...(event === 'PreCompact' || event === 'PostCompact'
          ? {}
          : { permission_mode: input.permission_mode ?? 'default' }),
      };

const fields: Readonly<Record<string, (call: Call) => JsonObject>> = {
  PreToolUse: callFields,
  PostToolUse: (call) => ({ ...callFields(call), tool_response: plainResponse(call) }),
  PermissionRequest: ({ tool, input }) => ({
    tool_name: tool?.name,
    // The reason of a permission request is next to the command.
    tool_input:
      tool?.kind === 'shell' && typeof input.reason === 'string'
        ? { ...tool.input, description: input.reason }
        : tool?.input,
  }),
  UserPromptSubmit: copyMembers('prompt'),
  Stop: ({ input }) => ({
    stop_hook_active: input.stop_hook_active ?? false,
    last_assistant_message: input.prompt_response ?? null,
  }),
  SessionStart: ({ input }) => ({ source: sources[String(input.source)] ?? input.source }),
  SessionEnd: () => ({ reason: 'other' }),
  PreCompact: copyMembers('trigger'),
  SubagentStart: ({ input, callId }) => ({ agent_id: input.agent_id ?? callId, agent_type: input.agent_type }),
  SubagentStop: ({ input, callId }) => ({
    stop_hook_active: input.stop_hook_active ?? false,
    agent_id: input.agent_id ?? callId,
    agent_type: input.agent_type,
    agent_transcript_path: input.agent_transcript_path ?? null,
    last_assistant_message: input.response ?? null,
  }),
};

const oneAnswer = mergeByAgentRule({ decision: 'any-deny', reasons: 'first', denyDropsInput: true });
const goOn = mergeByAgentRule({ decision: 'any-deny', reasons: 'join', separator: '\n\n' });

const LAST_CONFIGURED = 'Codex takes the new input of the hook that finishes last; here the last configured one counts';

/** On Stop all reasons are joined, and a stop beats a decision to continue. */
const merge: AgentRules['merge'] = (answers, { event }) => {
  if (event !== 'Stop' && event !== 'SubagentStop') {
    const merged = oneAnswer(answers);
    const rewrites = answers.filter(({ said }) => said?.toolInput !== undefined);
    if (merged.said?.toolInput === undefined || rewrites.length < 2) return merged;
    return { ...merged, swallowed: [...merged.swallowed, LAST_CONFIGURED] };
  }
  const merged = goOn(answers);
  return merged.said?.stop === undefined ? merged : { ...merged, said: { ...merged.said, decision: undefined } };
};

/** The key of a hook in `hooks.state`. */
const stateKey = ({ file, event, path }: DialectEntry): string | undefined => {
  const [, group, handler] = /\[(\d+)\]\.hooks\[(\d+)\]$/.exec(path) ?? [];
  const snake = event.replace(/(?!^)[A-Z]/g, (letter) => `_${letter}`).toLowerCase();
  return group === undefined ? undefined : `${file}:${snake}:${group}:${handler}`;
};

const hasHooks = ({ root }: SwitchSource): boolean =>
  Object.keys(objectOf(root.hooks) ?? {}).some((key) => Object.hasOwn(events, key));

const toml = { form: 'toml', since: '0.124' } as const;

/** Events whose long context is written to a file, and the default limit in tokens. */
const spills: readonly string[] = ['PreToolUse', 'PostToolUse', 'SessionStart', 'UserPromptSubmit', 'SubagentStart'];
const TOKENS = 2_500;

const shellOnly: readonly string[] = ['PreToolUse', 'PostToolUse'];

export const codexHost: HostRule = {
  knownBy: {
    signs: [
      ['hook_event_name', 'turn_id'],
      ['hook_event_name', 'model', 'permission_mode'],
    ],
    never: ['timestamp', 'cursor_version', 'conversation_id'],
  },
  eventOf: namedEvent,
  read: (document, spot) => {
    const described = objectOf(document.tool_input)?.description;
    const reason = document.reason ?? (document.hook_event_name === 'PermissionRequest' ? described : undefined);
    return readSharedMembers({ ...document, reason }, spot);
  },
  write: writeClaudeLike({
    title: 'Codex',
    contexts: ['PreToolUse', 'PostToolUse', 'UserPromptSubmit', 'SessionStart', 'SubagentStart'],
    refusesByStopping: ['SessionStart', 'PreCompact'],
    asks: false,
    allows: false,
    neverStops: ['PreToolUse', 'PermissionRequest'],
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
      ...systemFile(
        '/etc/codex/requirements.toml',
        '/etc/codex/requirements.toml',
        'C:\\ProgramData\\OpenAI\\Codex\\requirements.toml',
      ),
      form: 'requirements',
      since: '0.124',
    },
    systemFile('/etc/codex/hooks.json', '/etc/codex/hooks.json'),
    { ...systemFile('/etc/codex/config.toml', '/etc/codex/config.toml'), ...toml },
    { scope: 'user', path: '{CODEX_HOME|{home}/.codex}/hooks.json' },
    { scope: 'user', path: '{CODEX_HOME|{home}/.codex}/config.toml', ...toml },
    { scope: 'project', path: '{cwd+}/.codex/hooks.json' },
    { scope: 'project', path: '{cwd+}/.codex/config.toml', ...toml },
  ],
  forms: {
    settings: { syntax: 'json', onlyKeys: ['description', 'hooks'], events: { below: 'hooks' }, nesting: 'groups' },
    // An administrator's requirements; the directories contain its scripts.
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
        Object.entries(objectOf(plugins) ?? {}).map(([id, said]) => [id, objectOf(said)?.enabled !== false]),
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
  events: (version) =>
    Object.fromEntries(
      Object.entries(events)
        .filter(([, { since }]) => since === undefined || isAtLeast(version, since))
        .map(([name, rule]) =>
          shellOnly.includes(name) && !isAtLeast(version, '0.124')
            ? [name, { ...rule, kinds: ['shell'] }]
            : [name, rule],
        ),
    ),
  handlerKeys: [
    ...handlerKeys.command,
    ...handlerKeys.mcp,
    ...['commandWindows', 'command_windows', 'async', 'additionalContextLimit', 'prompt'],
  ],
  readHandler,
  matcher: () => matcher,
  tools,
  stdin: (call) =>
    membersOfVersion(call.version, since, {
      ...common(call),
      ...withModel(call),
      ...(fields[call.event]?.(call) ?? sharedMembers(call.event, call.input)),
    }),
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
  blockIn: codexBlockIn,
  merge,
  host: codexHost,
  textLimit: ({ event, version, contextTokens = TOKENS }) =>
    contextTokens === 0 || !spills.includes(event) || !isAtLeast(version, '0.129')
      ? undefined
      : { of: ['context'], most: contextTokens, unit: 'tokens', rest: 'file' },
  order: 'parallel',
  approval: 'Codex runs a new or changed hook only once you approve it there: it asks when it starts.',
  isOff: ({ features }) => {
    const { hooks, codex_hooks: older } = objectOf(features) ?? {};
    return (hooks ?? older) === false ? 'features.hooks' : undefined;
  },
  switches: (files) => {
    // The nearest layer wins, but files are listed from the farthest.
    const said = firstSwitchValue([...files].reverse(), ({ features }) => {
      const { hooks, codex_hooks: older } = objectOf(features) ?? {};
      return booleanOrUndefined(hooks ?? older);
    });
    const required = files.filter(({ form }) => form === 'requirements');
    const alone = firstSwitchValue(required, ({ allow_managed_hooks_only: only }) => booleanOrUndefined(only));
    const byManaged = alone?.value === true ? `allow_managed_hooks_only in ${alone.path}` : undefined;
    const off = said?.value === false ? `features.hooks in ${said.path}` : undefined;
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
    const [own] = files.filter(({ scope, root }) => scope === 'user' && objectOf(objectOf(root.hooks)?.state));
    const state = objectOf(objectOf(own?.root.hooks)?.state) ?? {};
    return (entry) => {
      const key = stateKey(entry);
      const isOff = key !== undefined && objectOf(state[key])?.enabled === false;
      return isOff ? { ...entry, off: `hooks.state."${key}" in ${own?.path}` } : entry;
    };
  },
  remarks: [
    'Commands run in a login shell, so the output of a profile comes before the answer.',
    'There is no variable for the project directory.',
    'Requirements that an administrator distributes over MDM are not read. A broken requirements.toml ends Codex, and is a problem here.',
  ],
};
