import type { Bus } from '../bus/index.ts';
import type { AbilityEventType } from '../events/index.ts';
import { partLogger } from '../protocol/index.ts';
import type { BackgroundRuns } from './background-runs.ts';
import { EventHandler, type EventHandlerDeps } from './event-handler.ts';
import { type AbilityEvents, type AbilityParts, type AbilityPolicy, abilityFamily } from './families/ability.ts';

export interface AbilityEventHandlerDeps extends EventHandlerDeps<AbilityEventType>, AbilityPolicy {}

/**
 * Fires the events of the ability system. It is the handler of `HookEventHandler` with the other family; both can be on
 * one bus, and neither hears the other's requests.
 */
export class AbilityEventHandler extends EventHandler<AbilityEvents> {
  readonly #background: BackgroundRuns;

  constructor(parts: AbilityParts, bus?: Bus, deps: AbilityEventHandlerDeps = {}) {
    super(abilityFamily(parts, { ...deps, logger: partLogger(deps.logger, 'handler') }), bus, deps);
    this.#background = parts.background;
  }

  /** Resolves when no hook runs in the background any more. */
  idle(): Promise<void> {
    return this.#background.idle();
  }
}
