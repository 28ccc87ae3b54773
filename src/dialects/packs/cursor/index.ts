import { textOf } from '../../../kit/index.ts';
import { type Answer, type Ended, failed, type Said, said, silent } from '../../answers/answer.ts';
import { filled, firstFilled, objectOf, parseDocument, specificOf } from '../../answers/documents.ts';
import { mergeBy } from '../../answers/merge.ts';
import type { AnswerContext, Call, Dialect, EventRule, Json } from '../../dialect.ts';
import type { MatcherRule } from '../../matcher.ts';
import { type HandlerReading, notRunHere, readCommandHandler, refused } from '../../reading/handler.ts';
import type { RootFlaw } from '../../rules.ts';
import type { Vocabulary } from '../../tools/vocabulary.ts';
import { cursorHost } from './host.ts';

const SECOND = 1_000;

const matcher: MatcherRule = { everything: ['', '*'], otherwise: 'anywhere', invalid: 'never' };

const tool = { subject: 'tool_name', blocks: true } as const;
const off = { blocks: false } as const;

const events: Readonly<Record<string, EventRule>> = {
  preToolUse: { ...tool, moment: 'BeforeTool' },
  postToolUse: { ...tool, moment: 'AfterTool', blocks: false },
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

const readHandler: Dialect['readHandler'] = (raw): HandlerReading => {
  const { type = 'command' } = raw;
  if (type === 'prompt') return notRunHere(type, 'it asks a model, and there is none in the engine');
  if (type !== 'command') return refused(`"${String(type)}" is no type of hook`, 'known are command and prompt');
  return readCommandHandler(raw, { unit: SECOND, fallbackMs: 60 * SECOND }, (fields) => ({
    failClosed: fields.flag('failClosed'),
  }));
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

const toolFields = ({ tool, callId }: Call): Json => ({
  tool_name: tool?.name,
  tool_input: tool?.input,
  tool_use_id: callId,
  cwd: '',
});

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
  beforeReadFile: (call) => ({ file_path: pathOf(call), content: '', attachments: [] }),
  afterFileEdit: (call) => ({
    file_path: pathOf(call),
    edits:
      call.tool?.input.old_string === undefined
        ? []
        : [{ old_string: call.tool.input.old_string, new_string: call.tool.input.new_string }],
  }),
  beforeSubmitPrompt: ({ input }) => ({ prompt: input.prompt, attachments: [] }),
  stop: ({ input }) => ({ status: 'completed', loop_count: input.stop_hook_active === true ? 1 : 0 }),
  sessionStart: () => ({ is_background_agent: false }),
  sessionEnd: ({ input }) => ({
    reason: input.reason === 'error' ? 'error' : 'completed',
    duration_ms: 0,
    is_background_agent: false,
    final_status: 'completed',
  }),
  preCompact: ({ input }) => ({ trigger: input.trigger }),
  subagentStart: ({ input, callId }) => ({
    subagent_id: callId,
    subagent_type: input.agent_type,
    task: input.prompt ?? '',
    tool_call_id: callId,
    is_parallel_worker: false,
  }),
  subagentStop: ({ input }) => ({
    subagent_type: input.agent_type,
    status: 'completed',
    summary: input.response ?? '',
    loop_count: input.stop_hook_active === true ? 1 : 0,
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

const permissions: Readonly<Record<string, Said['decision']>> = {
  allow: 'allow',
  ask: 'ask',
  deny: 'deny',
  block: 'deny',
};

const permissionOf = (value: unknown): Said['decision'] => (typeof value === 'string' ? permissions[value] : undefined);

/** Where a question is asked; elsewhere it is a denial or nothing. */
const asks: readonly string[] = ['beforeShellExecution', 'beforeMCPExecution', 'preToolUse'];

const ofDocument = (document: Json, event: string): Answer => {
  const specific = specificOf(document);
  const word = permissionOf(document.permission ?? specific.permissionDecision);
  const follow =
    filled(document.followup_message) ?? (document.decision === 'block' ? filled(document.reason) : undefined);
  const isPrompt = event === 'beforeSubmitPrompt';
  const refuses = isPrompt && document.continue === false;
  const decision = word === 'ask' && !asks.includes(event) ? 'deny' : word;
  return said({
    decision: follow !== undefined || refuses ? 'deny' : decision,
    reason: follow ?? firstFilled(document.user_message, document.agent_message, specific.permissionDecisionReason),
    stop:
      document.continue === false && !isPrompt && event !== 'sessionStart'
        ? { reason: filled(document.user_message) ?? '' }
        : undefined,
    context: firstFilled(document.additional_context, specific.additionalContext),
    message: decision === undefined && follow === undefined && !refuses ? textOf(document.user_message) : undefined,
    toolInput: objectOf(document.updated_input) ?? objectOf(specific.updatedInput),
  });
};

const whenFailing = (why: string, { failClosed, rule }: AnswerContext): Answer =>
  failClosed && rule.blocks ? said({ decision: 'deny', reason: why }) : failed(why);

const readAnswer = (ended: Ended, context: AnswerContext): Answer => {
  if (ended.timedOut === true) return whenFailing('the hook ran out of time', context);
  if (ended.notStarted !== undefined) return whenFailing(ended.notStarted, context);
  if (ended.exitCode === 2) {
    return said({ decision: 'deny', reason: firstFilled(ended.stdout, ended.stderr) ?? 'the hook gave no reason' });
  }
  if (ended.exitCode !== 0)
    return whenFailing(`the hook ended with ${ended.exitCode ?? ended.signal ?? 'a signal'}`, context);
  const text = filled(ended.stdout);
  if (text === undefined) return context.failClosed ? whenFailing('the hook said nothing', context) : silent;
  const parsed = parseDocument(text);
  if ('document' in parsed) return ofDocument(parsed.document, context.event);
  return whenFailing('the answer is no JSON object', context);
};

const cursorBlockIn = (document: Json, event: string): string | undefined => {
  const specific = specificOf(document);
  const words = [document.permission, document.decision, document.permissionDecision, specific.permissionDecision];
  const says = words.some((word) => word === 'deny' || word === 'block');
  if (!says && !(event === 'beforeSubmitPrompt' && document.continue === false)) return undefined;
  return (
    firstFilled(document.user_message, document.agent_message, document.reason, specific.permissionDecisionReason) ??
    'the hook denies'
  );
};

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
  writes: {
    failClosed: { failClosed: true },
    path: '{project}/.cursor/hooks.json',
    line: 'command',
    timeout: { key: 'timeout', ms: 1_000 },
    root: { version: 1 },
  },
  events: () => events,
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
  order: 'parallel',
  sameAs: () => undefined,
  isOff: () => undefined,
  remarks: [
    'One shell call is both preToolUse and beforeShellExecution: a hook that stands under both runs twice, as it does there.',
    'Which text of a denial reaches the model is not settled: write the reason into user_message.',
  ],
};
