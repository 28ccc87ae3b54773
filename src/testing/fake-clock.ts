import { invalidArgument } from '../errors.ts';
import { describeValue } from '../kit/index.ts';
import type { Clock } from '../protocol/index.ts';

export interface FakeClockOptions {
  /** What it shows at first; midnight of 1 January 2026 in Greenwich when left out. */
  readonly start?: Date | string | number | undefined;
}

/** For `deps.clock`: it shows one time until it is moved. */
export interface FakeClock extends Clock {
  /** Moves it forward. */
  advance(ms: number): void;
  /** Sets the clock, as time servers and daylight saving do: forwards, or with a negative number backwards. */
  jump(ms: number): void;
}

const DEFAULT_START = Date.UTC(2026, 0, 1);

const expectMs = (method: string, ms: unknown, isGood: boolean, what: string): void => {
  if (typeof ms === 'number' && Number.isFinite(ms) && isGood) return;
  throw invalidArgument(`${method} needs ${what}, got ${describeValue(ms)}`);
};

const readStart = (start: Date | string | number): number => {
  const time = typeof start === 'number' ? start : new Date(start).getTime();
  if (Number.isFinite(time) && Math.abs(time) <= 8.64e15) return time;
  throw invalidArgument(`fakeClock: start needs a time, got ${describeValue(start)}`);
};

/**
 * A wall clock that stands still until it is moved. The engine uses wall time in inputs and traces only; timeouts and
 * durations are measured by a monotonic clock, so moving this one does not end a hook.
 */
export const fakeClock = ({ start = DEFAULT_START }: FakeClockOptions = {}): FakeClock => {
  let now = readStart(start);
  return {
    now: () => now,
    advance: (ms) => {
      expectMs('advance', ms, ms >= 0, 'milliseconds from 0; to go back, jump');
      now += ms;
    },
    jump: (ms) => {
      expectMs('jump', ms, true, 'milliseconds');
      now += ms;
    },
  };
};
