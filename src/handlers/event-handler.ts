import type { Bus } from '../bus/index.ts';
import { createId } from '../bus/internal.ts';
import { type Clock, type Logger, partLogger, systemClock } from '../protocol/index.ts';
import { createCalls, createEngine, type Engine } from './engine.ts';
import { disposed, failed } from './failures.ts';
import type { EventOf, Family, FamilyTypes, Outcome, PayloadIn, ResultOf } from './family.ts';
import { InFlight } from './in-flight.ts';
import type { Parts } from './parts.ts';
import { Feedback } from './reporting/feedback.ts';
import type { HookEvents, OnTrace, Telemetry } from './reporting/observers.ts';
import { Timestamps } from './reporting/timestamps.ts';
import { Requests } from './requests.ts';
import { isUnheard } from './unheard.ts';

export interface EventHandlerDeps<Name extends string> {
  readonly logger?: Logger | undefined;
  readonly events?: HookEvents<Name> | undefined;
  readonly onTrace?: OnTrace | undefined;
  readonly telemetry?: Telemetry<Name> | undefined;
  readonly clock?: Clock | undefined;
  readonly idGenerator?: (() => string) | undefined;
}

/**
 * Fires the events of one family: by a call, or for requests on a bus, each of which it answers exactly once. Neither a
 * failing hook nor a failing part of the engine reaches the caller as an exception.
 */
export class EventHandler<F extends FamilyTypes> {
  /** Marks what this handler answers, so that others on the same bus leave it alone. */
  readonly id: string;
  readonly #family: Family<F>;
  readonly #calls: Engine<F>;
  readonly #parts: Parts<F>;
  readonly #requests: Requests<F> | undefined;
  #disposing: Promise<void> | undefined;

  constructor(family: Family<F>, bus: Bus | undefined, deps: EventHandlerDeps<EventOf<F>>) {
    const { events, onTrace, telemetry, idGenerator: newId = createId } = deps;
    const logger = partLogger(deps.logger, 'handler');
    this.id = newId();
    this.#family = family;
    this.#parts = {
      family,
      id: this.id,
      newId,
      bus,
      inFlight: new InFlight(),
      audience: { bus, events, onTrace, telemetry, logger },
      feedback: events?.onFeedback === undefined ? undefined : new Feedback(events.onFeedback, logger),
      timestamps: new Timestamps(deps.clock ?? systemClock),
      isOver: () => this.#disposing !== undefined,
      isWatched: () => this.#requests?.isWatched === true,
    };
    const engine = createEngine(this.#parts);
    this.#calls = createCalls(this.#parts, engine);
    if (bus !== undefined) this.#requests = new Requests(bus, family, engine, this.#parts.inFlight);
  }

  /** A fresh id for a message of this engine. */
  createId(): string {
    return this.#parts.newId();
  }

  /** Whether nobody would hear of an event that no hook runs for, not even its caller by a refusal. Hooks have to be loaded. */
  isUnheard(eventName: string): boolean {
    return isUnheard(this.#parts, eventName);
  }

  /** Fires an event and resolves with the merged result. Never rejects. */
  fire<E extends EventOf<F>>(eventName: E, payload: PayloadIn<F, E>, options?: F['options']): Promise<ResultOf<F, E>> {
    return this.perform(eventName, payload, options, (outcome) => this.#family.told(outcome));
  }

  protected perform<E extends EventOf<F>, T>(
    eventName: E,
    payload: PayloadIn<F, E>,
    options: F['options'] | undefined,
    finish: (outcome: Outcome<ResultOf<F, E>>) => T,
  ): Promise<T> {
    const firing = { eventName, payload, options: options ?? {}, correlationId: undefined, isRequest: false };
    return new Promise((resolve) => {
      this.#calls<E>(firing).subscribe({
        next: (outcome) => resolve(finish(outcome)),
        error: (error: unknown) => resolve(finish(failed(this.#family, this.#parts.audience.logger, eventName, error))),
      });
    });
  }

  /**
   * Answers what is in flight as `disposed`, stops its hooks and waits until their processes are gone. Later requests
   * are refused. Safe to call twice, and from within a hook.
   */
  dispose(): Promise<void> {
    this.#disposing ??= this.#dispose();
    return this.#disposing;
  }

  async #dispose(): Promise<void> {
    this.#requests?.close();
    this.#parts.inFlight.endAll(disposed());
    await this.#family.dispose();
  }
}
