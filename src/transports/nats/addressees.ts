import type { Address } from './subjects.ts';

/** A question that came here, and where its answer has to go. */
export interface Addressee extends Address {
  /** By `performance.now()`: an answer after that is not sent. */
  readonly expiresAt: number;
  /** Whether this process serves it, and owes an answer. */
  readonly isOurs: boolean;
}

/** As many questions that nobody answered are remembered, and at most twice as many. */
const REMEMBERED = 20_000;

/** Who asked what, until it is answered. Two callers may have chosen one id: the first answer belongs to the first. */
export class Addressees {
  #current = new Map<string, Addressee[]>();
  #previous = new Map<string, Addressee[]>();
  /** Questions that were delivered here, so that a second delivery of one is known. */
  #seen = new Set<string>();
  #seenBefore = new Set<string>();
  #owed = new Set<string>();

  /** Those that this process owes an answer to. */
  get owed(): number {
    return this.#owed.size;
  }

  owes(number: string): boolean {
    return this.#owed.has(number);
  }

  /** @returns false when this very question was delivered before. */
  isFirst({ caller, number }: Address): boolean {
    const key = `${caller} ${number}`;
    if (this.#seen.has(key) || this.#seenBefore.has(key)) return false;
    if (this.#seen.size >= REMEMBERED) {
      this.#seenBefore = this.#seen;
      this.#seen = new Set();
    }
    this.#seen.add(key);
    return true;
  }

  add(id: string, addressee: Addressee): void {
    const known = this.#current.get(id) ?? this.#previous.get(id);
    if (addressee.isOurs) this.#owed.add(addressee.number);
    if (known === undefined) {
      if (this.#current.size >= REMEMBERED) this.#forgetOld();
      this.#current.set(id, [addressee]);
      return;
    }
    const index = known.findIndex(({ number, caller }) => number === addressee.number && caller === addressee.caller);
    if (index === -1) known.push(addressee);
    else if (addressee.isOurs) known[index] = addressee;
  }

  /** Whether a question was asked by others, as far as is known here. */
  isOfOthers(id: string, caller: string | undefined): boolean {
    const known = this.#current.get(id) ?? this.#previous.get(id);
    return known !== undefined && !known.some((addressee) => addressee.caller === caller);
  }

  /** Whose answer this is: a refusal as duplicate is that of whoever came last. */
  take(id: string, isRefusedDuplicate: boolean): Addressee | undefined {
    const known = this.#current.get(id) ?? this.#previous.get(id);
    const addressee = isRefusedDuplicate ? known?.pop() : known?.shift();
    if (known?.length === 0) {
      this.#current.delete(id);
      this.#previous.delete(id);
    }
    if (addressee !== undefined) this.#owed.delete(addressee.number);
    return addressee;
  }

  #forgetOld(): void {
    for (const one of [...this.#previous.values()].flat()) this.#owed.delete(one.number);
    this.#previous = this.#current;
    this.#current = new Map();
  }
}
