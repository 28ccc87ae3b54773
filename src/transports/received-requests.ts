/** Matches the responses of a host with the requests that it received. */
import { RecentMap } from '../kit/index.ts';

/** Identifies a request across processes: the process that sent it, and the number that this process gave it. */
export interface ReplyAddress {
  readonly caller: string;
  readonly number: string;
}

export interface ReceivedRequest extends ReplyAddress {
  /** Deadline on the clock of `performance.now()`; a later answer is not sent. */
  readonly expiresAt: number;
  /** False if this process only watches requests that another host answers. */
  readonly isOurs: boolean;
}

/** Several callers may send requests with the same id. The first answer belongs to the first request. */
export class ReceivedRequests {
  readonly #owed = new Set<string>();
  readonly #byId = new RecentMap<ReceivedRequest[]>(undefined, (forgotten) => {
    for (const { number } of forgotten) this.#owed.delete(number);
  });
  /** A broker may deliver a request twice. */
  readonly #seen = new RecentMap<true>();

  get owed(): number {
    return this.#owed.size;
  }

  owes(number: string): boolean {
    return this.#owed.has(number);
  }

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

  isOfOthers(id: string, caller: string | undefined): boolean {
    const known = this.#byId.get(id);
    return known !== undefined && !known.some((addressee) => addressee.caller === caller);
  }

  /** If a request is refused as a duplicate, its id was first used by another request, which keeps the real answer. */
  take(id: string, isRefusedDuplicate: boolean): ReceivedRequest | undefined {
    const known = this.#byId.get(id);
    const addressee = isRefusedDuplicate ? known?.pop() : known?.shift();
    if (known?.length === 0) this.#byId.delete(id);
    if (addressee !== undefined) this.#owed.delete(addressee.number);
    return addressee;
  }
}
