/** Parks a tool call while `confirm` decides: at most one token, which is valid only if `confirm` returns it. */
import { createInvalidArgument, HookwrightError } from '../errors.ts';
import { describeThrown, isRecord } from '../kit/index.ts';
import type { CallToPark, ParkAnswer, ParkedCall, Parking } from '../protocol/index.ts';
import { limitTime } from './within-time.ts';

/** A store that does not answer must not keep a cancelled call from ending. */
const SPEND_TIMEOUT_MS = 250;

export class CallParker {
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

  /**
   * Called after a confirmation that failed or was cancelled: the token becomes invalid. Returns why it may still be
   * valid, otherwise an empty text.
   */
  async giveUp(): Promise<string> {
    this.#isAnswered = true;
    try {
      await limitTime(this.#spend(), { timeoutMs: SPEND_TIMEOUT_MS });
      return '';
    } catch (error) {
      const isSpent = HookwrightError.is(error) && error.code === 'token_refused';
      return isSpent ? '' : `; its token may still be valid: ${describeThrown(error)}`;
    }
  }

  async #spend(): Promise<void> {
    const made = await this.#made?.catch(() => undefined);
    if (made !== undefined) await this.#parking.spend(made.call);
  }
}
