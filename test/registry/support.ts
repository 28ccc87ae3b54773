import {
  type HookConfig,
  HookRegistry,
  type HookRegistryDeps,
  type HooksByEvent,
  type HostConfig,
} from '../../src/index.ts';
import { hostWith } from '../support/host.ts';
import { untyped } from '../support/untyped.ts';

export const registryOf = async (
  host: Partial<HostConfig> & { hooks?: HooksByEvent } = {},
  deps: HookRegistryDeps = {},
): Promise<HookRegistry> => {
  const registry = new HookRegistry(hostWith(host), deps);
  await registry.initialize();
  return registry;
};

/** Registries of settings nobody has checked. */
export const registryOfJson = (hooks: unknown, deps: HookRegistryDeps = {}): Promise<HookRegistry> =>
  registryOf({ getHooks: () => untyped<HooksByEvent>(hooks) }, deps);

export const namesOf = (entries: readonly { config: HookConfig }[]): (string | undefined)[] =>
  entries.map((entry) => entry.config.name ?? entry.config.command);

/** Names and skipReasons of everything configured, as the planner sees it. */
export const rowsOf = (registry: HookRegistry): string[] =>
  registry.getConfiguredHooks().map((hook) => `${hook.eventName} ${hook.name}: ${hook.skipReasons.join(', ')}`.trim());
