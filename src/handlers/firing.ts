import type { Observable } from 'rxjs';
import type { EventOf, FamilyTypes, PayloadIn, Watch } from './family.ts';
import type { Ticket } from './ticket.ts';

/** One event on its way. What a stage finds out is in what it hands to the next. */
export interface Firing<F extends FamilyTypes, E extends EventOf<F>> {
  readonly eventName: E;
  readonly payload: PayloadIn<F, E>;
  readonly options: F['options'];
  /** The id under which it is known on the bus, if it is. */
  readonly correlationId: string | undefined;
  /** It came over the bus: its payload was checked, it can be cancelled, and its hooks start after `publish` has returned. */
  readonly isRequest: boolean;
  /** Its clock runs already, because it had to wait for the hooks to be loaded. */
  readonly ticket?: Ticket | undefined;
}

export interface Planned<F extends FamilyTypes, E extends EventOf<F>> {
  readonly firing: Firing<F, E>;
  readonly plan: F['plan'];
}

export interface Timed<F extends FamilyTypes, E extends EventOf<F>> extends Planned<F, E> {
  readonly ticket: Ticket;
}

export interface Watched<F extends FamilyTypes, E extends EventOf<F>> extends Timed<F, E> {
  readonly watch: Watch;
}

/** What follows a stage. Every one of them gives one value, whatever happens, and does not fail but where it says so. */
export type Next<In, Out> = (firing: In) => Observable<Out>;

/** Hands what it was given to what follows, once, more often or not at all, and makes of what comes back what it gives. */
export type Stage<Parts, In, Out> = (parts: Parts, firing: In, next: Next<In, Out>) => Observable<Out>;
