// The fields of a hook in settings: schemas, types, and how an entry is read and reported.
import * as z from 'zod/mini';
import {
  describeValue,
  isRecord,
  isTypingMistake,
  MAX_TIMER_MS,
  omitUndefined,
  once,
  shorten,
} from '../../kit/index.ts';
import type { NoticeCode } from '../fault-and-notice-codes.ts';
import { toGuardSchema } from '../notices.ts';
import { explainInvalidCondition, listConditionTexts, suggestCondition } from './call-pattern.ts';
import { suggestKey, suggestPattern, suggestValue } from './suggestions.ts';

/** Sources of hooks, in the order in which hooks run. */
export const ConfigSource = {
  Runtime: 'runtime',
  Project: 'project',
  User: 'user',
  System: 'system',
  Extensions: 'extensions',
} as const;
export type ConfigSource = (typeof ConfigSource)[keyof typeof ConfigSource];

export const configSources: readonly ConfigSource[] = Object.values(ConfigSource);

export const HookType = {
  Command: 'command',
  Runtime: 'runtime',
  Plugin: 'plugin',
  Worker: 'worker',
  Http: 'http',
  Rule: 'rule',
  Prompt: 'prompt',
  Mcp: 'mcp',
} as const;
export type HookType = (typeof HookType)[keyof typeof HookType];

export const onFaultPolicies = ['allow', 'deny', 'ask'] as const;
export type OnFault = (typeof onFaultPolicies)[number];

const ruleVerdicts = ['deny', 'ask'] as const;

export const DEFAULT_TIMEOUT_MS = 60_000;
export const MAX_TIMEOUT_MS = MAX_TIMER_MS;
/** Limits the texts for the model from all hooks of an event together. */
export const DEFAULT_MODEL_TEXT_BYTES = 65_536;
const MIN_PLAUSIBLE_TIMEOUT_MS = 1_000;

export interface HookActionContext {
  readonly signal: AbortSignal;
  /** Shared by all hooks with this name, or by all runs of this function, until the session ends. */
  readonly state: Map<string, unknown>;
}

export type HookAction = (input: never, context: HookActionContext) => unknown;

const isAction = (value: unknown): value is HookAction => typeof value === 'function';

/** A call that a guard must deny, with which the engine tests the guard. */
export interface CanaryCall {
  readonly tool_name: string;
  readonly tool_input: Readonly<Record<string, unknown>>;
}

export const listCanaryCalls = (canary: CanaryCall | readonly CanaryCall[] = []): readonly CanaryCall[] =>
  'tool_name' in canary ? [canary] : canary;

const canaryCallSchema = () =>
  z.strictObject({ tool_name: nonBlankTextSchema(), tool_input: z.record(z.string(), z.unknown()) });

const nonBlankTextSchema = () => z.string().check(z.regex(/\S/));
const textWithoutNulSchema = () => z.string().check(z.regex(/^[^\0]*$/));
/** A name such as `PATH=./bin:` would set another variable. */
const variableNameSchema = () => z.string().check(z.regex(/^[^\0=]+$/));
/** Only the user's own settings may use prefixes with `*`. */
const secretNameSchema = () => z.string().check(z.regex(/^[^\0=*]+$/));

const expectationBySchema = new Map<z.ZodMiniType, string>();

const withExpectation = <Schema extends z.ZodMiniType>(schema: Schema, expected: string): Schema => {
  expectationBySchema.set(schema, expected);
  return schema;
};

export const hookFields = once(() => ({
  type: withExpectation(z.enum(HookType), `one of ${ownTypes.join(', ')}`),
  name: withExpectation(nonBlankTextSchema(), 'a non-empty string'),
  description: withExpectation(z.string(), 'a string'),
  statusMessage: withExpectation(z.string(), 'a string'),
  if: withExpectation(
    z.union([nonBlankTextSchema(), z.array(nonBlankTextSchema())]),
    'a pattern of calls, e.g. "Bash(git push *)", or a list of them',
  ),
  verdict: withExpectation(z.enum(ruleVerdicts), `one of ${ruleVerdicts.join(', ')}`),
  reason: withExpectation(nonBlankTextSchema(), 'a non-empty string'),
  command: withExpectation(nonBlankTextSchema(), 'a command line, e.g. "./check.sh"'),
  args: withExpectation(z.array(z.string()), 'an array of strings'),
  shell: withExpectation(nonBlankTextSchema(), 'the name of a shell, e.g. "bash"'),
  action: withExpectation(toGuardSchema(isAction), 'a function'),
  prompt: withExpectation(nonBlankTextSchema(), 'a text, in which $ARGUMENTS stands for the event'),
  server: withExpectation(nonBlankTextSchema(), 'the name of an MCP server'),
  tool: withExpectation(nonBlankTextSchema(), 'the name of a tool of that server'),
  input: withExpectation(z.record(z.string(), z.unknown()), 'an object of arguments'),
  url: withExpectation(nonBlankTextSchema(), 'a URL'),
  headers: withExpectation(z.record(z.string(), z.string()), 'an object of strings'),
  allowedEnvVars: withExpectation(z.array(z.string()), 'an array of variable names'),
  secrets: withExpectation(z.array(secretNameSchema()), 'an array of variable names'),
  timeout: withExpectation(z.number(), 'milliseconds'),
  env: withExpectation(
    z.record(variableNameSchema(), textWithoutNulSchema()),
    'an object of strings, whose names have no "="',
  ),
  cwd: withExpectation(nonBlankTextSchema(), 'a directory'),
  onFault: withExpectation(z.enum(onFaultPolicies), `one of ${onFaultPolicies.join(', ')}`),
  leaveBackground: withExpectation(z.boolean(), 'true or false'),
  recheck: withExpectation(z.boolean(), 'true or false'),
  warm: withExpectation(z.boolean(), 'true or false'),
  watch: withExpectation(z.array(nonBlankTextSchema()), 'an array of paths'),
  advisory: withExpectation(z.boolean(), 'true or false'),
  canary: withExpectation(
    z.union([canaryCallSchema(), z.array(canaryCallSchema()).check(z.minLength(1))]),
    'a call, e.g. {"tool_name": "Bash", "tool_input": {"command": "rm -rf /"}}, or a list of them',
  ),
  agent: withExpectation(nonBlankTextSchema(), 'the name of an agent, e.g. "claude-code"'),
  agentVersion: withExpectation(nonBlankTextSchema(), 'a version, e.g. "2.1.296"'),
  agentEvent: withExpectation(nonBlankTextSchema(), 'an event of the agent, e.g. "beforeShellExecution"'),
  background: withExpectation(z.boolean(), 'true or false'),
  maxStops: withExpectation(z.nullable(z.number().check(z.nonnegative())), 'a number from 0 on, or null for no limit'),
}));

type HookFields = ReturnType<typeof hookFields>;

/** A built-in hook type, or one for which the host has a lane in `deps.lanes`. */
export type AnyHookType = HookType | (string & {});

export type HookConfig = {
  readonly [Key in keyof HookFields]?: (Key extends 'type' ? AnyHookType : z.infer<HookFields[Key]>) | undefined;
};

const ownTypes: readonly string[] = Object.values(HookType);

const codeOnlyTypes: readonly string[] = [HookType.Runtime, HookType.Plugin];

export const listHookTypes = (lanes: object = {}): readonly string[] => [
  ...new Set([...ownTypes, ...Object.keys(lanes)]),
];

/** Other agents write `async`; `timeoutMs` is an older name. */
const fieldAliases: Readonly<Record<string, keyof HookFields>> = { async: 'background', timeoutMs: 'timeout' };

export type HookTimeout = number | `${number}${'ms' | 's' | 'm' | 'h'}`;

/** A hook as written in code, where times may have a unit. */
export type WrittenHook = Omit<HookConfig, 'timeout'> & {
  readonly timeout?: HookTimeout | undefined;
  /** @deprecated Write `timeout`. */
  readonly timeoutMs?: number | undefined;
  readonly async?: boolean | undefined;
};

export const fieldNames = once((): readonly string[] => Object.keys(hookFields()));

/** A mistake in the settings; an `error` if a guard cannot run because of it. */
export interface ConfigProblem {
  readonly code: NoticeCode;
  readonly severity: 'error' | 'warning';
  /** The entry was left out. */
  readonly skipped: boolean;
  /** Path in the settings, such as `hooks.BeforeTool[0].hooks[1].timeout`. */
  readonly path: string;
  readonly source: ConfigSource;
  readonly message: string;
  readonly expected?: string;
  readonly found?: string;
  readonly hint?: string;
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
}

export type SettingsFinding = Omit<ConfigProblem, 'source' | 'severity'>;
export type FindingReporter = (finding: SettingsFinding) => void;

export const reportMismatch = (
  report: FindingReporter,
  path: string,
  expected: string,
  value: unknown,
  hint?: string,
): void => {
  const found = describeValue(value);
  const message = `${path} must be ${expected}, found ${found}${hint === undefined ? '' : `; ${hint}`}`;
  report(omitUndefined({ code: 'invalid-value', skipped: true, path, message, expected, found, hint }));
};

/** `skipped`: the whole entry is left out because of the key. */
export const reportUnknownKey = (
  report: FindingReporter,
  path: string,
  key: string,
  known: readonly string[],
  skipped = false,
): void => {
  const hint = suggestKey(key, known);
  const message = `${path} has the unknown key "${key}"; ${hint}`;
  report({ code: 'unknown-key', skipped, path: `${path}.${key}`, message, hint });
};

const millisecondsByUnit: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

export const parseDuration = (text: string): number | undefined => {
  const [, amount, unit] = /^\s*(\d+(?:\.\d+)?)\s*(ms|s|m|h)\s*$/i.exec(text) ?? [];
  const factor = millisecondsByUnit[unit?.toLowerCase() ?? ''];
  return factor === undefined ? undefined : Math.round(Number(amount) * factor);
};

export const toMilliseconds = (time: unknown): unknown =>
  typeof time === 'string' ? (parseDuration(time) ?? time) : time;

const correctTimeout = (timeout: number): number => (timeout < MIN_PLAUSIBLE_TIMEOUT_MS ? timeout * 1_000 : timeout);

const suggestTimeout = (value: unknown): string => {
  const text = typeof value === 'string' ? value.replace(/([smh])(?:ec|econd|in|inute|r|our)s?\b/i, '$1') : '';
  const meant = parseDuration(text) ?? (/^\s*\d+\s*$/.test(text) ? correctTimeout(Number(text)) : undefined);
  return meant === undefined || meant === 0 ? TIMEOUT_EXAMPLE : `write ${meant}`;
};

const TIMEOUT_EXAMPLE = 'write a number of milliseconds, such as 5000';

const readTimeout = (report: FindingReporter, path: string, timeout: number, hasUnit: boolean): number => {
  const tell = (message: string, more: Partial<SettingsFinding>): void =>
    report({ code: 'invalid-value', skipped: false, path, message, ...more });
  const found = String(timeout);
  if (Number.isNaN(timeout) || timeout <= 0) {
    const message = `${path} must be more than 0 milliseconds, found ${timeout}; the default of ${DEFAULT_TIMEOUT_MS} is used`;
    tell(message, { expected: 'more than 0 milliseconds', found, hint: TIMEOUT_EXAMPLE });
    return DEFAULT_TIMEOUT_MS;
  }
  if (timeout > MAX_TIMEOUT_MS) {
    const message = `${path} is longer than a timer allows (${timeout}); ${MAX_TIMEOUT_MS} is used`;
    tell(message, { expected: `at most ${MAX_TIMEOUT_MS}`, found });
    return MAX_TIMEOUT_MS;
  }
  if (timeout < MIN_PLAUSIBLE_TIMEOUT_MS && !hasUnit) {
    const hint = `timeouts are milliseconds; for seconds write ${timeout * 1_000}`;
    tell(`${path} is only ${timeout} milliseconds; ${hint}`, { hint });
  }
  return timeout;
};

const agentFields: readonly (keyof HookFields)[] = ['agentVersion', 'agentEvent'];

const requiredFields = new Map<unknown, readonly (keyof HookFields)[]>([
  [HookType.Rule, ['verdict']],
  [HookType.Command, ['command']],
  [HookType.Worker, ['command']],
  [HookType.Http, ['url']],
  [HookType.Prompt, ['prompt']],
  [HookType.Mcp, ['server', 'tool']],
]);

const suggestMissingType = (
  { type }: Readonly<Record<string, unknown>>,
  read: Readonly<Record<string, unknown>>,
): string | undefined => {
  if (type !== undefined) return undefined;
  const meant = [...requiredFields].find(([, fields]) => fields.every((field) => read[field] !== undefined))?.[0];
  const name = read.action === undefined ? meant : HookType.Runtime;
  return name === undefined ? undefined : `add "type": "${name}"`;
};

const hookSchema = once(() => z.extend(z.partial(z.object(hookFields())), { type: z.optional(z.string()) }));

const isHookConfig = (value: unknown): value is HookConfig => hookSchema().safeParse(value).success;

const resolveFieldName = (written: string, entry: Readonly<Record<string, unknown>>): string => {
  const field = Object.hasOwn(fieldAliases, written) ? fieldAliases[written] : undefined;
  return field === undefined || entry[field] !== undefined ? written : field;
};

const createRenamedFinding = (path: string, from: string, to: string): SettingsFinding => {
  const hint = `write ${to}; a later release does not read ${from}`;
  return { code: 'renamed', skipped: false, path: `${path}.${from}`, message: `${path}.${from} is ${to} now`, hint };
};

interface ReadHookOptions {
  readonly types?: readonly string[] | undefined;
  readonly isFile?: boolean;
  readonly hasTimeUnit?: boolean;
}

export const readHookConfig = (
  value: unknown,
  path: string,
  report: FindingReporter,
  { types = ownTypes, isFile = false, hasTimeUnit = false }: ReadHookOptions = {},
): HookConfig | undefined => {
  if (!isRecord(value)) {
    reportMismatch(report, path, 'a hook, e.g. {"type": "command", "command": "./check.sh"}', value);
    return undefined;
  }
  const fields: Readonly<Record<string, z.ZodMiniType>> = hookFields();
  const isRule = value.verdict !== undefined && value.command === undefined && value.url === undefined;
  const read: Record<string, unknown> = { type: isRule ? HookType.Rule : HookType.Command };
  let usable = true;
  // A host's implementation of a hook type may read further keys.
  const knowsType = value.type === undefined || types.some((type) => type === value.type);
  for (const written of Object.keys(value)) {
    const key = resolveFieldName(written, value);
    // For files, the caller has already converted units.
    const found = key === 'timeout' && !isFile ? toMilliseconds(value[written]) : value[written];
    if (key === 'timeout' && written !== key) report(createRenamedFinding(path, written, key));
    const schema = Object.hasOwn(fields, key) ? fields[key] : undefined;
    if (schema === undefined) {
      const isGuardKey = isMisspeltGuardKey(key) && (isGuardEntry(value) || hasMisspeltOnFault(value));
      if (knowsType) reportUnknownKey(report, path, key, fieldNames(), isGuardKey);
      if (knowsType && isGuardKey) usable = false;
    } else if (found !== undefined && key === 'timeout' && typeof found === 'number') {
      read[key] = readTimeout(report, `${path}.timeout`, found, hasTimeUnit || found !== value[written]);
    } else if (found !== undefined && key === 'if') {
      // An `if` of a hook of another agent follows that agent's grammar, so it is not parsed here.
      read[key] = value.agent === undefined ? readCondition(report, path, found, isGuardEntry(value)) : found;
    } else if (found !== undefined && key === 'type') {
      if (types.some((type) => type === found)) read[key] = found;
      else {
        const offered = isFile ? types.filter((type) => !codeOnlyTypes.includes(type)) : types;
        reportMismatch(report, `${path}.type`, `one of ${offered.join(', ')}`, found, suggestType(offered, found));
        usable = false;
      }
    } else if (found !== undefined && key === 'canary' && !schema.safeParse(found).success) {
      // A mistake in `canary` must not disable the guard that it tests.
      const message = `${path}.canary must be ${expectationBySchema.get(schema)}, found ${describeValue(found)}; it is not run`;
      report({ code: 'invalid-value', skipped: false, path: `${path}.canary`, message });
    } else if (found !== undefined && !schema.safeParse(found).success) {
      const hint = suggestFieldValue(key, found);
      reportMismatch(report, `${path}.${written}`, expectationBySchema.get(schema) ?? 'something else', found, hint);
      usable = false;
    } else if (found !== undefined) {
      read[key] = found;
    }
  }
  const missing = requiredFields.get(read.type)?.find((key) => read[key] === undefined);
  if (usable && missing !== undefined) {
    const expected = expectationBySchema.get(hookFields()[missing]) ?? 'a value';
    reportMismatch(report, `${path}.${missing}`, expected, undefined, suggestMissingType(value, read));
    usable = false;
  }
  if (read.agent === undefined) {
    for (const key of agentFields.filter((key) => read[key] !== undefined)) {
      const message = `${path}.${key} counts only for a hook of another agent; name it with "agent", or remove ${key}`;
      report({ code: 'no-effect', skipped: false, path: `${path}.${key}`, message });
    }
  }
  if (usable && read.advisory === true && (read.onFault ?? 'allow') !== 'allow') {
    const hint = 'the verdict of an advisory hook does not count; remove one of the two';
    reportMismatch(report, `${path}.advisory`, `false where onFault is "${read.onFault}"`, true, hint);
    usable = false;
  }
  if (read.background === true && isGuardEntry(read)) {
    const message = `${path}.background has no effect: a guard is waited for, because its fault or verdict counts`;
    report({ code: 'no-effect', skipped: false, path: `${path}.background`, message, hint: 'remove background' });
    read.background = false;
  }
  // A rule whose matcher cannot be evaluated fails with the rule's own verdict.
  if (read.type === HookType.Rule) read.onFault ??= read.verdict;
  else if (read.verdict !== undefined) {
    const message = `${path}.verdict is for hooks of type "rule"; a ${String(read.type)} hook answers by itself`;
    report({ code: 'no-effect', skipped: false, path: `${path}.verdict`, message });
  }
  return usable && isHookConfig(read) ? read : undefined;
};

/** A guard denies or asks if it fails. */
export const isGuard = ({ onFault }: Pick<HookConfig, 'onFault'>): boolean => (onFault ?? 'allow') !== 'allow';

/** Accepts an invalid `onFault` too: a mistake must not turn a guard into an ordinary hook. */
export const isGuardEntry = ({ onFault, verdict }: Readonly<Record<string, unknown>>): boolean =>
  (onFault !== undefined && onFault !== 'allow') || verdict !== undefined;

/** In names of two letters only the case may differ: too many words differ from `if` by one letter. */
const isMisspelt = (key: string, known: string): boolean =>
  key !== known && (key.toLowerCase() === known.toLowerCase() || (known.length > 2 && isTypingMistake(key, known)));

/** A typo in one of these keys would make a guard harmless, or let it decide about other calls. */
const guardKeys = ['onFault', 'timeout', 'if', 'matcher'] as const;

const isMisspeltGuardKey = (key: string): boolean => guardKeys.some((known) => isMisspelt(key, known));

/** For places outside a hook, where these keys have no effect however they are spelt. */
export const isGuardKey = (key: string): boolean => ['verdict', ...guardKeys].includes(key) || isMisspeltGuardKey(key);

export const hasMisspeltOnFault = (entry: Readonly<Record<string, unknown>>): boolean =>
  Object.keys(entry).some((key) => isMisspelt(key, 'onFault') && entry[key] !== 'allow');

const MATCHER_HINT = 'write a valid regular expression; put a backslash before a character to take it literally';

export const suggestMatcherFix = (matcher: string): string => suggestPattern(matcher) ?? MATCHER_HINT;

export const describeUnreadMatcher = (matcher: string, problem: string, isGuard: boolean): string => {
  const effect = isGuard ? 'the guard runs for every call' : 'it is compared literally';
  return `the matcher "${matcher}" is not a valid regular expression (${problem}); ${effect}`;
};

/** Written in place of a condition that is no text. It is never a valid pattern. */
const UNREADABLE_PATTERN = '()';

/** An invalid `if` is kept: a guard then runs for every call, any other hook for none. */
const readCondition = (
  report: FindingReporter,
  path: string,
  found: unknown,
  isGuard: boolean,
): string | readonly string[] => {
  const unread = explainInvalidCondition(found);
  if (unread !== undefined) {
    const effect = isGuard ? 'the guard runs for every call' : 'the hook runs for no call';
    const hint = suggestCondition(found);
    const message = `${path}.if cannot be read, found ${shorten(unread, 100)}: ${effect}; ${hint}`;
    report({ code: 'invalid-condition', skipped: false, path: `${path}.if`, message, hint });
  }
  const texts: readonly unknown[] = Array.isArray(found) ? found : [found];
  const kept = texts.map((text) => (typeof text === 'string' && text.trim() !== '' ? text : UNREADABLE_PATTERN));
  return typeof found === 'string' ? (kept[0] ?? UNREADABLE_PATTERN) : kept;
};

/** Hook types in settings of other agents that only that agent can run, because they need its sub-agents or servers. */
const agentOnlyTypes: readonly unknown[] = ['agent', 'mcp_tool', 'mcp'];

const suggestType = (offered: readonly string[], found: unknown): string | undefined =>
  agentOnlyTypes.includes(found)
    ? 'only the agent that has this type can run it; write a command'
    : suggestValue(found, offered);

const suggestCommand = (found: unknown): string | undefined => {
  if (!Array.isArray(found)) return undefined;
  const [command, ...args] = found.map(String);
  const rest = args.length === 0 ? '' : `, "args": ${JSON.stringify(args)}`;
  return command === undefined ? undefined : `write "command": ${JSON.stringify(command)}${rest}`;
};

const suggestionByField: Readonly<Record<string, (found: unknown) => string | undefined>> = {
  timeout: suggestTimeout,
  onFault: (found) => suggestValue(found, onFaultPolicies),
  verdict: (found) => suggestValue(found, ruleVerdicts),
  command: suggestCommand,
};

const suggestFieldValue = (key: string, found: unknown): string | undefined =>
  Object.hasOwn(suggestionByField, key) ? suggestionByField[key]?.(found) : undefined;

export const definitionKeys: readonly string[] = ['matcher', 'sequential', 'hooks', 'description'];

export interface HookDefinition {
  readonly matcher?: string | undefined;
  readonly sequential?: boolean | undefined;
  readonly hooks: readonly WrittenHook[];
}

/** The `hooks` object of settings: event name → groups of hooks. */
export type HooksByEvent = { readonly [eventName: string]: readonly HookDefinition[] | undefined };

/** Returns the name by which a hook is switched off. Without a name it is the command, the URL or another field. */
export const getHookKey = (hook: HookConfig): string =>
  hook.name ??
  hook.command ??
  hook.url ??
  hook.prompt ??
  (hook.server === undefined ? undefined : `${hook.server}/${hook.tool ?? ''}`) ??
  (hook.if === undefined ? undefined : listConditionTexts(hook.if).join(', ') || undefined) ??
  (hook.action?.name || `unnamed ${hook.type ?? 'command'} hook`);
