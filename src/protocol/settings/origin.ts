// The origin of a hook: its source, file and position, and what follows for its trust.
import type { AgentHook } from '../agent-hook.ts';
import type { SkipReason } from '../skip-reasons.ts';
import { ConfigSource, type HookConfig } from './settings.ts';

/** Position in a file; lines and columns count from 1. */
export interface FilePosition {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** A settings file: facts about all its hooks, and positions in it. */
export interface SettingsSheet {
  readonly file: string;
  /** Skip reasons for all hooks of the file, and how to resolve them. */
  readonly barriers?: readonly SkipReason[] | undefined;
  readonly hint?: string | undefined;
  /** Other users can write the file: its hooks do not run, and its guards fail. */
  readonly isExposed?: boolean | undefined;
  /** Names of hooks in this file that the file itself disables. */
  readonly disabled?: ReadonlySet<string> | undefined;
  /** Working directory of the file's hooks, if other than the project of the session. */
  readonly projectDir?: string | undefined;
  /** For a file of the user: the program in the project that a hook would start, if any. */
  readonly programInProject?: ((hook: HookConfig, dialect?: AgentHook) => string | undefined) | undefined;
  /** Position of the member at a path such as `hooks.BeforeTool[0].hooks[1]`, or of the nearest element around it. */
  positionOf(path: string): FilePosition;
}

/** Origin of a hook. Only hooks from files have a position. */
export interface HookOrigin {
  readonly source: ConfigSource;
  readonly extension?: string | undefined;
  readonly position?: FilePosition | undefined;
  /** The file and the path in it. Hooks in a list that a host built are identified by them. */
  readonly sheet?: SettingsSheet | undefined;
  readonly path?: string | undefined;
  /** Why the hook must not be used although it could be read, such as a later syntax error in the file. */
  readonly flaw?: string | undefined;
  /** Members of the hook as written in the file, before variables were filled in. */
  readonly written?: Readonly<Record<string, unknown>> | undefined;
  /** Whether the timeout had a unit in the file. */
  readonly hasTimeUnit?: boolean | undefined;
  /** Working directory of the hook, if other than the project of the session. */
  readonly projectDir?: string | undefined;
  /** Program or script of a user's hook inside the project of the session: the project controls it. */
  readonly programInProject?: string | undefined;
  /** Set if the hook was written for another agent. */
  readonly dialect?: AgentHook | undefined;
  /** The user approved exactly this entry. */
  readonly approved?: true | undefined;
  /** Programs are only searched outside the project: a program of that name in it was not approved. */
  readonly programsOutside?: true | undefined;
  readonly secrets?: readonly string[] | undefined;
  /** Checked before every run of an approved hook: describes what changed since; `undefined` if nothing did. */
  readonly changed?: (() => string | undefined | Promise<string | undefined>) | undefined;
}

/**
 * Key under which a hook carries its origin, which decides what it may see and do. A symbol, so that no file can set
 * it, and nothing shown or stored includes it. Copies (`{...hook}`) of a hook from a file keep it. Hooks from code need
 * no origin for safety, so their objects stay as their author wrote them.
 */
const ORIGIN: unique symbol = Symbol('hookwright.origin');

/** Attaches an origin to a hook or to a group of hooks. */
export const withOrigin = <T extends object>(hook: T, origin: HookOrigin): T => {
  const isOfCode =
    origin.position === undefined &&
    origin.sheet === undefined &&
    origin.changed === undefined &&
    origin.approved === undefined;
  const enumerable = !isOfCode || Object.getOwnPropertyDescriptor(hook, ORIGIN)?.enumerable === true;
  return Object.defineProperty(hook, ORIGIN, { value: origin, enumerable, configurable: true, writable: true });
};

const hasOrigin = (value: object): value is { readonly [ORIGIN]: HookOrigin } => ORIGIN in value;

export const originOf = (hook: object): HookOrigin | undefined => (hasOrigin(hook) ? hook[ORIGIN] : undefined);

/** Describes what changed in a hook since its approval; `undefined` if nothing did. */
export const changeSinceApproved = (hook: HookConfig): string | undefined | Promise<string | undefined> =>
  originOf(hook)?.changed?.();

/** Gives a copy of a hook the origin of the original. */
export const copyOrigin = (copy: HookConfig, original: HookConfig): HookConfig => {
  const origin = originOf(original);
  return origin === undefined ? copy : withOrigin(copy, origin);
};

const byTrust: readonly ConfigSource[] = [
  ConfigSource.System,
  ConfigSource.User,
  ConfigSource.Runtime,
  ConfigSource.Project,
  ConfigSource.Extensions,
];

/** Whether the event does not wait for the hook. It always waits for a guard. */
export const runsInBackground = (hook: HookConfig): boolean =>
  (hook.background === true || originOf(hook)?.dialect?.isAsync === true) && (hook.onFault ?? 'allow') === 'allow';

/** Position of the hook's source among the sources by trust; 0 is the most trusted. */
export const trustRank = (hook: HookConfig): number => {
  const { source = ConfigSource.Runtime, programInProject } = originOf(hook) ?? {};
  return byTrust.indexOf(programInProject === undefined ? source : ConfigSource.Project);
};

export const isOfUserOrSystem = (hook: HookConfig): boolean => trustRank(hook) <= byTrust.indexOf(ConfigSource.User);

/** Whether the project, or an extension, controls what a hook from a file runs. */
export const isBroughtByProject = (kind: ConfigSource, hook: HookConfig | undefined): boolean =>
  kind === ConfigSource.Project ||
  kind === ConfigSource.Extensions ||
  (hook !== undefined && originOf(hook)?.programInProject !== undefined);
