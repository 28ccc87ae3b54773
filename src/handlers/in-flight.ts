import { HookwrightError } from '../errors.ts';
import type { EventOf, FamilyTypes } from './family.ts';
import type { Firing } from './firing.ts';
import { Ticket } from './ticket.ts';

/** Requests that may be in flight at once; one more is refused at once rather than piled up. */
const MAX_IN_FLIGHT = 20_000;

/** The events of one engine that hooks run for, so that they can be ended early. */
export class InFlight {
  readonly #tickets = new Set<Ticket>();
  readonly #requests = new Map<string, Ticket>();

  open<F extends FamilyTypes, E extends EventOf<F>>({ options, correlationId, isRequest }: Firing<F, E>): Ticket {
    const ticket = new Ticket(options, isRequest);
    this.#tickets.add(ticket);
    if (isRequest && correlationId !== undefined) this.#requests.set(correlationId, ticket);
    return ticket;
  }

  close<F extends FamilyTypes, E extends EventOf<F>>({ correlationId, isRequest }: Firing<F, E>, ticket: Ticket): void {
    this.#tickets.delete(ticket);
    if (isRequest && correlationId !== undefined) this.#requests.delete(correlationId);
    ticket.close();
  }

  /** Why a request of this id cannot be taken, if it cannot. */
  whyNot(correlationId: string): HookwrightError | undefined {
    if (this.#requests.has(correlationId)) {
      return new HookwrightError('duplicate_request', `The request "${correlationId}" is still being answered`);
    }
    if (this.#requests.size < MAX_IN_FLIGHT) return undefined;
    return new HookwrightError('overloaded', `${MAX_IN_FLIGHT} requests are in flight; try again later`);
  }

  cancel(correlationId: string): void {
    this.#requests.get(correlationId)?.end(new HookwrightError('cancelled', 'The request was cancelled'));
  }

  /** Ends everything; what had finished is in the answers. */
  endAll(reason: HookwrightError): void {
    for (const ticket of [...this.#tickets]) ticket.end(reason);
  }
}
