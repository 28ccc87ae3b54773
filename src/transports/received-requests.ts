/** Matches the responses of a host with the requests that it received. */
import { RecentMap } from '../kit/index.ts';

/** The process that sent a request, and the request's number there. */
export interface ReplyAddress {
  readonly caller: string;
  readonly number: string;
}

/** A received request and the address of its response. */
export interface ReceivedRequest extends ReplyAddress {
  /** On the clock of `performance.now()`; a later answer is not sent. */
  readonly expiresAt: number;
  /** Whether this process serves the request and must answer. */
  readonly isOurs: boolean;
}

/** Several callers may use the same id: the first answer belongs to the first of them. */
export class ReceivedRequests {
  /** Numbers of requests that this process must answer. */
  readonly #owed = new Set<string>();
  readonly #byId = new RecentMap<ReceivedRequest[]>(undefined, (forgotten) => {
    for (const { number } of forgotten) this.#owed.delete(number);
  });
  /** Recently delivered requests, to detect a second delivery. */
  readonly #seen = new RecentMap<true>();

  get owed(): number {
    return this.#owed.size;
  }

  owes(number: string): boolean {
    return this.#owed.has(number);
  }

  /** @returns `false` if this request was delivered before. */
  isFirst({ caller, number }: ReplyAddress): boolean {
    const key = `${caller} ${number}`;
    if (this.#seen.get(key) !== undefined) return false;
    this.#seen.set(key, true);
    return true;
  }

  add(id: string, addressee: ReceivedRequest): void {
    const known = this.#byId.get(id);
    if (addressee.isOurs) this.#owed.add(addressee.number);
    if (known === undefined) {
      this.#byId.set(id, [addressee]);
      return;
    }
    const index = known.findIndex(({ number, caller }) => number === addressee.number && caller === addressee.caller);
    if (index === -1) known.push(addressee);
    else if (addressee.isOurs) known[index] = addressee;
  }

  /** Whether a request was received, and only from other callers. */
  isOfOthers(id: string, caller: string | undefined): boolean {
    const known = this.#byId.get(id);
    return known !== undefined && !known.some((addressee) => addressee.caller === caller);
  }

  /** The address of a response; a refusal as duplicate goes to the latest caller. */
  take(id: string, isRefusedDuplicate: boolean): ReceivedRequest | undefined {
    const known = this.#byId.get(id);
    const addressee = isRefusedDuplicate ? known?.pop() : known?.shift();
    if (known?.length === 0) this.#byId.delete(id);
    if (addressee !== undefined) this.#owed.delete(addressee.number);
    return addressee;
  }
}
