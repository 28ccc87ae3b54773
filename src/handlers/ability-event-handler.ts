// The event handler for abilities.
import type { Bus } from '../bus/index.ts';
import type { AbilityContextOf, AbilityEventType } from '../events/index.ts';
import { type AbilityEventResult, createPartLogger } from '../protocol/index.ts';
import {
  AbilityEventKind,
  type AbilityEventKindDeps,
  type AbilityFireOptions,
  type AbilityOptions,
} from './ability-firing.ts';
import { EventHandler, type EventHandlerDeps } from './event-handler.ts';

export interface AbilityEventHandlerDeps extends EventHandlerDeps<AbilityEventType>, AbilityOptions {}

/** Fires the events of abilities, which are hooks that a repository declares in YAML. */
export class AbilityEventHandler extends EventHandler {
  readonly #kind: AbilityEventKind;

  constructor(parts: AbilityEventKindDeps, bus?: Bus, deps: AbilityEventHandlerDeps = {}) {
    const kind = new AbilityEventKind(parts, { ...deps, logger: createPartLogger(deps.logger, 'handler') });
    super(kind, bus, deps);
    this.#kind = kind;
  }

  fire<E extends AbilityEventType>(
    eventType: E,
    context: AbilityContextOf<E>,
    options?: AbilityFireOptions,
  ): Promise<AbilityEventResult> {
    return this.perform(this.#kind.firing(eventType, context, options), ({ result }) => result);
  }

  /** Resolves when all background hooks have ended. */
  idle(): Promise<void> {
    return this.#kind.background.idle();
  }
}
