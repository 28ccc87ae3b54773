import type { Bus } from '../bus/index.ts';
import { Engine, type EngineDeps } from './engine.ts';
import type { Family, Firing, Outcome } from './firing.ts';
import type { HookEvents, OnDecision, Telemetry } from './reporting/observers.ts';
import { RequestAnswering } from './requests.ts';

export interface EventHandlerDeps<Name extends string> extends Omit<EngineDeps, 'events' | 'telemetry'> {
  readonly events?: HookEvents<Name> | undefined;
  readonly telemetry?: Telemetry<Name> | undefined;
}

/**
 * Fires the events of one family: by a call, or for requests on a bus, each of which it answers exactly once. Neither a
 * failing hook nor a failing part of the engine reaches the caller as an exception.
 */
export class EventHandler {
  readonly #engine: Engine;
  readonly #requests: RequestAnswering | undefined;
  #disposing: Promise<void> | undefined;

  constructor(family: Family, bus: Bus | undefined, deps: EngineDeps) {
    this.#engine = new Engine(family, bus, deps);
    if (bus !== undefined) this.#requests = new RequestAnswering(bus, family, this.#engine);
  }

  /** Marks what this handler answers, so that others on the same bus leave it alone. */
  get id(): string {
    return this.#engine.id;
  }

  /** A fresh id for a message of this engine. */
  createId(): string {
    return this.#engine.createId();
  }

  /** Whether an event that no hook runs for would pass without a trace, its caller included. Hooks have to be loaded. */
  isUnheard(eventName: string): boolean {
    return this.#engine.isNoop(eventName);
  }

  /** Has each decision handed to `onDecision` when it is made. */
  watchDecisions(onDecision: OnDecision): void {
    this.#engine.watchDecisions(onDecision);
  }

  protected perform<Result, T>(firing: Firing<Result>, finish: (outcome: Outcome<Result>) => T): Promise<T> {
    const outcome = this.#engine.call(firing);
    return outcome instanceof Promise ? outcome.then(finish) : Promise.resolve(finish(outcome));
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
    await this.#engine.dispose();
  }
}
