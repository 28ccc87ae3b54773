// Rules of Gemini CLI, and helpers for its forks.
import { sep } from 'node:path';
import { textOf } from '../../kit/index.ts';
import { mergeByAgentRule } from '../../merging/index.ts';
import type { MatcherRule } from '../agent-matcher.ts';
import {
  type Answer,
  type Ended,
  failedAnswer,
  firstNonBlank,
  nonBlank,
  objectOf,
  parseDocument,
  type Said,
  said,
  silentAnswer,
  specificOutputOf,
  undefinedIfEmpty,
  withoutUndefined,
} from '../answers/answer.ts';
import {
  type HostAgentEvent,
  type HostRule,
  NO_REASON,
  namedEvent,
  readSharedMembers,
  type Written,
} from '../hosting/host-rule.ts';
import { type HandlerReading, readCommandHandler, refusedHandler } from '../reading/handler.ts';
import { booleanOrUndefined, disableListedHooks, firstSwitchValue } from '../reading/switches.ts';
import type { Call, EventRule, JsonObject, PluginRule } from '../rule-types.ts';
import type { AgentRules, AnswerContext } from '../rules.ts';
import type { Vocabulary } from '../tools/vocabulary.ts';
import { systemFile, verdictOrApproval } from './shared.ts';

const lifecycle: MatcherRule = { everything: ['', '*'], trims: true, otherwise: 'equal', invalid: 'literal' };

const geminiMatcher: MatcherRule = {
  everything: ['', '*'],
  trims: true,
  otherwise: 'anywhere',
  invalid: 'literal',
};

const tool = { subject: 'tool_name', blocks: true } as const;

const geminiEvents: Readonly<Record<string, EventRule>> = {
  BeforeTool: { ...tool, moment: 'BeforeTool' },
  AfterTool: { ...tool, moment: 'AfterTool', alsoAt: 'AfterToolFailure' },
  BeforeAgent: { moment: 'BeforeAgent', blocks: true },
  AfterAgent: { moment: 'AfterAgent', blocks: true },
  BeforeModel: { moment: 'BeforeModel', blocks: true },
  AfterModel: { moment: 'AfterModel', blocks: true },
  BeforeToolSelection: { moment: 'BeforeToolSelection', blocks: false },
  SessionStart: { moment: 'SessionStart', subject: 'source', matcher: lifecycle, blocks: false },
  SessionEnd: { moment: 'SessionEnd', subject: 'reason', matcher: lifecycle, blocks: false },
  PreCompress: { moment: 'PreCompress', subject: 'trigger', matcher: lifecycle, blocks: false },
  Notification: { moment: 'Notification', blocks: false },
};

const readGeminiHandler = (raw: Readonly<JsonObject>): HandlerReading => {
  const { type } = raw;
  if (type !== 'command')
    return refusedHandler(`"${String(type)}" is not run; only "command" is`, 'write "type": "command"');
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

const sharedKeys: readonly string[] = ['hookEventName', 'additionalContext', 'tool_input'];

export const readGeminiDocument = (document: JsonObject): Said => {
  const specific = specificOutputOf(document);
  const rest = Object.entries(specific).filter(([key]) => !sharedKeys.includes(key));
  return {
    decision: verdictOrApproval(document.decision),
    reason: firstNonBlank(document.stopReason, document.reason),
    stop:
      document.continue === false ? { reason: firstNonBlank(document.stopReason, document.reason) ?? '' } : undefined,
    context: nonBlank(specific.additionalContext),
    message: textOf(document.systemMessage),
    toolInput: objectOf(specific.tool_input),
    suppressOutput: document.suppressOutput === true ? true : undefined,
    specific: rest.length === 0 ? undefined : Object.fromEntries(rest),
  };
};

const ofText = (text: string, exitCode: number | null): Answer => {
  if (exitCode === 0 || exitCode === null) return said({ decision: 'allow', message: text, isText: true });
  if (exitCode === 1) return said({ decision: 'allow', message: `Warning: ${text}`, isText: true });
  return said({ decision: 'deny', reason: text });
};

/** Reads stdout, or else stderr. JSON counts with any exit code; plain text denies with every exit code but 0 and 1. */
const readAnswer = (ended: Ended, { rule }: AnswerContext): Answer => {
  if (ended.timedOut === true) return failedAnswer('the hook ran out of time');
  if (ended.notStarted !== undefined) return failedAnswer(ended.notStarted);
  const text = firstNonBlank(ended.stdout, ended.stderr);
  if (text === undefined) {
    return ended.exitCode === 2 && rule.blocks ? said({}, 'exit code 2 without a word blocks nothing') : silentAnswer;
  }
  const parsed = parseDocument(text, { unwrap: true });
  if ('document' in parsed) return withoutIgnoredVerdict(said(readGeminiDocument(parsed.document)), rule);
  return 'other' in parsed ? silentAnswer : withoutIgnoredVerdict(ofText(text, ended.exitCode), rule);
};

/** Drops denials and stops at events that cannot block. */
export const withoutIgnoredVerdict = (answer: Answer, { blocks }: Pick<AnswerContext, 'rule'>['rule']): Answer => {
  const { decision, stop, reason: _unread, ...rest } = answer.said ?? {};
  const isNo = decision === 'deny' || decision === 'ask' || stop !== undefined;
  return blocks || !isNo ? answer : said(rest, ...answer.swallowed, 'a decision has no effect on this event');
};

export const geminiBlockIn = (document: JsonObject, event: string): string | undefined => {
  const specific = specificOutputOf(document);
  const words = [document.decision, document.permissionDecision, specific.permissionDecision, specific.decision];
  const stops = document.continue === false && event !== 'AfterAgent';
  if (!stops && !words.some((word) => word === 'deny' || word === 'block')) return undefined;
  return firstNonBlank(document.reason, specific.permissionDecisionReason, document.stopReason) ?? 'the hook denies';
};

/** A failed tool has a result as well. */
const withError = ({ error, ...fields }: JsonObject): JsonObject =>
  error === undefined
    ? fields
    : { ...fields, tool_response: { llmContent: error, returnDisplay: error, error: { message: error } } };

/** Gemini's stdin is our input without the members that only we send. */
export const geminiStdin = ({ event, input, tool }: Call): JsonObject => {
  const { trigger, ...fields } = input;
  const kept = event === 'PreCompress' ? { ...fields, trigger } : event === 'AfterTool' ? withError(fields) : fields;
  return {
    ...kept,
    hook_event_name: event,
    ...(tool === undefined ? {} : { tool_name: tool.name, tool_input: tool.input }),
  };
};

const lastWins = mergeByAgentRule({ decision: 'last', reasons: 'last', contexts: 'last', messages: 'last' });
const anyDeny = mergeByAgentRule({ decision: 'strictest', reasons: 'join' });

/** Events on which the last answer replaces all others, including denials. */
const replacing: readonly string[] = ['BeforeModel', 'AfterModel', 'SessionEnd', 'PreCompress', 'Notification'];

type NamesOf = (lists: readonly (readonly string[] | undefined)[]) => readonly string[] | undefined;

const allNames: NamesOf = (lists) => [...new Set(lists.flatMap((list) => list ?? []))].sort();

/** NONE beats ANY, and ANY beats AUTO; `namesOf` merges the lists of tools. */
const mergedSelection = (answers: readonly Answer[], namesOf: NamesOf): JsonObject | undefined => {
  const configs = answers.map(({ said }) => objectOf(said?.specific?.toolConfig)).filter((one) => one !== undefined);
  if (configs.length === 0) return undefined;
  const mode = ['NONE', 'ANY'].find((one) => configs.some((config) => config.mode === one)) ?? 'AUTO';
  const lists = configs.map(({ allowedFunctionNames: names }) =>
    Array.isArray(names) ? names.filter((name) => typeof name === 'string') : undefined,
  );
  const names = mode === 'NONE' ? [] : namesOf(lists);
  return { mode, ...(names === undefined ? {} : { allowedFunctionNames: names }) };
};

/** Gemini CLI and its forks differ only in how they merge lists of tools. */
export const geminiMergeBy =
  (namesOf: NamesOf): AgentRules['merge'] =>
  (answers, { event }) => {
    if (replacing.includes(event)) return lastWins(answers);
    const merged = anyDeny(answers);
    const toolConfig = event === 'BeforeToolSelection' ? mergedSelection(answers, namesOf) : undefined;
    if (toolConfig === undefined) return merged;
    return { ...merged, said: { ...merged.said, specific: { ...merged.said?.specific, toolConfig } } };
  };

const switchedOff = ({ extensions }: JsonObject): Readonly<Record<string, boolean>> => {
  const { disabled } = objectOf(extensions) ?? {};
  return Object.fromEntries((Array.isArray(disabled) ? disabled : []).map((name) => [String(name), false]));
};

export const extensionsIn = (
  folder: string,
  own: Pick<PluginRule, 'manifests' | 'hooks' | 'readsManifest'> & Partial<PluginRule>,
): PluginRule => ({
  noun: 'extension',
  folders: ['{home}', '{project}'].map((at) => ({ path: `${at}/${folder}/extensions/*`, parts: ['name'] })),
  wishes: switchedOff,
  isOnByDefault: true,
  enablement: `{home}/${folder}/extensions/extension-enablement.json`,
  variables: ({ root, projectDir }) => ({ extensionPath: root, workspacePath: projectDir }),
  placeholders: () => ({ '${/}': sep, '${pathSeparator}': sep }),
  ...own,
});

/** The format of its files, which its forks share. */
export const geminiFormat = {
  events: () => geminiEvents,
  handlerKeys: ['type', 'command', 'name', 'description', 'timeout', 'env'],
  readHandler: readGeminiHandler,
  matcher: () => geminiMatcher,
};

const documentOf = ({
  decision,
  reason,
  stop,
  context,
  message,
  suppressOutput,
  toolInput,
  specific,
}: Said): JsonObject => {
  const inner = withoutUndefined({ ...specific, additionalContext: context, tool_input: toolInput });
  return withoutUndefined({
    decision,
    reason: decision === 'deny' ? (reason ?? NO_REASON) : reason,
    ...(stop === undefined ? {} : withoutUndefined({ continue: false, stopReason: stop.reason || undefined })),
    systemMessage: message,
    suppressOutput,
    hookSpecificOutput: undefinedIfEmpty(inner),
  });
};

/** Gemini's format of answers is the same as ours. */
export const writeGemini =
  (asks: boolean): HostRule['write'] =>
  (wanted: Said, { rule }: HostAgentEvent): Written => {
    const cannotAsk = wanted.decision === 'ask' && !asks;
    const said: Said = cannotAsk
      ? {
          ...wanted,
          decision: 'deny',
          reason: `a person has to be asked, and hooks cannot: ${wanted.reason ?? NO_REASON}`,
        }
      : wanted;
    const stdout = documentOf(said);
    const isBlocked = said.decision === 'deny' && rule.blocks;
    return {
      ...(undefinedIfEmpty(stdout) && { stdout }),
      ...(isBlocked ? { stderr: said.reason ?? NO_REASON, exitCode: 2 } : { exitCode: 0 }),
    };
  };

export const geminiHost: HostRule = {
  knownBy: { signs: [['hook_event_name']], variable: 'GEMINI_CLI' },
  eventOf: namedEvent,
  read: readSharedMembers,
  write: writeGemini(true),
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
    systemFile(
      '{GEMINI_CLI_SYSTEM_SETTINGS_PATH|/etc/gemini-cli/settings.json}',
      '{GEMINI_CLI_SYSTEM_SETTINGS_PATH|/Library/Application Support/GeminiCli/settings.json}',
      '{GEMINI_CLI_SYSTEM_SETTINGS_PATH|C:\\ProgramData\\gemini-cli\\settings.json}',
    ),
  ],
  forms: {
    settings: {
      syntax: 'jsonc',
      events: { below: 'hooks' },
      nesting: 'groups',
      notEvents: ['enabled', 'disabled', 'notifications'],
    },
  },
  plugins: extensionsIn('.gemini', {
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
  stdin: geminiStdin,
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
  readAnswer,
  blockIn: geminiBlockIn,
  merge: geminiMergeBy(allNames),
  isOurs: true,
  host: geminiHost,
  grantsNothing: () => true,
  order: 'as-asked',
  sameAs: ({ name, command = '' }) => (name === undefined ? command : `${name}:${command}`),
  isOff: ({ hooksConfig }) => (objectOf(hooksConfig)?.enabled === false ? 'hooksConfig.enabled' : undefined),
  switches: (files) => {
    const said = firstSwitchValue(files, ({ hooksConfig }) => booleanOrUndefined(objectOf(hooksConfig)?.enabled));
    return () => (said?.value === false ? `hooksConfig.enabled in ${said.path}` : undefined);
  },
  refine: disableListedHooks,
  remarks: ['A missing script denies, as does every exit code except 0 and 1 with any output.'],
};
