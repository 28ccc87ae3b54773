import type { Clock } from '../../protocol/index.ts';

/** Formats the current time, once per millisecond, because formatting a date costs more than a function hook. */
export const createTimestamps = (clock: Clock): (() => string) => {
  let formattedAt = Number.NaN;
  let text = '';
  return () => {
    const now = clock.now();
    if (now !== formattedAt) {
      formattedAt = now;
      text = new Date(now).toISOString();
    }
    return text;
  };
};
