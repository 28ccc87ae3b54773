// Rules of Gemini CLI: its hook files, the stdin of its hooks and their answers; helpers for its forks.
import { sep } from 'node:path';
import { isRecord, omitUndefined, textOf } from '../../kit/index.ts';
import { mergeByAgentRule } from '../../merging/index.ts';
import type { MatcherRule } from '../agent-matcher.ts';
import {
  type Answer,
  createAnswer,
  createFailedAnswer,
  dropIfEmpty,
  parseWrappedText,
  readNonBlank,
  readObject,
  readSpecificOutput,
  type Said,
} from '../answers/answer.ts';
import { DEFAULT_DENIAL_REASON, type HostRule, readEventName, readSharedPayload } from '../hosting/host-rule.ts';
import { readCommandHandler, refuseHandler } from '../reading/handler.ts';
import { disableListedHooks, findSwitchSetTo } from '../reading/switches.ts';
import type { AgentEventCall, EventRule, JsonObject, PluginRule } from '../rule-types.ts';
import type { AgentRules, AnswerContext } from '../rules.ts';
import type { Vocabulary } from '../tools/vocabulary.ts';
import { createSystemFile, isDenialWord, readVerdictOrApproval } from './shared.ts';

const geminiMatcher: MatcherRule = {
  everything: ['', '*'],
  trims: true,
  otherwise: 'anywhere',
  invalid: 'literal',
};

const lifecycleMatcher: MatcherRule = { ...geminiMatcher, otherwise: 'equal' };

const toolEvent = { subject: 'tool_name', blocks: true } as const;

const geminiEvents: Readonly<Record<string, EventRule>> = {
  BeforeTool: { ...toolEvent, moment: 'BeforeTool' },
  AfterTool: { ...toolEvent, moment: 'AfterTool', alsoAt: 'AfterToolFailure' },
  BeforeAgent: { moment: 'BeforeAgent', blocks: true },
  AfterAgent: { moment: 'AfterAgent', blocks: true },
  BeforeModel: { moment: 'BeforeModel', blocks: true },
  AfterModel: { moment: 'AfterModel', blocks: true },
  BeforeToolSelection: { moment: 'BeforeToolSelection', blocks: false },
  SessionStart: { moment: 'SessionStart', subject: 'source', matcher: lifecycleMatcher, blocks: false },
  SessionEnd: { moment: 'SessionEnd', subject: 'reason', matcher: lifecycleMatcher, blocks: false },
  PreCompress: { moment: 'PreCompress', subject: 'trigger', matcher: lifecycleMatcher, blocks: false },
  Notification: { moment: 'Notification', blocks: false },
};

const readGeminiHandler: AgentRules['readHandler'] = (raw) => {
  const { type } = raw;
  if (type !== 'command')
    return refuseHandler(`"${String(type)}" is not run; only "command" is`, 'write "type": "command"');
  return readCommandHandler(raw, { unit: 1, fallbackMs: 60_000 }, (fields) => ({ env: fields.record('env') }));
};

const geminiTools: Vocabulary = {
  tools: [
    {
      kind: 'shell',
      names: ['run_shell_command'],
      args: { command: 'command', description: 'description', cwd: 'dir_path', background: 'is_background' },
    },
    { kind: 'read', names: ['read_file'], args: { path: 'file_path', offset: 'start_line', limit: 'end_line' } },
    { kind: 'readMany', names: ['read_many_files'], args: { paths: 'include' } },
    { kind: 'write', names: ['write_file'], args: { path: 'file_path', content: 'content' } },
    {
      kind: 'edit',
      names: ['replace'],
      args: { path: 'file_path', before: 'old_string', after: 'new_string', all: 'allow_multiple' },
    },
    { kind: 'glob', names: ['glob'], args: { pattern: 'pattern', path: 'dir_path' } },
    {
      kind: 'grep',
      names: ['grep_search'],
      args: { pattern: 'pattern', path: 'dir_path', glob: 'include_pattern' },
    },
    { kind: 'grep', names: ['search_file_content'], args: { pattern: 'pattern', path: 'dir_path', glob: 'include' } },
    { kind: 'list', names: ['list_directory'], args: { path: 'dir_path' } },
    { kind: 'fetch', names: ['web_fetch'], args: { prompt: 'prompt' } },
    { kind: 'search', names: ['google_web_search'], args: { query: 'query' } },
    { kind: 'agent', names: ['invoke_agent'], args: { prompt: 'prompt' } },
    { kind: 'todo', names: ['write_todos'], args: {} },
    { kind: 'ask', names: ['ask_user'], args: {} },
  ],
  mcp: 'mcp_{server}_{tool}',
};

const sharedSpecificKeys: readonly string[] = ['hookEventName', 'additionalContext', 'tool_input'];

export const readGeminiDocument = (document: JsonObject): Said => {
  const specific = readSpecificOutput(document);
  const rest = Object.entries(specific).filter(([key]) => !sharedSpecificKeys.includes(key));
  return {
    decision: readVerdictOrApproval(document.decision),
    reason: readNonBlank(document.stopReason, document.reason),
    stop:
      document.continue === false ? { reason: readNonBlank(document.stopReason, document.reason) ?? '' } : undefined,
    context: readNonBlank(specific.additionalContext),
    message: textOf(document.systemMessage),
    toolInput: readObject(specific.tool_input),
    suppressOutput: document.suppressOutput === true ? true : undefined,
    specific: rest.length === 0 ? undefined : Object.fromEntries(rest),
  };
};

const readPlainText = (text: string, exitCode: number | null): Answer => {
  if (exitCode === 0 || exitCode === null) return createAnswer({ decision: 'allow', message: text, isText: true });
  if (exitCode === 1) return createAnswer({ decision: 'allow', message: `Warning: ${text}`, isText: true });
  return createAnswer({ decision: 'deny', reason: text });
};

/** JSON is read with any exit code. Plain text denies with every exit code but 0 and 1. */
const readGeminiAnswer: AgentRules['readAnswer'] = (ended, { rule }) => {
  if (ended.timedOut === true) return createFailedAnswer('the hook ran out of time');
  if (ended.notStarted !== undefined) return createFailedAnswer(ended.notStarted);
  const text = readNonBlank(ended.stdout, ended.stderr);
  if (text === undefined) {
    return ended.exitCode === 2 && rule.blocks
      ? createAnswer({}, 'exit code 2 without a word blocks nothing')
      : createAnswer({});
  }
  const parsed = parseWrappedText(text);
  if (isRecord(parsed)) return dropIgnoredVerdict(createAnswer(readGeminiDocument(parsed)), rule);
  return parsed === undefined ? dropIgnoredVerdict(readPlainText(text, ended.exitCode), rule) : createAnswer({});
};

export const dropIgnoredVerdict = (answer: Answer, { blocks }: Pick<AnswerContext, 'rule'>['rule']): Answer => {
  const { decision, stop, reason: _unread, ...rest } = answer.said ?? {};
  const isNo = decision === 'deny' || decision === 'ask' || stop !== undefined;
  return blocks || !isNo ? answer : createAnswer(rest, ...answer.swallowed, 'a decision has no effect on this event');
};

const findGeminiBlock = (document: JsonObject, event: string): string | undefined => {
  const specific = readSpecificOutput(document);
  const words = [document.decision, document.permissionDecision, specific.permissionDecision, specific.decision];
  const stops = document.continue === false && event !== 'AfterAgent';
  if (!stops && !words.some(isDenialWord)) return undefined;
  return readNonBlank(document.reason, specific.permissionDecisionReason, document.stopReason) ?? 'the hook denies';
};

/** Gemini CLI reports a failed tool as a result. */
const addErrorResponse = ({ error, ...fields }: JsonObject): JsonObject =>
  error === undefined
    ? fields
    : { ...fields, tool_response: { llmContent: error, returnDisplay: error, error: { message: error } } };

/** Gemini CLI's hooks get the stdin of hookwright's hooks, without the members that only hookwright sends. */
export const createGeminiStdin = ({ event, input, tool }: AgentEventCall): JsonObject => {
  const { trigger, ...fields } = input;
  const kept =
    event === 'PreCompress' ? { ...fields, trigger } : event === 'AfterTool' ? addErrorResponse(fields) : fields;
  return {
    ...kept,
    hook_event_name: event,
    ...(tool === undefined ? {} : { tool_name: tool.name, tool_input: tool.input }),
  };
};

const mergeByLast = mergeByAgentRule({ decision: 'last', reasons: 'last', contexts: 'last', messages: 'last' });
const mergeStrictest = mergeByAgentRule({ decision: 'strictest', reasons: 'join' });

/** Events on which the last answer replaces all others, including denials. */
const lastWinsEvents: readonly string[] = ['BeforeModel', 'AfterModel', 'SessionEnd', 'PreCompress', 'Notification'];

type NameListMerge = (lists: readonly (readonly string[] | undefined)[]) => readonly string[] | undefined;

const uniteNames: NameListMerge = (lists) => [...new Set(lists.flatMap((list) => list ?? []))].sort();

const mergeToolSelection = (answers: readonly Answer[], namesOf: NameListMerge): JsonObject | undefined => {
  const configs = answers.map(({ said }) => readObject(said?.specific?.toolConfig)).filter((one) => one !== undefined);
  if (configs.length === 0) return undefined;
  const mode = ['NONE', 'ANY'].find((one) => configs.some((config) => config.mode === one)) ?? 'AUTO';
  const lists = configs.map(({ allowedFunctionNames: names }) =>
    Array.isArray(names) ? names.filter((name) => typeof name === 'string') : undefined,
  );
  const names = mode === 'NONE' ? [] : namesOf(lists);
  return { mode, ...(names === undefined ? {} : { allowedFunctionNames: names }) };
};

export const createGeminiMerge =
  (namesOf: NameListMerge): AgentRules['merge'] =>
  (answers, { event }) => {
    if (lastWinsEvents.includes(event)) return mergeByLast(answers);
    const merged = mergeStrictest(answers);
    const toolConfig = event === 'BeforeToolSelection' ? mergeToolSelection(answers, namesOf) : undefined;
    if (toolConfig === undefined) return merged;
    return { ...merged, said: { ...merged.said, specific: { ...merged.said?.specific, toolConfig } } };
  };

const readDisabledExtensions = ({ extensions }: JsonObject): Readonly<Record<string, boolean>> => {
  const { disabled } = readObject(extensions) ?? {};
  return Object.fromEntries((Array.isArray(disabled) ? disabled : []).map((name) => [String(name), false]));
};

export const createExtensionRule = (
  folder: string,
  own: Pick<PluginRule, 'manifests' | 'hooks' | 'readsManifest'> & Partial<PluginRule>,
): PluginRule => ({
  noun: 'extension',
  folders: ['{home}', '{project}'].map((at) => ({ path: `${at}/${folder}/extensions/*`, parts: ['name'] })),
  wishes: readDisabledExtensions,
  isOnByDefault: true,
  enablement: `{home}/${folder}/extensions/extension-enablement.json`,
  variables: ({ root, projectDir }) => ({ extensionPath: root, workspacePath: projectDir }),
  placeholders: () => ({ '${/}': sep, '${pathSeparator}': sep }),
  ...own,
});

export const geminiFormat = {
  forms: {
    settings: {
      syntax: 'jsonc',
      events: { below: 'hooks' },
      nesting: 'groups',
      notEvents: ['enabled', 'disabled', 'notifications'],
    },
  },
  events: () => geminiEvents,
  handlerKeys: ['type', 'command', 'name', 'description', 'timeout', 'env'],
  readHandler: readGeminiHandler,
  matcher: () => geminiMatcher,
  blockIn: findGeminiBlock,
  grantsNothing: () => true,
  order: 'as-asked',
  sameAs: ({ name, command = '' }) => (name === undefined ? command : `${name}:${command}`),
} as const satisfies Partial<AgentRules>;

export const readHooksEnabled = ({ hooksConfig }: JsonObject): unknown => readObject(hooksConfig)?.enabled;

const toGeminiDocument = ({
  decision,
  reason,
  stop,
  context,
  message,
  suppressOutput,
  toolInput,
  specific,
}: Said): JsonObject => {
  const inner = omitUndefined({ ...specific, additionalContext: context, tool_input: toolInput });
  return omitUndefined({
    decision,
    reason: decision === 'deny' ? (reason ?? DEFAULT_DENIAL_REASON) : reason,
    ...(stop === undefined ? {} : omitUndefined({ continue: false, stopReason: stop.reason || undefined })),
    systemMessage: message,
    suppressOutput,
    hookSpecificOutput: dropIfEmpty(inner),
  });
};

export const createGeminiWriter =
  (asks: boolean): HostRule['write'] =>
  (wanted, { rule }) => {
    const cannotAsk = wanted.decision === 'ask' && !asks;
    const said: Said = cannotAsk
      ? {
          ...wanted,
          decision: 'deny',
          reason: `a person has to be asked, and hooks cannot: ${wanted.reason ?? DEFAULT_DENIAL_REASON}`,
        }
      : wanted;
    const stdout = toGeminiDocument(said);
    const isBlocked = said.decision === 'deny' && rule.blocks;
    return {
      ...(dropIfEmpty(stdout) && { stdout }),
      ...(isBlocked ? { stderr: said.reason ?? DEFAULT_DENIAL_REASON, exitCode: 2 } : { exitCode: 0 }),
    };
  };

export const geminiHost: HostRule = {
  knownBy: { signs: [['hook_event_name']], variable: 'GEMINI_CLI' },
  eventOf: readEventName,
  read: readSharedPayload,
  write: createGeminiWriter(true),
  mayHave: ['mcp_context', 'original_request_name', 'trigger', 'recheck'],
};

export const gemini: AgentRules = {
  name: 'gemini',
  title: 'Gemini CLI',
  latest: '0.30',
  oldest: '0.30',
  versions: [],
  files: [
    { scope: 'project', path: '{project}/.gemini/settings.json' },
    { scope: 'user', path: '{home}/.gemini/settings.json' },
    createSystemFile(
      '{GEMINI_CLI_SYSTEM_SETTINGS_PATH|/etc/gemini-cli/settings.json}',
      '{GEMINI_CLI_SYSTEM_SETTINGS_PATH|/Library/Application Support/GeminiCli/settings.json}',
      '{GEMINI_CLI_SYSTEM_SETTINGS_PATH|C:\\ProgramData\\gemini-cli\\settings.json}',
    ),
  ],
  plugins: createExtensionRule('.gemini', {
    manifests: ['gemini-extension.json'],
    hooks: ['hooks/hooks.json'],
    readsManifest: false,
  }),
  writes: {
    path: '{project}/.gemini/settings.json',
    line: 'command',
    projectDir: '$GEMINI_PROJECT_DIR',
    timeout: { key: 'timeout', ms: 1 },
    type: true,
  },
  ...geminiFormat,
  tools: geminiTools,
  stdin: createGeminiStdin,
  process: {
    shell: 'bash',
    cwd: 'session',
    environment: ({ cwd, sessionId }) => ({
      GEMINI_PROJECT_DIR: cwd,
      GEMINI_CWD: cwd,
      CLAUDE_PROJECT_DIR: cwd,
      GEMINI_SESSION_ID: sessionId,
    }),
    filledIn: () => ['GEMINI_PROJECT_DIR', 'GEMINI_CWD', 'GEMINI_SESSION_ID', 'CLAUDE_PROJECT_DIR'],
  },
  readAnswer: readGeminiAnswer,
  merge: createGeminiMerge(uniteNames),
  isOurs: true,
  host: geminiHost,
  isOff: (root) => (readHooksEnabled(root) === false ? 'hooksConfig.enabled' : undefined),
  switches: (files) => {
    const off = findSwitchSetTo(false, 'hooksConfig.enabled', files, readHooksEnabled);
    return () => off;
  },
  refine: disableListedHooks,
  remarks: ['A missing script denies, as does every exit code except 0 and 1 with any output.'],
};
