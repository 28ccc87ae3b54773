import { UsageError } from '../usage-error.ts';

const units: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** The milliseconds of a time such as `10m`, of one of these units. */
export const readTime = (
  flag: string,
  text: string,
  { allowed, maxMs, such, example }: { allowed: string; maxMs: number; such: string; example: string },
): number => {
  const [, count = '', unit = ''] = /^(\d{1,6})([a-z])$/.exec(text) ?? [];
  const ms = allowed.includes(unit) ? Number(count) * (units[unit] ?? 0) : 0;
  if (ms > 0 && ms <= maxMs) return ms;
  throw new UsageError(`--${flag} takes a time such as ${such}; found ${JSON.stringify(text)}`, example);
};

/** When `--since` begins, such as `7d` ago. */
export const readSince = (since: string, command: string): number =>
  Date.now() -
  readTime('since', since, {
    allowed: 'smhd',
    maxMs: Number.POSITIVE_INFINITY,
    such: '30m, 12h or 7d',
    example: `hookwright ${command} --since 7d`,
  });
