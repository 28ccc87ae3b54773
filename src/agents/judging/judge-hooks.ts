// Judges an agent's hooks: which of them the agent runs, and why not the others.
import { dirname, resolve } from 'node:path';
import { isLikelySecret, type SkipReason } from '../../protocol/index.ts';
import { findOurEvent } from '../agent-events.ts';
import { InterpretedHook } from '../agent-hook.ts';
import type { AgentMatcher, MatcherKind } from '../agent-matcher.ts';
import { findFirstVersionWith, listKnownVersions } from '../agent-version.ts';
import { findAgentFiles, readNamedAgentFiles, type SearchLocations } from '../find-agent-files.ts';
import type { Handler } from '../reading/handler.ts';
import {
  type AgentFileText,
  type DialectEntry,
  type DialectProblem,
  type DialectReading,
  readAgentFiles,
} from '../reading/read-file.ts';
import type { JsonObject } from '../rule-types.ts';
import type { AgentRules, DialectMode } from '../rules.ts';

export interface AgentHookReport {
  readonly id: string;
  readonly name: string;
  /** The agent's name for the event; `moment` is the event of hookwright that it maps to. */
  readonly event: string;
  readonly moment?: string | undefined;
  readonly entry: DialectEntry;
  readonly config?: JsonObject | undefined;
  readonly matcher: MatcherJudgement;
  readonly runs: boolean;
  readonly reasons: readonly JudgedReason[];
  readonly notes: readonly string[];
  /** Why hookwright cannot run a hook that its agent runs. */
  readonly onlyThere?: string | undefined;
  /** First version that treats the hook like this; absent if all versions do. */
  readonly since?: string | undefined;
}

export interface HookJudgement {
  readonly agent: string;
  readonly title: string;
  readonly version: string;
  readonly files: readonly AgentFileText[];
  readonly hooks: readonly AgentHookReport[];
  readonly problems: readonly DialectProblem[];
}

export interface JudgeOptions {
  readonly version?: string | undefined;
  /** Limits the judgement to an event, by the agent's name or ours. */
  readonly event?: string | undefined;
  readonly about?: JudgedCall | undefined;
  readonly files?: readonly string[] | undefined;
}

export const judgeAgentHooks = async (
  dialect: AgentRules,
  place: SearchLocations,
  { version = dialect.latest, event, about = {}, files: named }: JudgeOptions = {},
): Promise<HookJudgement> => {
  const found =
    named === undefined ? await findAgentFiles(dialect, place, version) : readNamedAgentFiles(dialect, named);
  const { files } = found;
  const { platform } = place;
  const seenAt = (at: string): InspectedHook[] => inspectHooks(dialect, files, place, at, event, about);
  const seen = seenAt(version);
  const history = new Map(listKnownVersions(dialect, version).map((at) => [at, seenAt(at)]));
  const ids = createHookIds(seen);
  const hooks = seen.map((one, index): AgentHookReport => {
    const { entry, reasons, matcher } = one;
    const signatureAt = (at: string): string | undefined => {
      const then = history.get(at)?.find(({ entry: other }) => other.file === entry.file && other.path === entry.path);
      return then === undefined ? undefined : createSignature(then);
    };
    return {
      id: ids[index] ?? '',
      name: nameHook(entry),
      event: entry.event,
      moment: entry.rule?.moment,
      entry,
      config: entry.handler && toHookConfig(entry, entry.handler, { dialect, mode: 'faithful' }, place),
      matcher,
      runs: reasons.length === 0,
      reasons,
      notes: entry.notes,
      onlyThere: explainOnlyInAgent(entry, dialect.title),
      since: findFirstVersionWith([...history.keys()], signatureAt, createSignature(one)),
    };
  });
  const problems = readAgentFiles(dialect, files, { version, platform })
    .flatMap(({ reading }) => reading.problems)
    .filter(({ onlyHere }) => onlyHere !== true);
  const { name: agent, title } = dialect;
  return { agent, title, version, files, hooks, problems: [...found.problems, ...problems] };
};

const nameHook = ({ handler, written }: DialectEntry): string => {
  const { type, prompt, url, command } = written;
  const name = [handler?.name, handler?.command, handler?.url, command, prompt, url].find(
    (text): text is string => typeof text === 'string' && text !== '',
  );
  return name ?? `a handler${typeof type === 'string' ? ` of type ${type}` : ''}`;
};

interface InspectedHook {
  readonly entry: DialectEntry;
  readonly hook: InterpretedHook | undefined;
  readonly reasons: readonly JudgedReason[];
  readonly matcher: MatcherJudgement;
}

const inspectHooks = (
  dialect: AgentRules,
  files: readonly AgentFileText[],
  { projectDir, platform }: SearchLocations,
  version: string,
  event: string | undefined,
  about: JudgedCall,
): InspectedHook[] => {
  const seen = readAgentFiles(dialect, files, { version, platform }).flatMap(({ reading }) => {
    const ofFile = judgeFile(reading, dialect);
    return reading.entries
      .filter((entry) => event === undefined || entry.event === event || entry.rule?.moment === event)
      .map((entry): InspectedHook => {
        const hook =
          entry.rule && new InterpretedHook(dialect, entry, entry.rule, { mode: 'faithful', version, projectDir });
        const matcher = judgeMatcher(entry, hook, about);
        return { entry, hook, matcher, reasons: [...ofFile, ...judgeEntry(entry, dialect, matcher)] };
      });
  });
  // Equal handlers are duplicates only for one call. If no call was given, their matchers may match different calls.
  return about.toolName === undefined && about.trigger === undefined ? seen : markDuplicates(seen);
};

const markDuplicates = (seen: readonly InspectedHook[]): InspectedHook[] => {
  const firsts = new Map<string, DialectEntry>();
  return seen.map((one) => {
    const { entry, reasons, hook } = one;
    if (entry.handler === undefined || reasons.length > 0 || hook?.sameAs === undefined) return one;
    const key = `${entry.event}\n${hook.sameAs}`;
    const first = firsts.get(key);
    if (first === undefined) {
      firsts.set(key, entry);
      return one;
    }
    const message = `the same stands before it, at ${first.file}:${first.line}, and runs once`;
    return { ...one, reasons: [{ code: 'duplicate', message, isMistake: false }] };
  });
};

const createHookIds = (seen: readonly InspectedHook[]): string[] => {
  const counts = new Map<string, number>();
  return seen.map(({ entry }) => {
    const id = `${entry.scope}:${entry.event}:${nameHook(entry)}`;
    const count = (counts.get(id) ?? 0) + 1;
    counts.set(id, count);
    return count === 1 ? id : `${id}:${count}`;
  });
};

const explainOnlyInAgent = ({ refusal, rule }: DialectEntry, title: string): string | undefined => {
  if (refusal?.onlyHere === true) return `${title} runs it, and hookwright cannot: ${refusal.message}`;
  return rule !== undefined && findOurEvent(rule) === undefined
    ? `${title} runs it, and hookwright cannot: there is no moment here like this event`
    : undefined;
};

/** Two versions of an agent treat a hook alike if the signatures are equal. */
const createSignature = ({ reasons, entry }: InspectedHook): string =>
  JSON.stringify([reasons.map(({ code }) => code), entry.handler?.timeoutMs, entry.handler?.failClosed === true]);

const resolveCwd = (
  dialect: AgentRules,
  { scope, file, plugin }: DialectEntry,
  place: SearchLocations,
): string | undefined => {
  const { cwd } = dialect.process;
  if (cwd === 'session') return undefined;
  if (cwd === 'home') return place.home;
  if (cwd === 'settings' && plugin !== undefined) return plugin.root;
  return cwd === 'settings' && scope !== 'project' ? dirname(file) : place.projectDir;
};

/** Windows has no login shell, so cmd is used. */
const selectShell = (
  dialect: AgentRules,
  handler: Handler,
  platform: SearchLocations['platform'],
): string | undefined => {
  const { shell } = dialect.process;
  if (handler.args !== undefined) return undefined;
  return handler.shell ?? (shell === 'login' && platform === 'win32' ? 'cmd' : shell);
};

/** Keeps placeholders of likely secrets in hooks of a project, which other people can write. */
const fillEnv = (
  { env }: Handler,
  { fillsEnv = false }: AgentRules['process'],
  { scope }: DialectEntry,
  place: SearchLocations,
): Readonly<Record<string, string>> | undefined => {
  if (env === undefined || !fillsEnv) return env;
  const fill = (text: string): string =>
    text.replaceAll(/\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))/g, (written, braced?: string, plain?: string) => {
      const name = braced ?? plain ?? '';
      const value = place.env[name];
      return value === undefined || (scope === 'project' && isLikelySecret(name, value)) ? written : value;
    });
  return Object.fromEntries(Object.entries(env).map(([name, value]) => [name, fill(value)]));
};

/** `isWord`: no shell reads the text, so its variables must be replaced too. */
export const fillInPluginPath = (
  text: string | undefined,
  { plugin }: DialectEntry,
  { plugins }: AgentRules,
  isWord = false,
): string | undefined => {
  if (text === undefined || plugin === undefined || plugins === undefined) return text;
  const variables = Object.entries(isWord ? plugins.variables(plugin) : {}).map(([name, value]) => [
    `\${${name}}`,
    value,
  ]);
  const all = [...Object.entries(plugins.placeholders?.(plugin) ?? {}), ...variables];
  return all.reduce((filled, [name = '', value = '']) => filled.replaceAll(name, () => value), text);
};

export const toHookConfig = (
  entry: DialectEntry,
  handler: Handler,
  { dialect, mode }: { readonly dialect: AgentRules; readonly mode: DialectMode },
  place: SearchLocations,
): JsonObject => {
  const config = {
    type: handler.type,
    name: handler.name,
    command: fillInPluginPath(handler.command, entry, dialect),
    args: handler.args?.map((word) => fillInPluginPath(word, entry, dialect, true) ?? word),
    shell: selectShell(dialect, handler, place.platform),
    cwd: handler.cwd === undefined ? resolveCwd(dialect, entry, place) : resolve(place.projectDir, handler.cwd),
    env: fillEnv(handler, dialect.process, entry, place),
    url: handler.url,
    prompt: handler.prompt,
    server: handler.server,
    tool: handler.tool,
    input: handler.input,
    headers: handler.headers,
    allowedEnvVars: handler.allowedEnvVars,
    timeout: handler.timeoutMs,
    statusMessage: handler.statusMessage,
    onFault: handler.failClosed === true && entry.rule?.blocks === true ? 'deny' : undefined,
    recheck: mode === 'faithful' ? false : undefined,
  };
  const ofProcess: readonly string[] = ['args', 'shell', 'cwd', 'env'];
  return Object.fromEntries(
    Object.entries(config).filter(
      ([key, value]) => value !== undefined && (handler.type === 'command' || !ofProcess.includes(key)),
    ),
  );
};

interface JudgedReason {
  readonly code: SkipReason;
  readonly message: string;
  readonly fix?: string | undefined;
  readonly isMistake: boolean;
}

export interface MatcherJudgement {
  readonly kind: MatcherKind;
  readonly text: string;
  readonly matches?: boolean | 'timeout';
  readonly problem?: string | undefined;
}

interface JudgedCall {
  readonly toolName?: string | undefined;
  readonly trigger?: string | undefined;
  readonly fields?: Readonly<Record<string, unknown>> | undefined;
}

const matcherDescriptions: Readonly<Record<MatcherKind, (matcher: string) => string>> = {
  everything: () => 'it matches everything',
  ignored: (matcher) => `${matcher}, which is ignored here: the hook runs whatever it says`,
  names: (matcher) => `${matcher}, read as whole names`,
  'names or pattern': (matcher) => `${matcher}, read as whole names, then as a pattern that is searched anywhere`,
  pattern: (matcher) => `${matcher}, read as a pattern that is searched anywhere`,
  whole: (matcher) => `${matcher}, read as a pattern for the whole`,
  equal: (matcher) => `${matcher}, compared as text with the whole`,
  none: (matcher) => `${matcher}, which never matches`,
};

const testMatcher = (
  hook: InterpretedHook | undefined,
  { toolName, trigger, fields }: JudgedCall,
): boolean | 'timeout' | undefined => {
  if (hook === undefined || (toolName === undefined && trigger === undefined)) return undefined;
  const planned = hook.matches({ toolName, trigger });
  if (planned !== true || fields === undefined) return planned;
  return hook.inputFor(toolName === undefined ? fields : { ...fields, tool_name: toolName }, '').matches;
};

const judgeMatcher = (
  { matcher, rule }: DialectEntry,
  hook: InterpretedHook | undefined,
  about: JudgedCall,
): MatcherJudgement => {
  const isIgnored = matcher !== undefined && rule !== undefined && rule.subject === undefined;
  const { kind, problem }: Pick<AgentMatcher, 'kind' | 'problem'> =
    hook === undefined || isIgnored ? { kind: isIgnored ? 'ignored' : 'everything' } : hook.matcher;
  const only = rule?.kinds === undefined ? '' : `; only calls of the kind ${rule.kinds.join(', ')}`;
  const how =
    matcher === undefined ? 'none: it matches everything' : matcherDescriptions[kind](JSON.stringify(matcher));
  const matches = testMatcher(hook, about);
  const subject = about.toolName ?? about.trigger;
  const fits =
    matches === undefined || subject === undefined || (matcher === undefined && only === '')
      ? ''
      : `; ${JSON.stringify(subject)} ${matches === true ? 'matches' : 'does not match'}`;
  const text = `${how}${only}${fits}${problem === undefined ? '' : ` (${problem})`}`;
  return { kind, problem, text, ...(matches === undefined ? {} : { matches }) };
};

const createMistake = (code: SkipReason, message: string, fix: string): JudgedReason[] => [
  { code, message, fix, isMistake: true },
];

const createReason = (code: SkipReason, message: string, fix?: string): JudgedReason[] => [
  { code, message, ...(fix === undefined ? {} : { fix }), isMistake: false },
];

const describeSilence = (title: string): string => ` (${title} says nothing about it)`;

const judgeFile = ({ void: why, off }: DialectReading, { title }: AgentRules): JudgedReason[] => [
  ...(why === undefined
    ? []
    : createMistake(
        'invalid-config',
        `the whole file counts for nothing: ${why}${describeSilence(title)}`,
        'put that right, and all hooks of the file are back',
      )),
  ...(off === undefined ? [] : createReason('hooks-disabled', `hooks are switched off: ${off}`, 'change that setting')),
];

const judgeEntry = (
  { rule, event, refusal, off }: DialectEntry,
  { title }: AgentRules,
  { kind, matches, problem, text }: MatcherJudgement,
): JudgedReason[] => {
  if (rule === undefined) {
    const message = `"${event}" is not an event of ${title}${describeSilence(title)}`;
    return createMistake('unknown-event', message, `use the name of an event of ${title}`);
  }
  if (refusal !== undefined && refusal.onlyHere !== true)
    return createMistake('invalid-config', `${refusal.message}${describeSilence(title)}`, refusal.fix);
  if (off !== undefined) return createReason('disabled', `it is switched off by ${off}`, `change ${off}`);
  if (kind === 'none') return createMistake('invalid-config', problem ?? text, 'write a valid regular expression');
  if (matches === undefined || matches === true) return [];
  return createReason('matcher-mismatch', `its matcher does not match: ${text}`);
};
