/** The parking of one tool call while `confirm` is asked about it: at most one token, which counts if it is the answer. */
import { isRecord } from '../kit/index.ts';
import type { CallToPark, ParkAnswer, ParkedCall, Parking } from '../protocol/index.ts';

export class ParkingSpace {
  readonly #parking: Parking;
  readonly #toPark: () => CallToPark;
  #made: Promise<{ readonly token: string; readonly call: ParkedCall }> | undefined;
  /** There once the call is parked. */
  parked: ParkedCall | undefined;

  constructor(parking: Parking, toPark: () => CallToPark) {
    this.#parking = parking;
    this.#toPark = toPark;
  }

  readonly park = async (): Promise<ParkAnswer> => {
    this.#made ??= this.#parking.park(this.#toPark());
    return { park: (await this.#made).token };
  };

  /** Whether the answer parks the call. A token that is not the answer is spent, so that its call cannot run besides. */
  async isParkedBy(answer: ParkAnswer | boolean): Promise<boolean> {
    const made = await this.#made;
    if (made === undefined) return false;
    if (isRecord(answer) && answer.park === made.token) {
      this.parked = made.call;
      return true;
    }
    await this.#parking.spend(made.call);
    return false;
  }

  /** For a question that failed or was cancelled: its token counts no more. */
  async giveUp(): Promise<void> {
    await this.isParkedBy(false).catch(() => undefined);
  }
}
