import { firstValueFrom, type Observable } from 'rxjs';
import { HookAggregator } from '../../../src/aggregator/index.ts';
import { type AgentEvents, agentFamily } from '../../../src/handlers/families/agent.ts';
import type { Firing, Planned, Timed, Watched } from '../../../src/handlers/firing.ts';
import { InFlight } from '../../../src/handlers/in-flight.ts';
import type { Parts } from '../../../src/handlers/parts.ts';
import { Timestamps } from '../../../src/handlers/reporting/timestamps.ts';
import { Ticket } from '../../../src/handlers/ticket.ts';
import { type HookConfig, HookRunner } from '../../../src/index.ts';
import { systemClock } from '../../../src/protocol/index.ts';
import { hostWith } from '../../support/host.ts';

type AgentParts = Parts<AgentEvents>;

/** The parts of an engine whose planner gives these hooks for every event. */
export const partsWith = (hooks: HookConfig[] = [], more: Partial<AgentParts> = {}): AgentParts => {
  const config = hostWith();
  const timestamps = new Timestamps(systemClock);
  const family = agentFamily({
    config,
    planner: {
      createExecutionPlan: (eventName) =>
        hooks.length === 0 ? null : { eventName, hookConfigs: hooks, sequential: false },
    },
    runner: new HookRunner(config),
    aggregator: new HookAggregator(),
    timestamps,
  });
  return {
    family,
    id: 'engine',
    newId: () => 'an id',
    bus: undefined,
    inFlight: new InFlight(),
    audience: { bus: undefined },
    feedback: undefined,
    timestamps,
    isOver: () => false,
    isWatched: () => false,
    ...more,
  };
};

export const firing: Firing<AgentEvents, 'BeforeTool'> = {
  eventName: 'BeforeTool',
  payload: { tool_name: 'shell', tool_input: { command: 'ls' } },
  options: {},
  correlationId: undefined,
  isRequest: false,
};

export const planned = ({ family }: AgentParts): Planned<AgentEvents, 'BeforeTool'> => ({
  firing,
  plan: family.plan('BeforeTool', firing.payload, {}),
});

export const timed = (parts: AgentParts, ticket = new Ticket({}, true)): Timed<AgentEvents, 'BeforeTool'> => ({
  ...planned(parts),
  ticket,
});

/** What a watch was told, in order. */
export const watched = (parts: AgentParts, ticket?: Ticket) => {
  const told: string[] = [];
  const watch: Watched<AgentEvents, 'BeforeTool'> = {
    ...timed(parts, ticket),
    watch: {
      again: (index) => index,
      started: (index) => told.push(`started ${index}`),
      ended: (index) => told.push(`ended ${index}`),
    },
  };
  return { told, watched: watch };
};

export const hook = (
  name: string,
  action: NonNullable<HookConfig['action']>,
  more: Partial<HookConfig> = {},
): HookConfig => ({
  type: 'runtime',
  name,
  action,
  ...more,
});

export const first = <T>(given$: Observable<T>): Promise<T> => firstValueFrom(given$);
