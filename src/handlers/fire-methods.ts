import {
  type AggregatedResult,
  type ArgsOf,
  catalogue,
  type HookEventName,
  hookEventNames,
  type PayloadOf,
} from '../events/index.ts';

/** One method per event, with the event's positional arguments: `fireBeforeToolEvent(name, input)`. */
export type FireMethods = {
  [E in HookEventName as `fire${E}Event`]: (...args: ArgsOf<E>) => Promise<AggregatedResult<E>>;
};

interface Firing {
  fire<E extends HookEventName>(eventName: E, payload: PayloadOf<E>): Promise<AggregatedResult<E>>;
}

const methodFor = <E extends HookEventName>(eventName: E) =>
  function fireEvent(this: Firing, ...args: ArgsOf<E>): Promise<AggregatedResult<E>> {
    return this.fire(eventName, catalogue[eventName].fromArgs(...args));
  };

/** Gives a class its fire methods, made from the catalogue. */
export const addFireMethods = (prototype: object): void => {
  for (const eventName of hookEventNames) {
    const value = methodFor(eventName);
    Object.defineProperty(prototype, `fire${eventName}Event`, { value, writable: true, configurable: true });
  }
};
