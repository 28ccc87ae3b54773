// Rules of VS Code's agent mode: its hook files, the stdin of its hooks and their answers.
import { textOf } from '../../kit/index.ts';
import { mergeByAgentRule } from '../../merging/index.ts';
import { toToolCallMembers, unwrapToolResponse } from '../agent-events.ts';
import type { MatcherRule } from '../agent-matcher.ts';
import {
  type Answer,
  createAnswer,
  createFailedAnswer,
  findFormMismatch,
  parseDocument,
  readNonBlank,
  readObject,
  readSpecificOutput,
} from '../answers/answer.ts';
import { createClaudeLikeWriter } from '../hosting/claude-like.ts';
import { type HostRule, readEventName, readSharedPayload } from '../hosting/host-rule.ts';
import { readCommandHandler, refuseHandler } from '../reading/handler.ts';
import type { EventRule, JsonObject } from '../rule-types.ts';
import type { AgentRules } from '../rules.ts';
import type { Vocabulary } from '../tools/vocabulary.ts';
import { findClaudeBlock } from './claude-code/answers.ts';
import { createStdinWriter, readVerdict, SECOND_MS, type StdinWriter, stopEvents, toStopHookActive } from './shared.ts';

const vscodeMatcher: MatcherRule = { everything: [], otherwise: 'ignored', invalid: 'literal' };

const platformKeys = { linux: ['linux', 'bash'], darwin: ['osx', 'bash'], win32: ['windows', 'powershell'] } as const;

const readVscodeHandler: AgentRules['readHandler'] = (raw, { platform }) => {
  const { type = 'command' } = raw;
  if (type !== 'command')
    return refuseHandler(`a hook of type "${String(type)}" is not run; only "command" is`, 'write "type": "command"');
  const [own, other] = platformKeys[platform];
  const line = raw[own] ?? raw[other] ?? raw.command;
  return readCommandHandler(
    { ...raw, command: line },
    { alias: 'timeoutSec', unit: SECOND_MS, fallbackMs: 30 * SECOND_MS },
    (fields) => ({ cwd: fields.text('cwd'), env: fields.record('env') }),
  );
};

const vscodeTools: Vocabulary = {
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

const toSubagentOfCall: StdinWriter = ({ input, callId }) => ({ agent_id: callId, agent_type: input.agent_type });

const stdinByEvent: Readonly<Record<string, StdinWriter>> = {
  PreToolUse: toToolCallMembers,
  PostToolUse: createStdinWriter(toToolCallMembers, (call) => ({ tool_response: unwrapToolResponse(call) })),
  UserPromptSubmit: createStdinWriter('prompt'),
  Stop: toStopHookActive,
  SessionStart: () => ({ source: 'new' }),
  PreCompact: createStdinWriter('trigger'),
  SubagentStart: toSubagentOfCall,
  SubagentStop: createStdinWriter(toSubagentOfCall, toStopHookActive),
};

/** Event → a second event name that VS Code accepts in its answers. */
const acceptedEventNames: Readonly<Record<string, string>> = { SubagentStop: 'Stop', SubagentStart: 'SessionStart' };

const stopIgnoringEvents: readonly string[] = ['SessionStart', 'SubagentStart'];

const readAnswerDocument = (document: JsonObject, event: string): Answer => {
  const { hookEventName: top } = document;
  const isOther = (name: unknown): boolean =>
    name !== undefined && name !== event && name !== acceptedEventNames[event];
  if (isOther(top)) return createFailedAnswer(`"hookEventName" is "${String(top)}", but the event is ${event}`);
  const wrong = findFormMismatch(document, {
    continue: 'boolean',
    stopReason: 'text',
    systemMessage: 'text',
    hookSpecificOutput: 'object',
  });
  if (wrong !== undefined) return createFailedAnswer(wrong);
  const inner = readSpecificOutput(document);
  const isForeign = isOther(inner.hookEventName);
  const specific = isForeign ? {} : inner;
  const swallowed = isForeign ? [`hookSpecificOutput is for "${String(inner.hookEventName)}" and is dropped`] : [];
  const isStop = stopEvents.includes(event);
  if (isStop && document.decision !== undefined)
    swallowed.push('"decision" counts only inside hookSpecificOutput here');
  const word = specific.permissionDecision ?? (isStop ? specific.decision : document.decision);
  const decision = readVerdict(word);
  const reason = readNonBlank(specific.permissionDecisionReason, specific.reason, isStop ? undefined : document.reason);
  const lacksReason = isStop && decision === 'deny' && reason === undefined;
  if (lacksReason) swallowed.push('a block of a stop hook needs a reason');
  const stops =
    (document.continue === false || readNonBlank(document.stopReason) !== undefined) &&
    !stopIgnoringEvents.includes(event);
  return createAnswer(
    {
      decision: lacksReason ? undefined : decision,
      reason,
      stop: stops ? { reason: textOf(document.stopReason) ?? '' } : undefined,
      context: readNonBlank(specific.additionalContext),
      message: readNonBlank(document.systemMessage),
      toolInput: readObject(specific.updatedInput),
    },
    ...swallowed,
  );
};

const readVscodeAnswer: AgentRules['readAnswer'] = (ended, { event: name, rule }) => {
  const event = toPascalEvent(name);
  if (ended.timedOut === true) return createFailedAnswer('the hook ran out of time');
  if (ended.notStarted !== undefined) return createFailedAnswer(ended.notStarted);
  if (ended.exitCode === 2) {
    if (!rule.blocks) return createFailedAnswer(`exit code 2 is ignored on ${event}`);
    return createAnswer({ decision: 'deny', reason: readNonBlank(ended.stderr) ?? 'the hook gave no reason' });
  }
  if (ended.exitCode !== 0)
    return createAnswer({
      message: readNonBlank(ended.stderr) ?? `the hook ended with ${ended.exitCode ?? 'a signal'}`,
    });
  const text = readNonBlank(ended.stdout);
  if (text === undefined) return createAnswer({});
  const document = parseDocument(text);
  return document === undefined
    ? createAnswer({}, 'plain text is kept, but not used')
    : readAnswerDocument(document, event);
};

const mergeStrictest = mergeByAgentRule({ decision: 'strictest', reasons: 'first' });

const pascalEvents: Readonly<Record<string, EventRule>> = {
  PreToolUse: { moment: 'BeforeTool', blocks: true },
  PostToolUse: { moment: 'AfterTool', blocks: true },
  UserPromptSubmit: { moment: 'BeforeAgent', blocks: true },
  Stop: { moment: 'AfterAgent', blocks: true },
  SessionStart: { moment: 'SessionStart', blocks: false },
  PreCompact: { moment: 'PreCompress', blocks: false },
  SubagentStart: { moment: 'SubagentStart', blocks: false },
  SubagentStop: { moment: 'SubagentStop', blocks: true },
};

const camelToPascal: Readonly<Record<string, string>> = {
  preToolUse: 'PreToolUse',
  postToolUse: 'PostToolUse',
  userPromptSubmitted: 'UserPromptSubmit',
  agentStop: 'Stop',
  sessionStart: 'SessionStart',
  preCompact: 'PreCompact',
  subagentStart: 'SubagentStart',
  subagentStop: 'SubagentStop',
};

const toPascalEvent = (event: string): string => camelToPascal[event] ?? event;

const vscodeEvents: Readonly<Record<string, EventRule>> = {
  ...pascalEvents,
  ...Object.fromEntries(
    Object.entries(camelToPascal).map(([camel, pascal]) => [camel, { blocks: false, ...pascalEvents[pascal] }]),
  ),
};

const vscodeHost: HostRule = {
  // Other agents send these members too, but also set a variable, which takes precedence.
  knownBy: {
    signs: [
      ['hook_event_name', 'timestamp', 'session_id', 'cwd'],
      ['hook_event_name', 'timestamp'],
    ],
  },
  eventOf: readEventName,
  read: readSharedPayload,
  write: createClaudeLikeWriter({
    title: 'VS Code',
    contextEvents: ['PreToolUse', 'PostToolUse', 'UserPromptSubmit', 'SessionStart', 'SubagentStart'],
    canAsk: true,
    takesPlainAllow: true,
    innerBlockEvents: ['Stop', 'SubagentStop'],
    toAnswerName: toPascalEvent,
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
    // `install --scope user` writes into the first: lines for VS Code would be a mistake in the file of Claude Code.
    { scope: 'user', path: '{home}/.copilot/hooks/*.json', of: 'copilot', isOptional: true },
    { scope: 'user', path: '{home}/.claude/settings.json', of: 'claude-code', isOptional: true },
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
  readHandler: readVscodeHandler,
  matcher: () => vscodeMatcher,
  tools: vscodeTools,
  stdin: createStdinWriter(
    'timestamp',
    ({ event }) => ({ hook_event_name: toPascalEvent(event) }),
    ...['session_id', 'transcript_path', 'cwd'],
    (call) => stdinByEvent[toPascalEvent(call.event)]?.(call) ?? {},
  ),
  process: { shell: 'sh', cwd: 'session', environment: () => ({}) },
  readAnswer: readVscodeAnswer,
  blockIn: findClaudeBlock,
  // Hooks run one after another, and none runs after a stop.
  merge: (answers) => {
    const end = answers.findIndex(({ said }) => said?.stop !== undefined);
    return mergeStrictest(end < 0 ? answers : answers.slice(0, end + 1));
  },
  host: vscodeHost,
  order: 'sequential',
  isOff: ({ disableAllHooks }) => (disableAllHooks === true ? 'disableAllHooks' : undefined),
  remarks: [
    'Matchers are ignored: every hook of an event runs for every tool.',
    'The same hook in two files runs twice.',
  ],
};
