import { describeValue, onOneLine, suggestion } from '../kit/index.ts';
import type { AgentHook } from './agent-hook.ts';
import type { RowSource } from './results/rows.ts';
import type { ConfigProblem, ConfigSource, HooksByEvent, OnFault } from './settings/settings.ts';

type Later<T> = T | Promise<T>;

/** An extension of the agent that may bring hooks of its own. */
export interface HostExtension {
  readonly name: string;
  /** Its hooks run only where this is true. */
  readonly isActive?: boolean;
  readonly hooks?: HooksByEvent | undefined;
}

/** Whether hooks decide (`enforce`), or only tell what they would have decided (`observe`). */
export const hookModes = ['enforce', 'observe'] as const;
export type HookMode = (typeof hookModes)[number];

/** What two parallel hooks that change one field to different values lead to: the later one counts, or neither. */
export const conflictRules = ['last', 'deny'] as const;
export type ConflictRule = (typeof conflictRules)[number];

/** What is wrong with one of a few words, if anything: taken for the default, a typing mistake would stay silent. */
export const whyNotWord = (key: string, words: readonly string[], value: unknown): string | undefined => {
  if (value === undefined || words.some((word) => word === value)) return undefined;
  const near = typeof value === 'string' ? suggestion(value, words) : '';
  return `needs ${key} as ${words.map((word) => `"${word}"`).join(' or ')}; got ${describeValue(value)}${near}`;
};

/** What the engine asks of the agent that embeds it. Any object of this shape will do. */
export interface HostConfig {
  getSessionId(): string;
  getWorkingDir?(): string;
  /** An older name of `getWorkingDir`. */
  getTargetDir?(): string;
  /** Where the project begins, when that is above the working directory. */
  getProjectDir?(): string;
  getTranscriptPath?(): string | undefined;
  /** Home directory in which hooks have their folders; that of the user when left out. */
  getHome?(): string | undefined;
  /** Directory that hooks read as `cwd`, when the agent has left its working directory. Hooks still start in the latter. */
  getEventDir?(): string | undefined;
  /** Hooks of the program itself. */
  getRuntimeHooks?(): Later<HooksByEvent | undefined>;
  /** The project's hooks. */
  getHooks(): Later<HooksByEvent | undefined>;
  getUserHooks?(): Later<HooksByEvent | undefined>;
  getSystemHooks?(): Later<HooksByEvent | undefined>;
  getExtensions?(): Later<readonly HostExtension[] | undefined>;
  getDisabledHooks?(): readonly string[] | undefined;
  isTrustedFolder?(): boolean | undefined;
  getEnableHooks?(): boolean | undefined;
  /** With `observe` hooks run and are explained, and nothing is blocked, asked or changed. */
  getMode?(): HookMode | undefined;
  /** Names of guards without which nothing starts. */
  getRequired?(): readonly string[];
  /** Where settings require the guard of this name. */
  getRequiredSource?(name: string): RowSource | undefined;
  /** With `deny` parallel hooks that change one field to different values deny. */
  getOnConflict?(): ConflictRule | undefined;
  /**
   * What all hooks of an event together may take. With a source: after which time the advisory hooks that come from there
   * are no longer waited for.
   */
  getBudgetMs?(eventName: string, source?: ConfigSource): number | undefined;
  /**
   * Secret-looking variables that hooks from files of a project or an extension may see all the same, by name or as
   * `PREFIX_*`. Only the user's and the system's settings may name them.
   */
  getAllowedEnv?(): readonly string[] | undefined;
  /** With `listed` such hooks see only variables of a fixed list, and those that are allowed. */
  getProjectEnv?(): 'all' | 'listed' | undefined;
  /** Until when a person switched hooks from files off, in milliseconds since 1970. Asked at every event: it must not wait. */
  getHooksOffUntil?(): number | undefined;
  /** Guards that are known and stand in no file that can be read. */
  getLostGuards?(): readonly LostGuard[] | undefined;
  /** Called before hooks are read again: a host that takes them from files reads those now. */
  refreshHooks?(): Later<void>;
  /** What the host itself found wrong with its configuration; the engine finds what is wrong with the hooks. */
  getConfigProblems?(): readonly ConfigProblem[] | undefined;
}

/** A guard that is known and cannot be asked: while that is so, what it would decide is left to its `onFault`. */
export interface LostGuard {
  readonly name: string;
  readonly eventName: string;
  readonly matcher?: string;
  /** How the agent that it was written for matches it; absent if it is a hook of ours. */
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
 * Where the engine says what it does. It never writes to the console by itself. The console fits, and so do loggers of pino
 * and winston as they are: they get the name of the part as a field, too.
 */
export interface Logger {
  debug?(message: string): void;
  log?(message: string, ...others: never[]): void;
  /** Used instead of `log` by loggers that have a level, where `log` means something else or is not there. */
  info?(message: string): void;
  warn?(message: string): void;
  error?(message: string): void;
}

/** The parts of the engine that have something to say. */
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

/** What each line of a part begins with. */
const nameMark = (name: string): string => `[hookwright:${name}] `;

type Write = (text: string, ...fields: unknown[]) => unknown;

const methodOf = (logger: object, name: string): Write | undefined => {
  const method: unknown = Reflect.get(logger, name);
  return typeof method === 'function' ? (...given) => Reflect.apply(method, logger, given) : undefined;
};

/** How a logger takes a line: as a text, or with fields before it (pino) or behind it (winston). */
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
 * The logger of one part: the host's, whose lines begin with the part's name. What it throws is dropped, because there
 * is no other place to report it. Text of hooks reaches it on one line and without terminal codes.
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
        // See above.
      }
    };
  }
  return guarded;
};

/** A line for people who see but one part anyhow, as those at a terminal. */
export const withoutName = (line: string): string => line.replace(/^\[hookwright:\w+\] /, '');

/** Wall clock for timestamps only; deadlines never depend on it. */
export interface Clock {
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };
