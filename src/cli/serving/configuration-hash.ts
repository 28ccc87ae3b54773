import type { HookSystem } from '../../hook-system.ts';
import { sha256 } from '../../kit/node.ts';

/**
 * A short text that is the same on two hosts exactly when they would do the same: which hooks there are, how they are
 * written, and which of them run. Where the files lie differs from machine to machine and plays no part.
 */
export const configurationHash = async (system: HookSystem): Promise<string> => {
  const entries = system
    .getAllHooks()
    .map(({ hookId, config, eventName, matcher, sequential, enabled }) => [
      hookId,
      eventName,
      matcher,
      sequential,
      enabled,
      Object.entries(config).sort(([one], [other]) => (one < other ? -1 : 1)),
    ]);
  const rows = (await system.explain()).map(({ hookId, planned, reason }) => [hookId, planned, reason]);
  return sha256(JSON.stringify([entries, rows])).slice(0, 12);
};
