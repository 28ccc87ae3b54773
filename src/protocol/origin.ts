import type { ConfigSource, HookConfig } from './settings.ts';

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
  /** The user approved the entry as it stands. */
  readonly approved?: true | undefined;
  /** Asked before every run of an approved hook: what of it changed since, when something did. */
  readonly changed?: (() => string | undefined | Promise<string | undefined>) | undefined;
}

const origins = new WeakMap<HookConfig, HookOrigin>();

/** Remembers where a hook comes from, beside it: the hook itself stays what its author wrote. */
export const withOrigin = (hook: HookConfig, origin: HookOrigin): HookConfig => {
  origins.set(hook, origin);
  return hook;
};

export const originOf = (hook: HookConfig): HookOrigin | undefined => origins.get(hook);

/** For copies of a hook: what is made of it comes from where it came from. */
export const likeOrigin = (copy: HookConfig, original: HookConfig): HookConfig => {
  const origin = origins.get(original);
  return origin === undefined ? copy : withOrigin(copy, origin);
};
