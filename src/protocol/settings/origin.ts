import type { HookDialect } from '../hook-dialect.ts';
import { ConfigSource, type HookConfig } from './settings.ts';

/** Where in a file something stands; lines and columns count from 1. */
export interface FilePosition {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** Where a hook comes from. Only what was read from a file has a position: hooks given in code have none. */
export interface HookOrigin {
  readonly source: ConfigSource;
  readonly extension?: string | undefined;
  readonly position?: FilePosition | undefined;
  /** Members of the hook as they stand in the file, where variables in them were filled in since. */
  readonly written?: Readonly<Record<string, unknown>> | undefined;
  /** Where it runs, when that is not the project of the session. */
  readonly projectDir?: string | undefined;
  /** The program or script of a user's hook, where that lies in the project of the session and so is the project's. */
  readonly programInProject?: string | undefined;
  /** It was written for another agent. */
  readonly dialect?: HookDialect | undefined;
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
 * What was read from a file carries its origin with it, into every copy that is made of it (`{...hook}`): what it may see
 * and do hangs on where it is from. It is a symbol, which no file can write, and nothing that is shown or stored has.
 */
const ORIGIN: unique symbol = Symbol('hookwright.origin');

/** Of hooks given in code, which stay as their author wrote them. Nothing here is needed for safety. */
const ofCode = new WeakMap<HookConfig, HookOrigin>();

const carried = (hook: HookConfig & { [ORIGIN]?: HookOrigin }): HookOrigin | undefined => hook[ORIGIN];

/** Remembers where a hook comes from. */
export const withOrigin = (hook: HookConfig, origin: HookOrigin): HookConfig => {
  const isPlain = origin.position === undefined && origin.changed === undefined && origin.approved === undefined;
  if (isPlain && carried(hook) === undefined) ofCode.set(hook, origin);
  else Object.defineProperty(hook, ORIGIN, { value: origin, enumerable: true, configurable: true, writable: true });
  return hook;
};

export const originOf = (hook: HookConfig): HookOrigin | undefined => carried(hook) ?? ofCode.get(hook);

/** Asked before every run of an approved hook: what of it changed since, when something did. Such a hook carries its origin. */
export const changeSinceApproved = (hook: HookConfig): string | undefined | Promise<string | undefined> =>
  carried(hook)?.changed?.();

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
  originOf(hook)?.dialect?.isAsync === true || (hook.background === true && (hook.onFault ?? 'allow') === 'allow');

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
