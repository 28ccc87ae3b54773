import type { Bus } from '../bus/index.ts';
import type { AggregatedResult, HookEventName, PayloadOf } from '../events/index.ts';
import { type HostConfig, systemClock } from '../protocol/index.ts';
import type { AnyHookTranslator } from '../translator/index.ts';
import { EventHandler, type EventHandlerDeps } from './event-handler.ts';
import {
  type AgentEvents,
  agentFamily,
  type EventAggregator,
  type EventPlanner,
  type EventRunner,
} from './families/agent.ts';
import type { FireOptions, Outcome } from './family.ts';
import { addFireMethods, type FireMethods } from './fire-methods.ts';
import { Timestamps } from './reporting/timestamps.ts';

export interface HookEventHandlerDeps extends EventHandlerDeps<HookEventName> {
  readonly translator?: AnyHookTranslator | undefined;
  /** Called before an event is planned; a promise is waited for. The hook system loads its hooks here. */
  readonly ready?: (() => Promise<void> | undefined) | undefined;
}

/** A merged result, and how each hook ended in configured order. */
export interface DetailedResult<E extends HookEventName> extends Outcome<AggregatedResult<E>> {}

/**
 * The only way to fire a hook: it plans, has the hooks run, aggregates, and answers. On a bus it answers every request
 * exactly once; called directly it never rejects.
 */
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: the fire methods are made from the catalogue, type and all
export class HookEventHandler extends EventHandler<AgentEvents> {
  constructor(
    config: HostConfig,
    planner: EventPlanner,
    runner: EventRunner,
    aggregator: EventAggregator,
    bus?: Bus,
    deps: HookEventHandlerDeps = {},
  ) {
    const { translator, ready, clock = systemClock } = deps;
    const timestamps = new Timestamps(clock);
    super(agentFamily({ config, planner, runner, aggregator, translator, timestamps, ready }), bus, deps);
  }

  /** Fires an event and resolves with the merged result and with how each single hook ended. Never rejects. */
  fireDetailed<E extends HookEventName>(
    eventName: E,
    payload: PayloadOf<E>,
    options?: FireOptions,
  ): Promise<DetailedResult<E>> {
    return this.perform(eventName, payload, options, (outcome) => outcome);
  }
}

export interface HookEventHandler extends FireMethods {}

addFireMethods(HookEventHandler.prototype);
