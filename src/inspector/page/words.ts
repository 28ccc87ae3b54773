/** What verdicts and outcomes are called, and the mark beside the word, so that nothing hangs on a colour. */
export const verdicts: Readonly<Record<string, { readonly word: string; readonly mark: string }>> = {
  none: { word: 'no opinion', mark: '·' },
  allow: { word: 'allowed', mark: '✓' },
  ask: { word: 'asks', mark: '?' },
  deny: { word: 'denied', mark: '✕' },
  stop: { word: 'stopped', mark: '■' },
  error: { word: 'no answer', mark: '!' },
};

export const outcomes: Readonly<Record<string, string>> = {
  answered: 'answered',
  silent: 'said nothing',
  faulted: 'failed',
  background: 'goes on in the background',
  running: 'running',
};

export const took = (ms: number | undefined): string => {
  if (ms === undefined) return '';
  if (ms < 1) return '<1 ms';
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(ms < 10_000 ? 2 : 1)} s`;
};

const two = (value: number): string => String(Math.floor(value)).padStart(2, '0');

/** Since the beginning: `0:03.120`. */
export const clock = (at: number): string => {
  const seconds = at / 1_000;
  const rest = `${two(seconds % 60)}.${String(Math.floor(at % 1_000)).padStart(3, '0')}`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes}:${rest}` : `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${rest}`;
};

export const counted = (count: number, noun: string): string =>
  `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;

/** The value at a share of a sorted list. */
export const quantile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
