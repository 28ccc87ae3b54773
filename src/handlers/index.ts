/** The stages of a request, the file that composes them, and the handler that answers on the bus. */

export { AbilityEventHandler, type AbilityEventHandlerDeps } from './ability-event-handler.ts';
export { BackgroundRuns } from './background-runs.ts';
export { disposed } from './failures.ts';
export type { AbilityFireOptions } from './families/ability.ts';
export type { EventAggregator, EventPlanner, EventRunner } from './families/agent.ts';
export type { FireOptions } from './family.ts';
export { type DetailedResult, HookEventHandler, type HookEventHandlerDeps } from './hook-event-handler.ts';
export type { HookCall, HookEvents, HookNotice } from './reporting/observers.ts';
export { carryTraces } from './reporting/trace-parents.ts';
