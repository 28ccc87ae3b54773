import type { Bus } from '../../../bus/index.ts';
import { type AnswerMessage, answerTypes, isAnswerType, isRequestType, requestTypes } from '../../../protocol/index.ts';
import type { SessionEntry } from '../reading/format.ts';
import { Remembered } from '../recording/remembered.ts';
import { type LineOfSession, lineOfSession, type Player, problemAt, type ReplayProblem } from './player.ts';

/** A list that nobody reads to its end. */
const MAX_PROBLEMS = 1_000;

interface Observed {
  /** Where its request stands; the request itself may be large. */
  readonly place: LineOfSession;
  published: number;
  heard: number;
  isReported: boolean;
}

/** Publishes the messages as they were recorded, and notices when somebody answers the requests among them once more. */
export class Observing implements Player {
  readonly #bus: Bus;
  readonly #observed = new Remembered<Observed>();
  readonly #problems: ReplayProblem[] = [];
  readonly #stopListening: () => void;

  constructor(bus: Bus) {
    this.#bus = bus;
    const stops = Object.values(answerTypes).map((type) => bus.subscribe(type, (response) => this.#heard(response)));
    this.#stopListening = () => {
      for (const stop of stops) stop();
    };
  }

  takes(): boolean {
    return true;
  }

  play(entry: SessionEntry): undefined {
    const { message } = entry;
    const { type, correlationId } = message;
    if (isRequestType(type) && this.#bus.isHeard(type)) {
      this.#observed.set(correlationId, { place: lineOfSession(entry), published: 0, heard: 0, isReported: false });
    }
    if (isAnswerType(type)) {
      const observed = this.#observed.get(correlationId);
      if (observed !== undefined) observed.published += 1;
    }
    this.#bus.publish(message);
  }

  async finish() {
    // A handler with functions for hooks has answered by then.
    if (this.#mayBeAnswered) await new Promise((resolve) => setImmediate(resolve));
    return { pairs: [], problems: this.#problems };
  }

  end(): void {
    this.#stopListening();
  }

  get #mayBeAnswered(): boolean {
    return requestTypes.some((type) => this.#bus.isHeard(type));
  }

  #heard({ correlationId }: AnswerMessage): void {
    const observed = this.#observed.get(correlationId);
    if (observed === undefined) return;
    observed.heard += 1;
    if (observed.heard <= observed.published || observed.isReported) return;
    observed.isReported = true;
    if (this.#problems.length >= MAX_PROBLEMS) return;
    const message = 'a handler on this bus answered the request as well; observe on a bus without one, or drive';
    this.#problems.push(problemAt(observed.place, 'duplicate-response', message));
  }
}
