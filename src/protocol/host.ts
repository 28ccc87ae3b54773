// Interfaces that a host implements for the engine: configuration, extensions, logger, clock.
import { describeThrown, describeValue, formatSuggestion, type MaybePromise, toOneLine } from '../kit/index.ts';
import type { AgentHook } from './agent-hook.ts';
import type { RowSource } from './results/rows.ts';
import type { ConfigProblem, ConfigSource, HooksByEvent, OnFault } from './settings/settings.ts';

export interface HostExtension {
  readonly name: string;
  readonly isActive?: boolean;
  readonly hooks?: HooksByEvent | undefined;
}

/** `observe`: hooks run and are reported, but have no effect. */
export const hookModes = ['enforce', 'observe'] as const;
export type HookMode = (typeof hookModes)[number];

/** If parallel hooks change a field to different values, `last` keeps the later change and `deny` denies the action. */
export const conflictRules = ['last', 'deny'] as const;
export type ConflictRule = (typeof conflictRules)[number];

export const explainUnknownWord = (key: string, words: readonly string[], value: unknown): string | undefined => {
  if (value === undefined || words.some((word) => word === value)) return undefined;
  const near = typeof value === 'string' ? formatSuggestion(value, words) : '';
  return `needs ${key} as ${words.map((word) => `"${word}"`).join(' or ')}; got ${describeValue(value)}${near}`;
};

export interface HostConfig {
  getSessionId(): string;
  getWorkingDir?(): string;
  /** An older name of `getWorkingDir`. */
  getTargetDir?(): string;
  /** Default: the working directory. */
  getProjectDir?(): string;
  getTranscriptPath?(): string | undefined;
  /** The parent of the user's `.hookwright`. Default: the user's home. */
  getHome?(): string | undefined;
  /**
   * The `cwd` in the input of hooks, if the agent changed its directory. Hooks still start in the working directory.
   */
  getEventDir?(): string | undefined;
  getRuntimeHooks?(): MaybePromise<HooksByEvent | undefined>;
  getHooks(): MaybePromise<HooksByEvent | undefined>;
  getUserHooks?(): MaybePromise<HooksByEvent | undefined>;
  getSystemHooks?(): MaybePromise<HooksByEvent | undefined>;
  getExtensions?(): MaybePromise<readonly HostExtension[] | undefined>;
  getDisabledHooks?(): readonly string[] | undefined;
  isTrustedFolder?(): boolean | undefined;
  getEnableHooks?(): boolean | undefined;
  getMode?(): HookMode | undefined;
  /** Guards without which every event fails. */
  getRequired?(): readonly string[];
  getRequiredSource?(name: string): RowSource | undefined;
  getOnConflict?(): ConflictRule | undefined;
  /**
   * Without `source`: the time for all hooks of an event. With `source`: the time after which advisory hooks of that
   * source are no longer awaited.
   */
  getBudgetMs?(eventName: string, source?: ConfigSource): number | undefined;
  /**
   * Variables that hooks of a project or an extension may see although they look secret: names, or prefixes such as
   * `MY_*`.
   */
  getAllowedEnv?(): readonly string[] | undefined;
  /** With `listed`, hooks of a project or an extension see only a fixed list and those of `getAllowedEnv`. */
  getProjectEnv?(): 'all' | 'listed' | undefined;
  /** The end of a pause of hooks from files, in milliseconds since 1970. Called at every event, so it must be fast. */
  getHooksOffUntil?(): number | undefined;
  /** Guards that should run but cannot be read. */
  getLostGuards?(): readonly LostGuard[] | undefined;
  /** Called before a reload; the host reads its settings again. */
  refreshHooks?(): MaybePromise<void>;
  /** Problems of the host's settings, without those of hooks. */
  getConfigProblems?(): readonly ConfigProblem[] | undefined;
}

/** A guard that cannot run because its file is unreadable, broken or missing. Its `onFault` decides its calls. */
export interface LostGuard {
  readonly name: string;
  readonly eventName: string;
  readonly matcher?: string;
  readonly matches?: AgentHook['matches'] | undefined;
  readonly onFault: OnFault;
  readonly source: RowSource;
  readonly code: 'invalid-config' | 'changed-since-trusted';
  readonly message: string;
}

export const getWorkingDir = (config: HostConfig): string =>
  config.getWorkingDir?.() ?? config.getTargetDir?.() ?? process.cwd();

export const getProjectDir = (config: HostConfig): string => config.getProjectDir?.() ?? getWorkingDir(config);

/** The engine never writes to the console by itself. `console` and the loggers of pino and winston can be passed. */
export interface Logger {
  debug?(message: string): void;
  log?(message: string, ...others: never[]): void;
  /** Replaces `log` if the logger has a `level`, as pino and winston do. */
  info?(message: string): void;
  warn?(message: string): void;
  error?(message: string): void;
}

export type LoggerName =
  | 'registry'
  | 'planner'
  | 'runner'
  | 'handler'
  | 'config'
  | 'abilities'
  | 'tools'
  | 'runtime'
  | 'tap'
  | 'journal';

const formatLogPrefix = (name: string): string => `[hookwright:${name}] `;

type LogMethod = (text: string, ...fields: unknown[]) => unknown;

const findLogMethod = (logger: object, name: string): LogMethod | undefined => {
  const method: unknown = Reflect.get(logger, name);
  return typeof method === 'function' ? (...given) => Reflect.apply(method, logger, given) : undefined;
};

/** pino takes fields before the text, winston after it. */
const createWriter = (
  logger: Logger,
  level: 'debug' | 'log' | 'warn' | 'error',
  part: LoggerName,
): LogMethod | undefined => {
  const hasLevel = 'level' in logger && typeof logger.level === 'string';
  const write = findLogMethod(logger, level === 'log' && hasLevel ? 'info' : level);
  if (write === undefined || !hasLevel) return write;
  const fields = { component: `hookwright:${part}` };
  return 'bindings' in logger
    ? (text) => Reflect.apply(write, undefined, [fields, text])
    : (text) => write(text, fields);
};

/** Texts of hooks go on one line without terminal codes, so that a hook cannot forge log lines. */
export const createPartLogger = (logger: Logger | undefined, name: LoggerName): Logger | undefined => {
  if (logger === undefined) return undefined;
  const mark = formatLogPrefix(name);
  const guarded: Logger = {};
  for (const level of ['debug', 'log', 'warn', 'error'] as const) {
    const write = createWriter(logger, level, name);
    if (write === undefined) continue;
    guarded[level] = (message) => {
      try {
        const written = write(mark + toOneLine(message));
        if (written instanceof Promise) written.catch(() => undefined);
      } catch {
        // A logger that throws must not end the event.
      }
    };
  }
  return guarded;
};

const WARNING_TYPE = 'HookwrightWarning';

/** For hosts without a logger. */
export const emitProcessWarning = (text: string, code: string): void =>
  process.emitWarning(text, { type: WARNING_TYPE, code });

/** Also works while the process exits, when `process.emitWarning` shows nothing, since it waits for the next tick. */
export const emitProcessWarningNow = (text: string, code: string): void => {
  process.emit('warning', Object.assign(new Error(text), { name: WARNING_TYPE, code }));
};

/** Logs and ignores exceptions and rejections of a host's callback. */
export const callSafely = <T>(logger: Logger | undefined, what: string, call: () => T): T | undefined => {
  const ignore = (error: unknown): undefined => {
    logger?.warn?.(`${what} threw and was ignored: ${describeThrown(error)}`);
  };
  try {
    const called = call();
    if (called instanceof Promise) called.catch(ignore);
    return called;
  } catch (error) {
    return ignore(error);
  }
};

export const withoutLogPrefix = (line: string): string => line.replace(/^\[hookwright:\w+\] /, '');

/** For timestamps. Deadlines use timers, so setting the wall clock does not change them. */
export interface Clock {
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };

/** Formats the current time, once per millisecond, because formatting a date costs more than a function hook. */
export const createTimestamps = (clock: Clock, logger: Logger | undefined): (() => string) => {
  let formattedAt = Number.NaN;
  let text = '';
  return () => {
    try {
      const now = clock.now();
      if (now !== formattedAt) {
        text = new Date(now).toISOString();
        formattedAt = now;
      }
      return text;
    } catch (error) {
      logger?.warn?.(`clock failed, and the time of the system is used: ${describeThrown(error)}`);
      return new Date().toISOString();
    }
  };
};
