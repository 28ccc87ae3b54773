/** Which hooks are configured, from which source, and whether they are enabled and trusted. */

export { type HookChanges, hookChanges } from './hook-changes.ts';
export { HookIds } from './hook-id.ts';
export { END_PAUSE, pausedUntil } from './pause.ts';
export { readHooks, switches } from './read-hooks.ts';
export {
  type ConfiguredHook,
  HookRegistry,
  type HookRegistryDeps,
  type HookRegistryEntry,
  type RegisterOptions,
  type TrustQuestion,
  type TrustVerdict,
} from './registry.ts';
export { holdsGuard } from './unread-entries.ts';
