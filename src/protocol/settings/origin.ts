import type { AgentHook } from '../agent-hook.ts';
import type { SkipReason } from '../notice-codes.ts';
import { ConfigSource, type HookConfig } from './settings.ts';

/** Where in a file something stands; lines and columns count from 1. */
export interface FilePosition {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** A file that brings hooks: what holds for all of them, and where in it things stand. */
export interface SettingsSheet {
  /** Its absolute path. */
  readonly file: string;
  /** Why none of its hooks runs, with the way to change that. */
  readonly barriers?: readonly SkipReason[] | undefined;
  readonly hint?: string | undefined;
  /** Others may have written it: its hooks do not run, and its guards refuse instead. */
  readonly isExposed?: boolean | undefined;
  /** Names this file switches off among its own. */
  readonly disabled?: ReadonlySet<string> | undefined;
  /** Where its hooks run, when that is not the project of the session. */
  readonly projectDir?: string | undefined;
  /** Of a file of the user: what a hook of it starts that lies in the project. */
  readonly programInProject?: ((hook: HookConfig, dialect?: AgentHook) => string | undefined) | undefined;
  /** Of the member with a path such as `hooks.BeforeTool[0].hooks[1]`, or of the nearest thing around it. */
  positionOf(path: string): FilePosition;
}

/** Where a hook comes from. Only what was read from a file has a position: hooks given in code have none. */
export interface HookOrigin {
  readonly source: ConfigSource;
  readonly extension?: string | undefined;
  readonly position?: FilePosition | undefined;
  /** The file it was read from, and its path there: a list that a host makes of such hooks is read by these. */
  readonly sheet?: SettingsSheet | undefined;
  readonly path?: string | undefined;
  /** Why it is not to be used although it could be read, such as a syntax error before its end. */
  readonly flaw?: string | undefined;
  /** Members of the hook as they stand in the file, where variables in them were filled in since. */
  readonly written?: Readonly<Record<string, unknown>> | undefined;
  /** Its timeout is a text with a unit in the file, and milliseconds since. */
  readonly hasTimeUnit?: boolean | undefined;
  /** Where it runs, when that is not the project of the session. */
  readonly projectDir?: string | undefined;
  /** The program or script of a user's hook, where that lies in the project of the session and so is the project's. */
  readonly programInProject?: string | undefined;
  /** It was written for another agent. */
  readonly dialect?: AgentHook | undefined;
  /** The user approved the entry as it stands. */
  readonly approved?: true | undefined;
  /** Its programs are looked for outside of the project: another one of that name would not be what was approved. */
  readonly programsOutside?: true | undefined;
  /** Names of secrets that the user lets it see. */
  readonly secrets?: readonly string[] | undefined;
  /** Asked before every run of an approved hook: what of it changed since, when something did. */
  readonly changed?: (() => string | undefined | Promise<string | undefined>) | undefined;
}

/**
 * A hook carries its origin with it: what it may see and do hangs on that. It is a symbol, which no file can write, and
 * nothing that is shown or stored has. Copies (`{...hook}`) of what was read from a file carry it, too; hooks given in code
 * stay as their author wrote them, and nothing in their origin is needed for safety.
 */
const ORIGIN: unique symbol = Symbol('hookwright.origin');

/** Remembers where a hook comes from, or a group of hooks. */
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

/** Checked before every run of an approved hook: what of it changed since, when something did. */
export const changeSinceApproved = (hook: HookConfig): string | undefined | Promise<string | undefined> =>
  originOf(hook)?.changed?.();

/** For copies of a hook: what is made of it comes from where it came from. */
export const likeOrigin = (copy: HookConfig, original: HookConfig): HookConfig => {
  const origin = originOf(original);
  return origin === undefined ? copy : withOrigin(copy, origin);
};

/** Sources from the most trusted to the least. */
const byTrust: readonly ConfigSource[] = [
  ConfigSource.System,
  ConfigSource.User,
  ConfigSource.Runtime,
  ConfigSource.Project,
  ConfigSource.Extensions,
];

/** Whether the event does not wait for a hook. A guard is always waited for. */
export const runsInBackground = (hook: HookConfig): boolean =>
  (hook.background === true || originOf(hook)?.dialect?.isAsync === true) && (hook.onFault ?? 'allow') === 'allow';

/** 0 for the most trusted source. */
export const trustRank = (hook: HookConfig): number => {
  const { source = ConfigSource.Runtime, programInProject } = originOf(hook) ?? {};
  return byTrust.indexOf(programInProject === undefined ? source : ConfigSource.Project);
};

export const isOfUserOrSystem = (hook: HookConfig): boolean => trustRank(hook) <= byTrust.indexOf(ConfigSource.User);

/** Whether the project, or an extension, decides what a hook that was read from a file runs. */
export const isBroughtByProject = (kind: ConfigSource, hook: HookConfig | undefined): boolean =>
  kind === ConfigSource.Project ||
  kind === ConfigSource.Extensions ||
  (hook !== undefined && originOf(hook)?.programInProject !== undefined);
