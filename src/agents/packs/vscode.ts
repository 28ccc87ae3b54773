// Rules of VS Code's agent mode.
import { textOf } from '../../kit/index.ts';
import { mergeByAgentRule } from '../../merging/index.ts';
import { callFields, plainResponse } from '../agent-events.ts';
import type { MatcherRule } from '../agent-matcher.ts';
import {
  type Answer,
  type Ended,
  failedAnswer,
  firstNonBlank,
  formMismatch,
  nonBlank,
  objectOf,
  parseDocument,
  said,
  silentAnswer,
  specificOutputOf,
} from '../answers/answer.ts';
import { writeClaudeLike } from '../hosting/claude-like.ts';
import { type HostRule, namedEvent, readSharedMembers } from '../hosting/host-rule.ts';
import { type HandlerReading, readCommandHandler, refusedHandler } from '../reading/handler.ts';
import type { Call, EventRule, JsonObject } from '../rule-types.ts';
import type { AgentRules, AnswerContext } from '../rules.ts';
import type { Vocabulary } from '../tools/vocabulary.ts';
import { claudeBlockIn } from './claude-code/answers.ts';
import { copyMembers, SECOND, verdictOf } from './shared.ts';

/** Matchers are parsed but ignored: every hook of an event runs. */
const matcher: MatcherRule = { everything: [], otherwise: 'ignored', invalid: 'literal' };

const platformKeys = { linux: ['linux', 'bash'], darwin: ['osx', 'bash'], win32: ['windows', 'powershell'] } as const;

const readHandler: AgentRules['readHandler'] = (raw, { platform }): HandlerReading => {
  const { type = 'command' } = raw;
  if (type !== 'command')
    return refusedHandler(`a hook of type "${String(type)}" is not run; only "command" is`, 'write "type": "command"');
  const [own, other] = platformKeys[platform];
  const line = raw[own] ?? raw[other] ?? raw.command;
  return readCommandHandler(
    { ...raw, command: line },
    { alias: 'timeoutSec', unit: SECOND, fallbackMs: 30 * SECOND },
    (fields) => ({ cwd: fields.text('cwd'), env: fields.record('env') }),
  );
};

const tools: Vocabulary = {
  tools: [
    {
      kind: 'shell',
      names: ['run_in_terminal'],
      args: { command: 'command', description: 'explanation', background: 'isBackground' },
    },
    { kind: 'read', names: ['read_file'], args: { path: 'filePath', offset: 'startLine', limit: 'endLine' } },
    { kind: 'write', names: ['create_file'], args: { path: 'filePath', content: 'content' } },
    {
      kind: 'edit',
      names: ['replace_string_in_file'],
      args: { path: 'filePath', before: 'oldString', after: 'newString' },
    },
    { kind: 'edit', names: ['insert_edit_into_file'], args: { path: 'filePath' } },
    { kind: 'glob', names: ['file_search'], args: { pattern: 'query' } },
    { kind: 'grep', names: ['grep_search'], args: { pattern: 'query', glob: 'includePattern' } },
    { kind: 'list', names: ['list_dir'], args: { path: 'path' } },
    { kind: 'fetch', names: ['fetch_webpage'], args: { url: 'urls', prompt: 'query' } },
    { kind: 'agent', names: ['runSubagent'], args: { prompt: 'prompt', description: 'description' } },
  ],
};

const fields: Readonly<Record<string, (call: Call) => JsonObject>> = {
  PreToolUse: callFields,
  PostToolUse: (call) => ({ ...callFields(call), tool_response: plainResponse(call) }),
  UserPromptSubmit: copyMembers('prompt'),
  Stop: ({ input }) => ({ stop_hook_active: input.stop_hook_active ?? false }),
  SessionStart: () => ({ source: 'new' }),
  PreCompact: copyMembers('trigger'),
  SubagentStart: ({ input, callId }) => ({ agent_id: callId, agent_type: input.agent_type }),
  SubagentStop: ({ input, callId }) => ({
    agent_id: callId,
    agent_type: input.agent_type,
    stop_hook_active: input.stop_hook_active ?? false,
  }),
};

/** Event → another event whose name its answers may have. */
const fits: Readonly<Record<string, string>> = { SubagentStop: 'Stop', SubagentStart: 'SessionStart' };

const ignoresStops: readonly string[] = ['SessionStart', 'SubagentStart'];
const continues: readonly string[] = ['Stop', 'SubagentStop'];

const ofDocument = (document: JsonObject, event: string): Answer => {
  const { hookEventName: top } = document;
  const isOther = (name: unknown): boolean => name !== undefined && name !== event && name !== fits[event];
  if (isOther(top)) return failedAnswer(`"hookEventName" is "${String(top)}", but the event is ${event}`);
  const wrong = formMismatch(document, {
    continue: 'boolean',
    stopReason: 'text',
    systemMessage: 'text',
    hookSpecificOutput: 'object',
  });
  if (wrong !== undefined) return failedAnswer(wrong);
  const inner = specificOutputOf(document);
  const isForeign = isOther(inner.hookEventName);
  const specific = isForeign ? {} : inner;
  const swallowed = isForeign ? [`hookSpecificOutput is for "${String(inner.hookEventName)}" and is dropped`] : [];
  const isStop = continues.includes(event);
  if (isStop && document.decision !== undefined)
    swallowed.push('"decision" counts only inside hookSpecificOutput here');
  const word = specific.permissionDecision ?? (isStop ? specific.decision : document.decision);
  const decision = verdictOf(word);
  const reason = firstNonBlank(
    specific.permissionDecisionReason,
    specific.reason,
    isStop ? undefined : document.reason,
  );
  const isUnheard = isStop && decision === 'deny' && reason === undefined;
  if (isUnheard) swallowed.push('a block of a stop hook needs a reason');
  const stops =
    (document.continue === false || nonBlank(document.stopReason) !== undefined) && !ignoresStops.includes(event);
  return said(
    {
      decision: isUnheard ? undefined : decision,
      reason,
      stop: stops ? { reason: textOf(document.stopReason) ?? '' } : undefined,
      context: nonBlank(specific.additionalContext),
      message: nonBlank(document.systemMessage),
      toolInput: objectOf(specific.updatedInput),
    },
    ...swallowed,
  );
};

const readAnswer = (ended: Ended, { event: name, rule }: AnswerContext): Answer => {
  const event = vscodeEventName(name);
  if (ended.timedOut === true) return failedAnswer('the hook ran out of time');
  if (ended.notStarted !== undefined) return failedAnswer(ended.notStarted);
  if (ended.exitCode === 2) {
    if (!rule.blocks) return failedAnswer(`exit code 2 is ignored on ${event}`);
    return said({ decision: 'deny', reason: nonBlank(ended.stderr) ?? 'the hook gave no reason' });
  }
  if (ended.exitCode !== 0)
    return said({ message: nonBlank(ended.stderr) ?? `the hook ended with ${ended.exitCode ?? 'a signal'}` });
  const text = nonBlank(ended.stdout);
  if (text === undefined) return silentAnswer;
  const parsed = parseDocument(text);
  return 'document' in parsed ? ofDocument(parsed.document, event) : said({}, 'plain text is kept, and read by nobody');
};

const strictest = mergeByAgentRule({ decision: 'strictest', reasons: 'first' });

const pascal: Readonly<Record<string, EventRule>> = {
  PreToolUse: { moment: 'BeforeTool', blocks: true },
  PostToolUse: { moment: 'AfterTool', blocks: true },
  UserPromptSubmit: { moment: 'BeforeAgent', blocks: true },
  Stop: { moment: 'AfterAgent', blocks: true },
  SessionStart: { moment: 'SessionStart', blocks: false },
  PreCompact: { moment: 'PreCompress', blocks: false },
  SubagentStart: { moment: 'SubagentStart', blocks: false },
  SubagentStop: { moment: 'SubagentStop', blocks: true },
};

const camel: Readonly<Record<string, string>> = {
  preToolUse: 'PreToolUse',
  postToolUse: 'PostToolUse',
  userPromptSubmitted: 'UserPromptSubmit',
  agentStop: 'Stop',
  sessionStart: 'SessionStart',
  preCompact: 'PreCompact',
  subagentStart: 'SubagentStart',
  subagentStop: 'SubagentStop',
};

export const vscodeEventName = (event: string): string => camel[event] ?? event;

export const vscodeEvents: Readonly<Record<string, EventRule>> = {
  ...pascal,
  ...Object.fromEntries(
    Object.entries(camel).map(([name, other]) => [name, { ...pascal[other], blocks: pascal[other]?.blocks === true }]),
  ),
};

export const vscodeHost: HostRule = {
  // Other agents with these members set a variable, which outweighs them.
  knownBy: {
    signs: [
      ['hook_event_name', 'timestamp', 'session_id', 'cwd'],
      ['hook_event_name', 'timestamp'],
    ],
  },
  eventOf: namedEvent,
  read: readSharedMembers,
  write: writeClaudeLike({
    title: 'VS Code',
    contexts: ['PreToolUse', 'PostToolUse', 'UserPromptSubmit', 'SessionStart', 'SubagentStart'],
    asks: true,
    allows: true,
    blocksInside: ['Stop', 'SubagentStop'],
    neverStops: [],
    nameOf: vscodeEventName,
  }),
};

export const vscode: AgentRules = {
  name: 'vscode',
  title: 'VS Code agent hooks',
  latest: '1.109',
  oldest: '1.109',
  versions: [],
  files: [
    { scope: 'project', path: '{project}/.github/hooks/*.json', of: 'copilot', isOptional: true },
    { scope: 'project', path: '{project}/.claude/settings.json', of: 'claude-code', isOptional: true },
    { scope: 'project', path: '{project}/.claude/settings.local.json', of: 'claude-code', isOptional: true },
    { scope: 'user', path: '{home}/.claude/settings.json', of: 'claude-code', isOptional: true },
    { scope: 'user', path: '{home}/.copilot/hooks/*.json', of: 'copilot', isOptional: true },
  ],
  forms: { settings: { syntax: 'jsonc', events: { below: 'hooks' }, nesting: 'both' } },
  writes: {
    path: '{project}/.github/hooks/hooks.json',
    line: 'command',
    projectDir: '.',
    timeout: { key: 'timeout', ms: 1_000 },
    type: true,
  },
  events: () => vscodeEvents,
  handlerKeys: [
    'type',
    'command',
    'windows',
    'linux',
    'osx',
    'bash',
    'powershell',
    'cwd',
    'env',
    'timeout',
    'timeoutSec',
  ],
  readHandler,
  matcher: () => matcher,
  tools,
  stdin: (call) => ({
    timestamp: call.input.timestamp,
    hook_event_name: vscodeEventName(call.event),
    session_id: call.input.session_id,
    transcript_path: call.input.transcript_path,
    cwd: call.input.cwd,
    ...fields[vscodeEventName(call.event)]?.(call),
  }),
  process: { shell: 'sh', cwd: 'session', environment: () => ({}) },
  readAnswer,
  blockIn: claudeBlockIn,
  // A stop ends the sequence: later answers do not count.
  merge: (answers) => {
    const end = answers.findIndex(({ said }) => said?.stop !== undefined);
    return strictest(end < 0 ? answers : answers.slice(0, end + 1));
  },
  host: vscodeHost,
  order: 'sequential',
  isOff: ({ disableAllHooks }) => (disableAllHooks === true ? 'disableAllHooks' : undefined),
  remarks: [
    'Matchers are ignored: every hook of an event runs for every tool.',
    'The same hook in two files runs twice.',
  ],
};
