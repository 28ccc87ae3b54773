import type { Bus } from '../bus/bus.ts';
import { isAbilityEventType } from '../events/ability-catalogue.ts';
import type { AbilityContextOf, AbilityEventType } from '../events/ability-contexts.ts';
import type { AbilityEventResult } from '../protocol/ability-result.ts';
import { MessageBusType } from '../protocol/message-types.ts';
import type { AbilityEventResponse } from '../protocol/messages.ts';
import { abilityExchange, abilityResponse, unsupportedAbilityEvent } from './ability-exchange.ts';
import type { AbilityOutcome } from './ability-firing.ts';
import { type AbilityParts, AbilityPipeline, type AbilityPipelineDeps } from './ability-pipeline.ts';
import { disposed, RequestRoute } from './request-route.ts';
import { Ticket } from './ticket.ts';

export interface AbilityFireOptions {
  /** Hooks that are not blocking are left out. By default they are started too, and not waited for. */
  readonly blockingOnly?: boolean | undefined;
  /** The deadline of the hooks that are waited for. */
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Ends the hooks that nobody waits for, which otherwise go on when `signal` has aborted. */
  readonly until?: AbortSignal | undefined;
}

/**
 * Fires the events of the ability system: by a call, or for requests on a bus, each of which it answers exactly once. It
 * is the sibling of `HookEventHandler`; both can be on one bus and neither hears the other's requests.
 */
export class AbilityEventHandler {
  /** Marks what this handler answers, so that others on the same bus leave it alone. */
  readonly id: string;
  readonly #bus: Bus | undefined;
  readonly #route: RequestRoute<'ability-event-request', AbilityEventResponse> | undefined;
  readonly #pipeline: AbilityPipeline;
  readonly #parts: AbilityParts;
  #disposing: Promise<void> | undefined;

  constructor(parts: AbilityParts, bus?: Bus, deps: AbilityPipelineDeps = {}) {
    this.#parts = parts;
    this.#pipeline = new AbilityPipeline(parts, bus, deps);
    this.id = this.#pipeline.createId();
    this.#bus = bus;
    if (bus !== undefined) this.#route = new RequestRoute(bus, abilityExchange(this.#pipeline));
  }

  /** Fires an event and resolves with the merged result. Never rejects. */
  fire<E extends AbilityEventType>(
    eventType: E,
    context: AbilityContextOf<E>,
    options: AbilityFireOptions = {},
  ): Promise<AbilityEventResult> {
    const pipeline = this.#pipeline;
    const fail = (error: unknown): AbilityEventResult => pipeline.failed(String(eventType), error).result;
    try {
      if (this.#disposing !== undefined) return Promise.resolve(fail(disposed()));
      if (!isAbilityEventType(eventType)) return Promise.resolve(fail(unsupportedAbilityEvent(eventType)));
      if (this.#route?.isWatched) return this.#fireVisibly(eventType, context, options).then(toResult, fail);
      return Promise.resolve(this.#perform(eventType, context, options)).then(toResult, fail);
    } catch (error) {
      return Promise.resolve(fail(error));
    }
  }

  #perform<E extends AbilityEventType>(
    eventType: E,
    context: AbilityContextOf<E>,
    options: AbilityFireOptions,
    correlationId?: string,
  ): AbilityOutcome | Promise<AbilityOutcome> {
    const plan = this.#pipeline.prepare(eventType, context, options.blockingOnly, correlationId);
    if ('result' in plan) return plan;
    return this.#pipeline.perform({
      eventType,
      context,
      correlationId,
      plan,
      ticket: new Ticket(options),
      until: options.until,
    });
  }

  /** Somebody listens on the bus: a direct call is told there as a request that already has its handler. */
  async #fireVisibly<E extends AbilityEventType>(
    eventType: E,
    context: AbilityContextOf<E>,
    options: AbilityFireOptions,
  ): Promise<AbilityOutcome> {
    const correlationId = this.#pipeline.createId();
    const handledBy = this.id;
    const { timeoutMs, blockingOnly } = options;
    this.#bus?.publish({
      type: MessageBusType.ABILITY_EVENT_REQUEST,
      correlationId,
      eventType,
      context,
      handledBy,
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
      ...(blockingOnly === undefined ? {} : { blockingOnly }),
    });
    const outcome = await this.#answer(eventType, context, options, correlationId);
    this.#bus?.publish({ ...abilityResponse(correlationId, eventType, outcome), handledBy });
    return outcome;
  }

  async #answer<E extends AbilityEventType>(
    eventType: E,
    context: AbilityContextOf<E>,
    options: AbilityFireOptions,
    correlationId: string,
  ): Promise<AbilityOutcome> {
    try {
      return await this.#perform(eventType, context, options, correlationId);
    } catch (error) {
      return this.#pipeline.failed(eventType, error);
    }
  }

  /** Resolves when no hook runs in the background any more. */
  idle(): Promise<void> {
    return this.#parts.background.idle();
  }

  /** Answers what is in flight as `disposed`, ends all hooks and waits until their processes are gone. Safe to call twice. */
  dispose(): Promise<void> {
    this.#disposing ??= this.#dispose();
    return this.#disposing;
  }

  async #dispose(): Promise<void> {
    this.#route?.close();
    this.#pipeline.endAll(disposed());
    await Promise.all([this.#parts.runner.dispose(), this.#parts.background.end()]);
  }
}

const toResult = ({ result }: AbilityOutcome): AbilityEventResult => result;
