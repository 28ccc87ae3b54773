import type { Bus } from '../../bus/index.ts';

/** Gives the `traceparent` under which the hooks of a traced request run. */
export type TraceParentOf = (correlationId: string) => string | undefined;

const carriers = new WeakMap<Bus, TraceParentOf>();

/** From now on hooks of requests on this bus are told which trace they belong to. What comes back ends that. */
export const carryTraces = (bus: Bus, traceParentOf: TraceParentOf): (() => void) => {
  carriers.set(bus, traceParentOf);
  return () => {
    if (carriers.get(bus) === traceParentOf) carriers.delete(bus);
  };
};

export const traceParentFor = (bus: Bus | undefined, correlationId: string | undefined): string | undefined =>
  bus === undefined || correlationId === undefined ? undefined : carriers.get(bus)?.(correlationId);
