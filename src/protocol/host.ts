// The interface of the host: its configuration, its extensions, its logger and its clock.
import { describeValue, onOneLine, suggestion } from '../kit/index.ts';
import type { AgentHook } from './agent-hook.ts';
import type { RowSource } from './results/rows.ts';
import type { ConfigProblem, ConfigSource, HooksByEvent, OnFault } from './settings/settings.ts';

type Later<T> = T | Promise<T>;

/** An extension of the agent that may have hooks. */
export interface HostExtension {
  readonly name: string;
  /** The extension's hooks run only if this is true. */
  readonly isActive?: boolean;
  readonly hooks?: HooksByEvent | undefined;
}

/** `enforce`: verdicts of hooks count. `observe`: hooks run and are reported, without any effect. */
export const hookModes = ['enforce', 'observe'] as const;
export type HookMode = (typeof hookModes)[number];

/** If parallel hooks change one field to different values: `last` keeps the later change, `deny` denies the action. */
export const conflictRules = ['last', 'deny'] as const;
export type ConflictRule = (typeof conflictRules)[number];

/** Describes an invalid value of an option with a few allowed words; `undefined` if it is valid. */
export const whyNotWord = (key: string, words: readonly string[], value: unknown): string | undefined => {
  if (value === undefined || words.some((word) => word === value)) return undefined;
  const near = typeof value === 'string' ? suggestion(value, words) : '';
  return `needs ${key} as ${words.map((word) => `"${word}"`).join(' or ')}; got ${describeValue(value)}${near}`;
};

/** The facts that the engine needs about the agent that embeds it. Any object of this shape will do. */
export interface HostConfig {
  getSessionId(): string;
  getWorkingDir?(): string;
  /** Older name of `getWorkingDir`. */
  getTargetDir?(): string;
  /** Root of the project, if above the working directory. */
  getProjectDir?(): string;
  getTranscriptPath?(): string | undefined;
  /** Home directory for the folders of hooks. Default: the user's. */
  getHome?(): string | undefined;
  /**
   * Directory that hooks read as `cwd`, if the agent has left its working directory. Hooks still start in the working
   * directory.
   */
  getEventDir?(): string | undefined;
  /** Hooks of the host program itself. */
  getRuntimeHooks?(): Later<HooksByEvent | undefined>;
  /** Hooks of the project. */
  getHooks(): Later<HooksByEvent | undefined>;
  getUserHooks?(): Later<HooksByEvent | undefined>;
  getSystemHooks?(): Later<HooksByEvent | undefined>;
  getExtensions?(): Later<readonly HostExtension[] | undefined>;
  getDisabledHooks?(): readonly string[] | undefined;
  isTrustedFolder?(): boolean | undefined;
  getEnableHooks?(): boolean | undefined;
  /** With `observe`, hooks run and are reported, but block, ask and change nothing. */
  getMode?(): HookMode | undefined;
  /** Names of guards without which no event is handled. */
  getRequired?(): readonly string[];
  /** The settings that require the guard of this name. */
  getRequiredSource?(name: string): RowSource | undefined;
  /** With `deny`, parallel hooks that change one field to different values deny. */
  getOnConflict?(): ConflictRule | undefined;
  /**
   * Time budget of all hooks of an event. With a source: the time after which its advisory hooks are no longer waited
   * for.
   */
  getBudgetMs?(eventName: string, source?: ConfigSource): number | undefined;
  /**
   * Secret-looking variables that hooks of a project or an extension may see, by name or as `PREFIX_*`. Only settings
   * of the user and the system may name them.
   */
  getAllowedEnv?(): readonly string[] | undefined;
  /** With `listed`, hooks of a project or an extension see only a fixed list of variables and the allowed ones. */
  getProjectEnv?(): 'all' | 'listed' | undefined;
  /**
   * Time until which the user switched off hooks from files, in milliseconds since 1970. Called at every event, so it
   * must not wait.
   */
  getHooksOffUntil?(): number | undefined;
  /** Guards that exist but cannot be read from any file. */
  getLostGuards?(): readonly LostGuard[] | undefined;
  /** Called before hooks are reloaded; a host with settings files reads them again. */
  refreshHooks?(): Later<void>;
  /** Problems that the host found in its configuration. The engine reports problems of hooks itself. */
  getConfigProblems?(): readonly ConfigProblem[] | undefined;
}

/**
 * A guard that should run but cannot: an approved one whose file is unreadable, has a mistake or moved it to another
 * event, or a required one that is missing. Its `onFault` decides calls in its place.
 */
export interface LostGuard {
  readonly name: string;
  readonly eventName: string;
  readonly matcher?: string;
  /** Matches as the agent for which it was written; absent for a hook of ours. */
  readonly matches?: AgentHook['matches'] | undefined;
  readonly onFault: OnFault;
  readonly source: RowSource;
  readonly code: 'invalid-config' | 'changed-since-trusted';
  readonly message: string;
}

export const workingDirOf = (config: HostConfig): string =>
  config.getWorkingDir?.() ?? config.getTargetDir?.() ?? process.cwd();

export const projectDirOf = (config: HostConfig): string => config.getProjectDir?.() ?? workingDirOf(config);

/**
 * Where the engine logs. It never writes to the console by itself. `console` and loggers of pino and winston fit
 * unchanged; the latter also get the part as a field.
 */
export interface Logger {
  debug?(message: string): void;
  log?(message: string, ...others: never[]): void;
  /** Used instead of `log` by loggers with a level, which may lack `log` or use it differently. */
  info?(message: string): void;
  warn?(message: string): void;
  error?(message: string): void;
}

/** Parts of the engine that log. */
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

/** Prefix of the lines of a part. */
const nameMark = (name: string): string => `[hookwright:${name}] `;

type Write = (text: string, ...fields: unknown[]) => unknown;

const methodOf = (logger: object, name: string): Write | undefined => {
  const method: unknown = Reflect.get(logger, name);
  return typeof method === 'function' ? (...given) => Reflect.apply(method, logger, given) : undefined;
};

/** How a logger takes a line: as text, or with fields before it (pino) or after it (winston). */
const writerOf = (logger: Logger, level: 'debug' | 'log' | 'warn' | 'error', part: LoggerName): Write | undefined => {
  const hasLevel = 'level' in logger && typeof logger.level === 'string';
  const write = methodOf(logger, level === 'log' && hasLevel ? 'info' : level);
  if (write === undefined || !hasLevel) return write;
  const fields = { component: `hookwright:${part}` };
  return 'bindings' in logger
    ? (text) => Reflect.apply(write, undefined, [fields, text])
    : (text) => write(text, fields);
};

/**
 * The host's logger for one part, with a prefix. Exceptions from it are dropped, because there is nowhere else to
 * report them. Texts of hooks are logged on one line and without terminal codes.
 */
export const partLogger = (logger: Logger | undefined, name: LoggerName): Logger | undefined => {
  if (logger === undefined) return undefined;
  const mark = nameMark(name);
  const guarded: Logger = {};
  for (const level of ['debug', 'log', 'warn', 'error'] as const) {
    const write = writerOf(logger, level, name);
    if (write === undefined) continue;
    guarded[level] = (message) => {
      try {
        const written = write(mark + onOneLine(message));
        if (written instanceof Promise) written.catch(() => undefined);
      } catch {
        // Nowhere to report it.
      }
    };
  }
  return guarded;
};

/** Removes the prefix, for users at a terminal, who see one part only. */
export const withoutLogPrefix = (line: string): string => line.replace(/^\[hookwright:\w+\] /, '');

/** Wall clock for timestamps. Deadlines never depend on it. */
export interface Clock {
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };
