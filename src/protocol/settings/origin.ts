// The origin of a hook: its source, file and position, and how far these make it trusted.
import type { AgentHook } from '../agent-hook.ts';
import type { SkipReason } from '../skip-reasons.ts';
import { ConfigSource, type HookConfig, isGuard } from './settings.ts';

/** Lines and columns count from 1. */
export interface FilePosition {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

export interface SettingsSheet {
  readonly file: string;
  readonly skipReasons?: readonly SkipReason[] | undefined;
  readonly hint?: string | undefined;
  /** Other users can write the file, so its hooks do not run and their calls fail. */
  readonly isExposed?: boolean | undefined;
  readonly disabled?: ReadonlySet<string> | undefined;
  readonly projectDir?: string | undefined;
  /** For a file of the user: finds the program inside the project that a hook would start. */
  readonly programInProject?: ((hook: HookConfig, dialect?: AgentHook) => string | undefined) | undefined;
  /** Returns the position of a path such as `hooks.BeforeTool[0].hooks[1]`, or of the nearest element around it. */
  positionOf(path: string): FilePosition;
}

export interface HookOrigin {
  readonly source: ConfigSource;
  readonly extension?: string | undefined;
  readonly position?: FilePosition | undefined;
  readonly sheet?: SettingsSheet | undefined;
  readonly path?: string | undefined;
  /** Why a readable hook must not be used, such as a later syntax error in the file. */
  readonly flaw?: string | undefined;
  /** The entry as written in the file, with unexpanded variables. */
  readonly written?: Readonly<Record<string, unknown>> | undefined;
  readonly hasTimeUnit?: boolean | undefined;
  readonly projectDir?: string | undefined;
  /**
   * The program inside the project that a user's hook starts. The project can change it, so the hook is trusted like
   * one of the project.
   */
  readonly programInProject?: string | undefined;
  readonly dialect?: AgentHook | undefined;
  readonly approved?: true | undefined;
  /**
   * A project can add a program of the same name after the approval, so programs are searched only outside the project.
   */
  readonly programsOutside?: true | undefined;
  readonly secrets?: readonly string[] | undefined;
  /**
   * Describes what changed since the approval; `undefined` if nothing did. Called before every run of an approved hook.
   */
  readonly changed?: (() => string | undefined | Promise<string | undefined>) | undefined;
}

/** A symbol, because files cannot forge it, JSON omits it, and copies (`{...hook}`) keep it. */
const ORIGIN_KEY: unique symbol = Symbol('hookwright.origin');

/** The origin of a hook from code is not enumerable, so that its author sees the object unchanged. */
export const withOrigin = <T extends object>(hook: T, origin: HookOrigin): T => {
  const isOfCode =
    origin.position === undefined &&
    origin.sheet === undefined &&
    origin.changed === undefined &&
    origin.approved === undefined;
  const enumerable = !isOfCode || Object.getOwnPropertyDescriptor(hook, ORIGIN_KEY)?.enumerable === true;
  return Object.defineProperty(hook, ORIGIN_KEY, { value: origin, enumerable, configurable: true, writable: true });
};

const hasOrigin = (value: object): value is { readonly [ORIGIN_KEY]: HookOrigin } => ORIGIN_KEY in value;

export const getOrigin = (hook: object): HookOrigin | undefined => (hasOrigin(hook) ? hook[ORIGIN_KEY] : undefined);

export const findHookChange = (hook: HookConfig): string | undefined | Promise<string | undefined> =>
  getOrigin(hook)?.changed?.();

export const copyOrigin = (copy: HookConfig, original: HookConfig): HookConfig => {
  const origin = getOrigin(original);
  return origin === undefined ? copy : withOrigin(copy, origin);
};

/** Most trusted first. */
const sourcesByTrust: readonly ConfigSource[] = [
  ConfigSource.System,
  ConfigSource.User,
  ConfigSource.Runtime,
  ConfigSource.Project,
  ConfigSource.Extensions,
];

export const isMoreTrusted = (one: ConfigSource, other: ConfigSource): boolean =>
  sourcesByTrust.indexOf(one) < sourcesByTrust.indexOf(other);

/** A guard never runs in the background, because the event needs its verdict. */
export const runsInBackground = (hook: HookConfig): boolean =>
  (hook.background === true || getOrigin(hook)?.dialect?.isAsync === true) && !isGuard(hook);

export const getDistrustRank = (hook: HookConfig): number => {
  const { source = ConfigSource.Runtime, programInProject } = getOrigin(hook) ?? {};
  return sourcesByTrust.indexOf(programInProject === undefined ? source : ConfigSource.Project);
};

export const isOfUserOrSystem = (hook: HookConfig): boolean =>
  getDistrustRank(hook) <= sourcesByTrust.indexOf(ConfigSource.User);

/** True if a clone of the project or an update of an extension can change the hook or its program. */
export const canOthersChangeHook = (kind: ConfigSource, hook: HookConfig | undefined): boolean =>
  kind === ConfigSource.Project ||
  kind === ConfigSource.Extensions ||
  (hook !== undefined && getOrigin(hook)?.programInProject !== undefined);
