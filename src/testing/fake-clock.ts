/** A wall clock for tests that moves only when told to. */
import { invalidArgument } from '../errors.ts';
import { describeValue } from '../kit/index.ts';
import type { Clock } from '../protocol/index.ts';

export interface FakeClockOptions {
  /** Start time. Default: 2026-01-01T00:00Z. */
  readonly start?: Date | string | number | undefined;
}

/** Pass it as `deps.clock`. */
export interface FakeClock extends Clock {
  /** Moves the clock forward. */
  advance(ms: number): void;
  /** Sets the clock forward, or with a negative number back, as time servers do. */
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
 * Creates a wall clock that moves only by `advance` and `jump`. The engine uses wall time in inputs and traces only;
 * timeouts use a monotonic clock, so moving this one does not end a hook.
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
