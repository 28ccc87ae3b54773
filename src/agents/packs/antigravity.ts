// Rules of Antigravity: its hook files, the stdin of its hooks and their answers.
import { omitUndefined, textOf } from '../../kit/index.ts';
import { mergeByAgentRule } from '../../merging/index.ts';
import type { MatcherRule } from '../agent-matcher.ts';
import {
  type Answer,
  createAnswer,
  createFailedAnswer,
  findUnknownKeys,
  parseDocument,
  readNonBlank,
  readObject,
  type Said,
} from '../answers/answer.ts';
import { DEFAULT_DENIAL_REASON, type HostRule, readSharedPayload } from '../hosting/host-rule.ts';
import { readCommandHandler, refuseFile, refuseHandler, refuseHere } from '../reading/handler.ts';
import type { AgentEventCall, EventRule, JsonObject } from '../rule-types.ts';
import type { AgentRules, AnswerContext } from '../rules.ts';
import type { Vocabulary } from '../tools/vocabulary.ts';
import {
  createDecisionReader,
  describeExit,
  isDenialWord,
  replaceStopByDenial,
  SECOND_MS,
  type StdinWriter,
} from './shared.ts';

const antigravityMatcher: MatcherRule = { everything: ['', '*'], otherwise: 'anywhere', invalid: 'never' };

const antigravityEvents: Readonly<Record<string, EventRule>> = {
  PreToolUse: { moment: 'BeforeTool', subject: 'tool_name', blocks: true },
  PostToolUse: { moment: 'AfterTool', alsoAt: 'AfterToolFailure', subject: 'tool_name', blocks: false },
  PreInvocation: { moment: 'BeforeModel', blocks: false },
  PostInvocation: { moment: 'AfterModel', blocks: false },
  Stop: { moment: 'AfterAgent', blocks: true },
};

const antigravityTools: Vocabulary = {
  tools: [
    { kind: 'shell', names: ['run_command'], args: { command: 'CommandLine', cwd: 'Cwd' } },
    { kind: 'read', names: ['view_file'], args: { path: 'AbsolutePath' } },
    { kind: 'write', names: ['write_to_file'], args: { path: 'TargetFile', content: 'CodeContent' } },
    {
      kind: 'edit',
      names: ['replace_file_content'],
      args: { path: 'TargetFile', before: 'TargetContent', after: 'ReplacementContent' },
    },
    { kind: 'edit', names: ['multi_replace_file_content'], args: { path: 'TargetFile' } },
    { kind: 'glob', names: ['find_by_name'], args: { pattern: 'Pattern', path: 'SearchDirectory' } },
    { kind: 'grep', names: ['grep_search'], args: { pattern: 'Query', path: 'SearchPath' } },
    { kind: 'list', names: ['list_dir'], args: { path: 'DirectoryPath' } },
    { kind: 'fetch', names: ['read_url_content'], args: { url: 'Url' } },
    { kind: 'search', names: ['search_web'], args: { query: 'query' } },
    { kind: 'agent', names: ['invoke_subagent'], args: { prompt: 'Prompt' } },
    { kind: 'todo', names: ['manage_task'], args: {} },
    { kind: 'ask', names: ['ask_question'], args: {} },
  ],
  mcp: 'mcp__{server}__{tool}',
};

const toToolCall: StdinWriter = ({ tool }) => ({ name: tool?.name, args: tool?.input });

const readStepIndex = ({ input }: AgentEventCall): unknown => input.step_index ?? input.step_idx;

const stdinByEvent: Readonly<Record<string, StdinWriter>> = {
  PreToolUse: (call) => ({ toolCall: toToolCall(call), stepIdx: readStepIndex(call) }),
  PostToolUse: (call) => ({
    stepIdx: readStepIndex(call),
    toolCall: toToolCall(call),
    ...(call.input.error === undefined ? {} : { error: call.input.error }),
  }),
  PreInvocation: ({ nth, input }) => ({ invocationNum: nth, initialNumSteps: input.initial_num_steps }),
  PostInvocation: ({ nth, input }) => ({ invocationNum: nth, initialNumSteps: input.initial_num_steps }),
  Stop: ({ nth, input }) => ({
    executionNum: input.execution_num ?? nth,
    terminationReason: input.termination_reason ?? 'completed',
    error: input.error,
    fullyIdle: input.fully_idle,
  }),
};

/** Antigravity drops an answer with members that are not listed here. */
const answerKeysByEvent: Readonly<Record<string, readonly string[]>> = {
  PreToolUse: ['decision', 'reason', 'permissionOverrides', 'overwrite'],
  PostToolUse: [],
  PreInvocation: ['injectSteps'],
  PostInvocation: ['injectSteps', 'terminationBehavior'],
  Stop: ['decision', 'reason'],
};

const readDecision = createDecisionReader({
  allow: 'allow',
  ask: 'ask',
  force_ask: 'ask',
  deny_unless_prior_grant: 'ask',
  deny: 'deny',
  block: 'deny',
});

const readInjectedText = (document: JsonObject): string | undefined => {
  const steps = Array.isArray(document.injectSteps) ? document.injectSteps : [];
  const texts = steps.flatMap((step) => {
    const { userMessage, ephemeralMessage } = readObject(step) ?? {};
    return readNonBlank(userMessage) ?? readNonBlank(ephemeralMessage) ?? [];
  });
  return texts.length === 0 ? undefined : texts.join('\n');
};

/** Before a tool, Antigravity blocks if a hook fails or decides nothing. */
const answerFailedHook = (why: string, { event }: AnswerContext): Answer =>
  event === 'PreToolUse' ? createAnswer({ decision: 'deny', reason: why }) : createFailedAnswer(why);

const readAnswerDocument = (document: JsonObject, context: AnswerContext): Answer => {
  const { event } = context;
  const [stranger] = findUnknownKeys(document, answerKeysByEvent[event] ?? []);
  if (stranger !== undefined)
    return answerFailedHook(`it knows no field "${stranger}" on ${event}, and drops the answer`, context);
  const { decision: word } = document;
  if (event === 'Stop') {
    return word === 'continue' ? createAnswer({ decision: 'deny', reason: textOf(document.reason) }) : createAnswer({});
  }
  const decision = readDecision(word);
  if (event === 'PreToolUse' && decision === undefined)
    return answerFailedHook('the answer has no decision it knows', context);
  return createAnswer({
    decision,
    reason: textOf(document.reason),
    context: readInjectedText(document),
    toolInput: readObject(document.overwrite),
  });
};

const readAntigravityAnswer: AgentRules['readAnswer'] = (ended, context) => {
  if (ended.timedOut === true) return answerFailedHook('the hook ran out of time', context);
  if (ended.notStarted !== undefined) return answerFailedHook(ended.notStarted, context);
  if (ended.exitCode !== 0) {
    const how = describeExit(ended);
    const stderr = readNonBlank(ended.stderr);
    return answerFailedHook(stderr === undefined ? how : `${how}: ${stderr}`, context);
  }
  const text = readNonBlank(ended.stdout);
  if (text === undefined)
    return context.event === 'PreToolUse' ? answerFailedHook('the hook said nothing', context) : createAnswer({});
  const document = parseDocument(text);
  return document === undefined
    ? answerFailedHook('the answer is no JSON object', context)
    : readAnswerDocument(document, context);
};

const MAX_TIMEOUT_SECONDS = 2 ** 31 - 1;

const answerWriters: Readonly<Record<string, (said: Said) => Record<string, unknown>>> = {
  PreToolUse: ({ decision = 'allow', reason, toolInput }) =>
    omitUndefined({
      decision,
      reason: decision === 'deny' ? (reason ?? DEFAULT_DENIAL_REASON) : reason,
      overwrite: decision === 'deny' ? undefined : toolInput,
    }),
  Stop: ({ decision, reason }) =>
    decision === 'deny' ? { decision: 'continue', reason: reason ?? DEFAULT_DENIAL_REASON } : {},
  PreInvocation: ({ context }) => (context === undefined ? {} : { injectSteps: [{ userMessage: context }] }),
  PostInvocation: ({ context }) => (context === undefined ? {} : { injectSteps: [{ userMessage: context }] }),
};

const writeAntigravityAnswer: HostRule['write'] = (said, { event }) => {
  const refused = event === 'PreToolUse' ? replaceStopByDenial(said) : said;
  return { stdout: answerWriters[event]?.(refused) ?? {}, exitCode: 0 };
};

const antigravityHost: HostRule = {
  knownBy: { signs: [['conversationId', 'workspacePaths']], variable: 'ANTIGRAVITY_CONVERSATION_ID' },
  // Stdin does not name the event; only Stop has members of its own.
  eventOf: (document) => ('executionNum' in document || 'terminationReason' in document ? 'Stop' : undefined),
  read: (document, spot) => {
    const call = readObject(document.toolCall) ?? {};
    return readSharedPayload(
      {
        ...document,
        tool_name: call.name ?? 'unknown',
        tool_input: call.args,
        tool_response: { error: document.error },
      },
      spot,
    );
  },
  write: writeAntigravityAnswer,
  mayHave: ['modelName', 'error', 'stepIdx'],
};

export const antigravity: AgentRules = {
  name: 'antigravity',
  title: 'Antigravity',
  latest: '2.3.1',
  oldest: '1.1',
  versions: [{ version: '2.3.1', what: 'as observed in live runs; hardly documented', thin: true }],
  files: [
    { scope: 'project', path: '{project}/.agents/hooks.json' },
    { scope: 'project', path: '{project}/.agent/hooks.json' },
    { scope: 'project', path: '{project}/_agents/hooks.json' },
    { scope: 'project', path: '{project}/_agent/hooks.json' },
    { scope: 'user', path: '{home}/.gemini/config/hooks.json' },
  ],
  forms: {
    settings: {
      syntax: 'json',
      events: { belowEachName: true },
      nesting: 'both',
      notEvents: ['enabled'],
      anyCase: true,
      voidedByEntry: true,
    },
  },
  plugins: {
    noun: 'plugin',
    folders: [{ path: '{home}/.gemini/antigravity-cli/plugins/*', parts: ['name'] }],
    manifests: ['plugin.json'],
    hooks: ['hooks.json'],
    readsManifest: false,
    wishes: () => ({}),
    isOnByDefault: true,
    variables: () => ({}),
  },
  writes: {
    path: '{project}/.agents/hooks.json',
    line: 'command',
    projectDir: '.',
    timeout: { key: 'timeout', ms: 1_000 },
    grouped: ({ subject }) => subject !== undefined,
    name: 'imported',
  },
  events: () => antigravityEvents,
  handlerKeys: ['type', 'command', 'timeout', 'prompt'],
  readHandler: (raw) => {
    const { type = 'command', timeout } = raw;
    if (type === 'prompt') return refuseHere(type, 'it asks a model, and there is none in the engine');
    if (type !== 'command') return refuseHandler(`"${String(type)}" is no type of hook`, 'known is command');
    const isWhole = typeof timeout === 'number' && Number.isInteger(timeout) && timeout <= MAX_TIMEOUT_SECONDS;
    if (timeout !== undefined && !isWhole) {
      return refuseFile(
        `timeout must be a whole number of seconds of 32 bits, found ${JSON.stringify(timeout)}; the whole file is dropped`,
        'write a whole number of seconds',
      );
    }
    return readCommandHandler(raw, { unit: SECOND_MS, fallbackMs: 30 * SECOND_MS });
  },
  matcher: () => antigravityMatcher,
  tools: antigravityTools,
  stdin: (call) => ({
    conversationId: call.input.session_id,
    workspacePaths: [call.projectDir],
    transcriptPath: call.input.transcript_path,
    artifactDirectoryPath: call.input.artifact_directory_path,
    modelName: call.input.model,
    ...stdinByEvent[call.event]?.(call),
  }),
  process: {
    shell: 'sh',
    cwd: 'project',
    environment: ({ sessionId }) => ({ ANTIGRAVITY_CONVERSATION_ID: sessionId }),
  },
  readAnswer: readAntigravityAnswer,
  blockIn: ({ decision, reason }) => (isDenialWord(decision) ? (readNonBlank(reason) ?? 'the hook denies') : undefined),
  merge: mergeByAgentRule({ decision: 'strictest', reasons: 'first' }),
  host: antigravityHost,
  grantsNothing: () => true,
  order: 'parallel',
  isOff: () => undefined,
  remarks: [
    'stdin does not name the event in Antigravity; here HOOKWRIGHT_DIALECT_EVENT does.',
    'Before a tool, a hook that fails or prints nothing blocks.',
  ],
};
