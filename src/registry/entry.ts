import { type HookEventName, isHookEventName } from '../events/index.ts';
import type { ConfigSource, HookConfig } from '../protocol/index.ts';
import type { ConfiguredHook } from './configured-hook.ts';

/** A hook that is configured for an event and could be read. */
export interface HookRegistryEntry {
  readonly hookId: string;
  readonly config: HookConfig;
  readonly source: ConfigSource;
  readonly eventName: HookEventName;
  readonly matcher?: string;
  readonly sequential?: boolean;
  readonly enabled: boolean;
}

/** A configured hook as an entry; nothing where it could not be read, or is for no event of ours. */
export const entryOf = (hook: ConfiguredHook, enabled: boolean): HookRegistryEntry | undefined => {
  if (hook.config === undefined || !isHookEventName(hook.eventName)) return undefined;
  return {
    hookId: hook.hookId,
    config: hook.config,
    source: hook.source.kind,
    eventName: hook.eventName,
    ...(hook.matcher === undefined ? {} : { matcher: hook.matcher }),
    sequential: hook.sequential,
    enabled,
  };
};
