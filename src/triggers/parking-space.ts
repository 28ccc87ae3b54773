/** Parks a tool call while `confirm` decides: at most one token, which is valid only if `confirm` returns it. */
import { createInvalidArgument } from '../errors.ts';
import { isRecord } from '../kit/index.ts';
import type { CallToPark, ParkAnswer, ParkedCall, Parking } from '../protocol/index.ts';

export class ParkingSpace {
  readonly #parking: Parking;
  readonly #toPark: () => CallToPark;
  #made: Promise<{ readonly token: string; readonly call: ParkedCall }> | undefined;
  #isAnswered = false;
  parked: ParkedCall | undefined;

  constructor(parking: Parking, toPark: () => CallToPark) {
    this.#parking = parking;
    this.#toPark = toPark;
  }

  readonly park = async (): Promise<ParkAnswer> => {
    if (this.#isAnswered)
      throw createInvalidArgument('park was called after the question was answered: nothing is parked');
    this.#made ??= this.#parking.park(this.#toPark());
    return { park: (await this.#made).token };
  };

  /** A token that `confirm` created but did not return is made invalid, so that the call cannot run twice. */
  async isParkedBy(answer: ParkAnswer | boolean): Promise<boolean> {
    this.#isAnswered = true;
    const made = await this.#made;
    if (made === undefined) return false;
    if (isRecord(answer) && answer.park === made.token) {
      this.parked = made.call;
      return true;
    }
    await this.#parking.spend(made.call);
    return false;
  }

  /** Called after a confirmation that failed or was cancelled: the token becomes invalid. */
  async giveUp(): Promise<void> {
    await this.isParkedBy(false).catch(() => undefined);
  }
}
