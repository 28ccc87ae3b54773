// Rules of LLxprt Code (a fork of Gemini CLI): its hook files, the stdin of its hooks and their answers.
import { isRecord, textOf } from '../../kit/index.ts';
import {
  type Answer,
  createAnswer,
  createFailedAnswer,
  parseWrappedText,
  readNonBlank,
  readObject,
  readSpecificOutput,
} from '../answers/answer.ts';
import { disableListedHooks, findSwitchSetTo } from '../reading/switches.ts';
import type { JsonObject } from '../rule-types.ts';
import type { AgentRules, AnswerContext } from '../rules.ts';
import type { Vocabulary } from '../tools/vocabulary.ts';
import {
  createExtensionRule,
  createGeminiMerge,
  createGeminiStdin,
  createGeminiWriter,
  dropIgnoredVerdict,
  geminiFormat,
  geminiHost,
  readGeminiDocument,
  readHooksEnabled,
} from './gemini.ts';
import { isDenialWord } from './shared.ts';

const readAnswerDocument = (document: JsonObject, { event }: AnswerContext): Answer => {
  const own = readGeminiDocument(document);
  const { permissionDecision: word, permissionDecisionReason: why } = readSpecificOutput(document);
  const isDenied = event === 'BeforeTool' && isDenialWord(word);
  if (isDenied) return createAnswer({ ...own, decision: 'deny', reason: textOf(why) ?? own.reason });
  // On AfterAgent `stop` acts like `block`: the agent continues with the reason.
  if (event === 'AfterAgent' && own.stop !== undefined)
    return createAnswer({ ...own, decision: 'deny', stop: undefined });
  return own.decision === 'ask'
    ? createAnswer({ ...own, decision: undefined }, '"ask" does not exist there')
    : createAnswer(own);
};

const readLlxprtAnswer: AgentRules['readAnswer'] = (ended, context) => {
  if (ended.timedOut === true) return createFailedAnswer('the hook ran out of time');
  if (ended.notStarted !== undefined) return createFailedAnswer(ended.notStarted);
  const stderr = readNonBlank(ended.stderr);
  if (ended.exitCode === 2) {
    const reason = stderr ?? 'Hook exited with code 2 without an error message';
    return dropIgnoredVerdict(createAnswer({ decision: 'deny', reason }), context.rule);
  }
  if (ended.exitCode !== 0)
    return stderr === undefined
      ? createAnswer({})
      : createAnswer({ decision: 'allow', message: `Warning: ${stderr}`, isText: true });
  const text = readNonBlank(ended.stdout);
  if (text === undefined) return createAnswer({});
  const parsed = parseWrappedText(text);
  if (isRecord(parsed)) return dropIgnoredVerdict(readAnswerDocument(parsed, context), context.rule);
  return parsed === undefined ? createAnswer({ decision: 'allow', message: text, isText: true }) : createAnswer({});
};

const llxprtTools: Vocabulary = {
  tools: [
    { kind: 'shell', names: ['run_shell_command'], args: { command: 'command', cwd: 'dir_path' } },
    { kind: 'read', names: ['read_file'], args: { path: 'absolute_path', offset: 'offset', limit: 'limit' } },
    { kind: 'write', names: ['write_file'], args: { path: 'file_path', content: 'content' } },
    { kind: 'edit', names: ['replace'], args: { path: 'file_path', before: 'old_string', after: 'new_string' } },
    { kind: 'glob', names: ['glob'], args: { pattern: 'pattern', path: 'dir_path' } },
    { kind: 'grep', names: ['search_file_content'], args: { pattern: 'pattern', path: 'dir_path', glob: 'include' } },
    { kind: 'list', names: ['list_directory'], args: { path: 'dir_path' } },
    { kind: 'search', names: ['exa_web_search'], args: { query: 'query' } },
    { kind: 'agent', names: ['task'], args: { prompt: 'prompt' } },
    { kind: 'todo', names: ['todo_write'], args: {} },
  ],
  mcp: 'mcp_{server}_{tool}',
};

const intersectNames: Parameters<typeof createGeminiMerge>[0] = (lists) => {
  const [first, ...more] = lists.filter((list) => list !== undefined);
  return first?.filter((name) => more.every((list) => list.includes(name)));
};

const findOffSwitch = (root: JsonObject): string | undefined => {
  if (readToolSwitch(root) === false) return 'tools.enableHooks';
  return readHooksEnabled(root) === true ? undefined : NOT_ENABLED_NOTE;
};

const NOT_ENABLED_NOTE = 'hooksConfig.enabled is not true';

const readToolSwitch = ({ tools }: JsonObject): unknown => readObject(tools)?.enableHooks;

export const llxprt: AgentRules = {
  name: 'llxprt',
  title: 'LLxprt Code',
  latest: '0.9',
  oldest: '0.9',
  versions: [],
  files: [
    { scope: 'project', path: '{project}/.llxprt/settings.json' },
    { scope: 'user', path: '{LLXPRT_CONFIG_HOME|{home}/.config/llxprt-code}/settings.json' },
  ],
  plugins: createExtensionRule('.llxprt', {
    manifests: ['llxprt-extension.json', 'gemini-extension.json'],
    hooks: [],
    readsManifest: true,
  }),
  writes: {
    path: '{project}/.llxprt/settings.json',
    line: 'command',
    projectDir: '$LLXPRT_PROJECT_DIR',
    timeout: { key: 'timeout', ms: 1 },
    type: true,
  },
  ...geminiFormat,
  tools: llxprtTools,
  stdin: (call) => {
    const { original_request_name: _unread, mcp_context: mcp, ...input } = createGeminiStdin(call);
    const { server_name, url } = readObject(mcp) ?? {};
    const server = mcp === undefined ? {} : { mcp_context: { server_name, server_uri: url } };
    return { ...input, ...server, ...(call.event === 'AfterAgent' ? { stop_hook_active: false } : {}) };
  },
  process: {
    shell: 'bash',
    cwd: 'session',
    environment: ({ cwd }) => ({ LLXPRT_PROJECT_DIR: cwd }),
    filledIn: () => ['LLXPRT_PROJECT_DIR'],
  },
  readAnswer: readLlxprtAnswer,
  merge: createGeminiMerge(intersectNames),
  host: {
    ...geminiHost,
    knownBy: { signs: [['hook_event_name']], variable: 'LLXPRT_PROJECT_DIR' },
    write: createGeminiWriter(false),
  },
  isOff: findOffSwitch,
  switches: (files) => {
    const isEnabled = findSwitchSetTo(true, 'hooksConfig.enabled', files, readHooksEnabled) !== undefined;
    const off =
      findSwitchSetTo(false, 'tools.enableHooks', files, readToolSwitch) ?? (isEnabled ? undefined : NOT_ENABLED_NOTE);
    return () => off;
  },
  refine: (files) => {
    const disableIfListed = disableListedHooks(files);
    const ofProject = files.find(({ scope, root }) => scope === 'project' && readObject(root.hooks) !== undefined);
    const replacedEvents = Object.keys(readObject(ofProject?.root.hooks) ?? {});
    return (entry) => {
      const isReplaced = entry.scope === 'user' && entry.plugin === undefined && replacedEvents.includes(entry.event);
      return isReplaced
        ? { ...entry, off: `${entry.event} in ${ofProject?.path}, which takes the place of the user's` }
        : disableIfListed(entry);
    };
  },
  remarks: [
    'Hooks are off in LLxprt Code unless hooksConfig.enabled is true.',
    '"continue": false after an answer makes the agent continue, as a block does.',
  ],
};
