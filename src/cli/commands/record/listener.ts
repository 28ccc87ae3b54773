import type { Socket } from 'node:net';
import type { Bus } from '../../../bus/index.ts';
import { counted } from '../../rendering/problem-lines.ts';
import { type TapLine, takeLines } from '../../rendering/tap-lines.ts';

/** Publishes what comes out of taps on a bus of our own, where it is recorded. */
export class Listener {
  readonly #bus: Bus;
  readonly #onProblem: (message: string) => void;
  readonly #open = new Set<Promise<void>>();
  messages = 0;
  dropped = 0;

  constructor(bus: Bus, onProblem: (message: string) => void) {
    this.#bus = bus;
    this.#onProblem = onProblem;
  }

  readonly listenTo = (socket: Socket): Promise<void> => {
    const closed = takeLines(socket, (line) => this.#take(line));
    this.#open.add(closed);
    return closed.finally(() => this.#open.delete(closed));
  };

  /** Resolves when no connection is left. */
  async idle(): Promise<void> {
    await Promise.all(this.#open);
  }

  #take(line: TapLine): void {
    if (line.kind === 'entry') {
      this.messages += 1;
      this.#bus.publish(line.entry.message);
    }
    if (line.kind === 'problem') this.#onProblem(line.message);
    if (line.kind !== 'dropped') return;
    this.dropped += line.count;
    this.#onProblem(`${counted(line.count, 'message')} were dropped because they came too fast`);
  }
}
