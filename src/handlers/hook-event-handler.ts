// The event handler for the agent's events, with one fire method for each.
import type { Bus } from '../bus/index.ts';
import {
  type AggregatedResult,
  type ArgsOf,
  catalogue,
  type HookEventName,
  hookEventNames,
  type PayloadOf,
} from '../events/index.ts';
import {
  createPartLogger,
  createTimestamps,
  type HookExecutionResult,
  type HostConfig,
  systemClock,
} from '../protocol/index.ts';
import {
  AgentEventKind,
  type AgentOptions,
  addEventError,
  type EventAggregator,
  type EventPlanner,
  type EventRunner,
} from './agent-firing.ts';
import { keepLateAnswer } from './background-hooks.ts';
import { EventHandler, type EventHandlerDeps } from './event-handler.ts';
import type { FireOptions, FiringOutcome } from './firing.ts';
import { GuardWarnings } from './reporting/guard-warnings.ts';

export interface HookEventHandlerDeps extends EventHandlerDeps<HookEventName>, AgentOptions {
  /**
   * `false` turns off the process warnings about failed guards. Hosts without a logger get each warning once per
   * session.
   */
  readonly warnings?: boolean | undefined;
}

export interface DetailedResult<E extends HookEventName> extends FiringOutcome<AggregatedResult<E>> {}

/** Fires the events of an agent. On a bus every request gets one response. */
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: the fire methods are made from the catalogue, type and all
export class HookEventHandler extends EventHandler {
  readonly #kind: AgentEventKind;
  readonly guardWarnings: GuardWarnings | undefined;

  constructor(
    config: HostConfig,
    planner: EventPlanner,
    runner: EventRunner,
    aggregator: EventAggregator,
    bus?: Bus,
    deps: HookEventHandlerDeps = {},
  ) {
    const isSilent = deps.logger !== undefined || deps.warnings === false;
    const warnings = isSilent ? undefined : new GuardWarnings(() => config.getSessionId());
    const logger = createPartLogger(deps.logger, 'handler');
    const timestamp = createTimestamps(deps.clock ?? systemClock, logger);
    const kind = new AgentEventKind({ ...deps, config, logger, planner, runner, aggregator, timestamp, warnings });
    super(kind, bus, deps);
    this.#kind = kind;
    this.guardWarnings = warnings;
  }

  /** Resolves with the merged result. Never rejects. */
  fire<E extends HookEventName>(
    eventName: E,
    payload: PayloadOf<E>,
    options?: FireOptions,
  ): Promise<AggregatedResult<E>> {
    return this.perform(this.#kind.firing(eventName, payload, options), addEventError);
  }

  /** Resolves with the merged result and the result of each hook. Never rejects. */
  fireDetailed<E extends HookEventName>(
    eventName: E,
    payload: PayloadOf<E>,
    options?: FireOptions,
  ): Promise<DetailedResult<E>> {
    return this.perform(this.#kind.firing(eventName, payload, options), (outcome) => outcome);
  }

  hearLater(result: HookExecutionResult): void {
    keepLateAnswer(this.#kind.late, result);
  }

  /** Waits up to `graceMs` for background hooks, and resolves to the names of those that still run then. */
  settleBackground(graceMs: number): Promise<readonly string[]> {
    return this.#kind.runs.settle(graceMs);
  }
}

/** One method per event with positional arguments, such as `fireBeforeToolEvent(name, input)`. */
type FireMethods = {
  [E in HookEventName as `fire${E}Event`]: (...args: ArgsOf<E>) => Promise<AggregatedResult<E>>;
};

export interface HookEventHandler extends FireMethods {}

const createFireMethod = <E extends HookEventName>(eventName: E) =>
  function fireEvent(this: HookEventHandler, ...args: ArgsOf<E>): Promise<AggregatedResult<E>> {
    return this.fire(eventName, catalogue[eventName].fromArgs(...args));
  };

for (const eventName of hookEventNames) {
  Object.defineProperty(HookEventHandler.prototype, `fire${eventName}Event`, {
    value: createFireMethod(eventName),
    writable: true,
    configurable: true,
  });
}
