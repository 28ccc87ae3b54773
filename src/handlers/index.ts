/** Fires events: plans and runs their hooks, merges the answers and responds. */

export { AbilityEventHandler, type AbilityEventHandlerDeps, type AbilityFireOptions } from './ability-firing.ts';
export type { BackgroundMode, EventAggregator, EventPlanner, EventRunner } from './agent-firing.ts';
export type { FireOptions } from './firing.ts';
export { type DetailedResult, HookEventHandler, type HookEventHandlerDeps } from './hook-event-handler.ts';
export { createDisposedError } from './lifetime.ts';
export { mayRecheck } from './recheck-guards.ts';
export type { HookCall, HookEvents, HookNotice, OnDecision } from './reporting/observers.ts';
export { provideTraceParents } from './requests.ts';
