/** `fakeClock`: a wall clock that moves only when a test moves it. */
import { createInvalidArgument } from '../errors.ts';
import { describeValue } from '../kit/index.ts';
import type { Clock } from '../protocol/index.ts';

export interface FakeClockOptions {
  readonly start?: Date | string | number | undefined;
}

/** Pass the clock to the engine as `deps.clock`. */
export interface FakeClock extends Clock {
  advance(ms: number): void;
  /** Moves the clock forward, or back if `ms` is negative, as a time server may do. */
  jump(ms: number): void;
}

const DEFAULT_START_MS = Date.UTC(2026, 0, 1);

const expectMs = (method: string, ms: unknown, isGood: boolean, what: string): void => {
  if (typeof ms === 'number' && Number.isFinite(ms) && isGood) return;
  throw createInvalidArgument(`${method} needs ${what}, got ${describeValue(ms)}`);
};

const readStart = (start: Date | string | number): number => {
  const time = typeof start === 'number' ? start : new Date(start).getTime();
  if (Number.isFinite(time) && Math.abs(time) <= 8.64e15) return time;
  throw createInvalidArgument(`fakeClock: start needs a time, got ${describeValue(start)}`);
};

/**
 * Creates a wall clock that moves only by `advance` and `jump`. The engine uses wall time only in inputs and traces.
 * Timeouts use a monotonic clock, so moving this clock ends no hook.
 */
export const fakeClock = ({ start = DEFAULT_START_MS }: FakeClockOptions = {}): FakeClock => {
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
