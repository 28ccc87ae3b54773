import type { Bus } from '../bus/bus.ts';
import { type AggregatedResult, type HookEventName, isHookEventName, type PayloadOf } from '../events/catalogue.ts';
import type { HostConfig } from '../protocol/host.ts';
import { MessageBusType } from '../protocol/message-types.ts';
import type { HookExecutionResponse } from '../protocol/messages.ts';
import {
  type DetailedResult,
  type EventAggregator,
  EventPipeline,
  type EventPipelineDeps,
  type EventPlanner,
  type EventRunner,
} from './event-pipeline.ts';
import { addFireMethods, type FireMethods } from './fire-methods.ts';
import { hookExchange, responseOf, unsupported } from './hook-exchange.ts';
import { disposed, RequestRoute } from './request-route.ts';
import { Ticket } from './ticket.ts';

export interface HookEventHandlerDeps extends EventPipelineDeps {}

export interface FireOptions {
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * The only way to fire a hook: it plans, has the hooks run, aggregates, and answers. On a bus it answers every request
 * exactly once; called directly it never rejects. Neither way does a failing hook, or a failing part of the engine,
 * reach the caller as an exception.
 */
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: the fire methods are made from the catalogue, type and all
export class HookEventHandler {
  /** Marks what this handler answers, so that others on the same bus leave it alone. */
  readonly id: string;
  readonly #bus: Bus | undefined;
  readonly #route: RequestRoute<'hook-execution-request', HookExecutionResponse> | undefined;
  readonly #pipeline: EventPipeline;
  readonly #runner: EventRunner;
  #disposing: Promise<void> | undefined;

  constructor(
    config: HostConfig,
    planner: EventPlanner,
    runner: EventRunner,
    aggregator: EventAggregator,
    bus?: Bus,
    deps: HookEventHandlerDeps = {},
  ) {
    this.#pipeline = new EventPipeline(config, planner, runner, aggregator, bus, deps);
    this.#runner = runner;
    this.id = this.#pipeline.createId();
    this.#bus = bus;
    if (bus !== undefined) this.#route = new RequestRoute(bus, hookExchange(this.#pipeline));
  }

  /** A fresh id for a message of this engine. */
  createId(): string {
    return this.#pipeline.createId();
  }

  /** Fires an event and resolves with the merged result. Never rejects. */
  fire<E extends HookEventName>(
    eventName: E,
    payload: PayloadOf<E>,
    options?: FireOptions,
  ): Promise<AggregatedResult<E>> {
    return this.#fire(eventName, payload, options, toResult);
  }

  /** The same, with how each single hook ended. */
  fireDetailed<E extends HookEventName>(
    eventName: E,
    payload: PayloadOf<E>,
    options?: FireOptions,
  ): Promise<DetailedResult<E>> {
    return this.#fire(eventName, payload, options, (detailed) => detailed);
  }

  #fire<E extends HookEventName, T>(
    eventName: E,
    payload: PayloadOf<E>,
    options: FireOptions | undefined,
    finish: (detailed: DetailedResult<E>) => T,
  ): Promise<T> {
    const pipeline = this.#pipeline;
    const fail = (error: unknown): T => finish(pipeline.failed(eventName, error));
    try {
      if (this.#disposing !== undefined) return Promise.resolve(fail(disposed()));
      if (!isHookEventName(eventName)) return Promise.resolve(fail(unsupported(eventName)));
      if (this.#route?.isWatched) return this.#fireVisibly(eventName, payload, options).then(finish, fail);
      const planned = pipeline.prepare(eventName, payload);
      if (planned !== undefined && !('plan' in planned)) return Promise.resolve(finish(planned));
      return pipeline.perform({ eventName, payload, planned, ticket: new Ticket(options) }, finish);
    } catch (error) {
      return Promise.resolve(fail(error));
    }
  }

  /** Somebody listens on the bus: a direct call is told there as a request that already has its handler. */
  async #fireVisibly<E extends HookEventName>(
    eventName: E,
    payload: PayloadOf<E>,
    options: FireOptions | undefined,
  ): Promise<DetailedResult<E>> {
    const correlationId = this.#pipeline.createId();
    const handledBy = this.id;
    const type = MessageBusType.HOOK_EXECUTION_REQUEST;
    const timeout = options?.timeoutMs === undefined ? {} : { timeoutMs: options.timeoutMs };
    this.#bus?.publish({ type, correlationId, eventName, payload, handledBy, ...timeout });
    const detailed = await this.#pipeline.perform(
      { eventName, payload, correlationId, ticket: new Ticket(options) },
      (outcome) => outcome,
    );
    this.#bus?.publish({ ...responseOf(correlationId, eventName, detailed), handledBy });
    return detailed;
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
    this.#route?.close();
    this.#pipeline.endAll(disposed());
    await this.#runner.dispose?.();
  }
}

/** What a direct caller gets: the error of the request before those of its hooks. Watchers of the bus have the other. */
const toResult = <E extends HookEventName>({ result, error }: DetailedResult<E>): AggregatedResult<E> => {
  if (error === undefined) return result;
  const { finalOutput, allOutputs, errors, totalDuration } = result;
  return { success: false, finalOutput, allOutputs, errors: [error, ...errors], totalDuration };
};

export interface HookEventHandler extends FireMethods {}

addFireMethods(HookEventHandler.prototype);
