// Labels and number formats of the page.
import type { HookRow } from '../../protocol/index.ts';
import type { AskOutcome } from '../request-log.ts';

/** The marks let users distinguish verdicts without colours. */
export const verdictLabels: Readonly<Record<string, { readonly word: string; readonly mark: string }>> = {
  none: { word: 'no opinion', mark: '·' },
  allow: { word: 'allowed', mark: '✓' },
  ask: { word: 'asked', mark: '?' },
  deny: { word: 'denied', mark: '✕' },
  stop: { word: 'stopped', mark: '■' },
  error: { word: 'no answer', mark: '!' },
};

export const askOutcomeLabels: Readonly<Record<AskOutcome, string>> = {
  waiting: 'waiting for an answer',
  parked: 'parked, waiting for an approval',
  approved: 'approved',
  denied: 'denied',
  unanswered: 'not answered in time',
};

export const runKindLabels = {
  deny: 'denied',
  ask: 'asked',
  allow: 'allowed',
  none: 'no opinion',
  fault: 'failed',
} as const;

export type RunKind = keyof typeof runKindLabels;

const kindsByVerdict: Readonly<Record<string, RunKind>> = {
  none: 'none',
  allow: 'allow',
  ask: 'ask',
  deny: 'deny',
  stop: 'deny',
  error: 'fault',
};

export const toRunKind = ({ outcome, output }: HookRow): RunKind => {
  if (outcome === 'faulted') return 'fault';
  if (output?.continue === false) return 'deny';
  const { decision = 'none' } = output ?? {};
  return kindsByVerdict[decision === 'block' ? 'deny' : decision === 'approve' ? 'allow' : decision] ?? 'none';
};

export const outcomeLabels: Readonly<Record<string, string>> = {
  answered: 'answered',
  silent: 'said nothing',
  faulted: 'failed',
  background: 'goes on in the background',
  running: 'running',
};

export const formatDuration = (ms: number | undefined): string => {
  if (ms === undefined) return '';
  if (ms < 1) return '<1 ms';
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(ms < 10_000 ? 2 : 1)} s`;
};

export const createAxisMarks = (whole: number): { readonly ms: number; readonly label: string }[] => {
  const rough = whole / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10) * power;
  const isSeconds = whole >= 2_000;
  const unit = isSeconds ? 1_000 : 1;
  const digits = Math.max(0, -Math.floor(Math.log10(step / unit) + 1e-9));
  const count = Math.floor(whole / step + 1e-9);
  return Array.from({ length: count + 1 }, (_, index) => ({
    ms: index * step,
    label: index === 0 ? '0' : `${((index * step) / unit).toFixed(digits)} ${isSeconds ? 's' : 'ms'}`,
  }));
};

const padTwoDigits = (value: number): string => String(Math.floor(value)).padStart(2, '0');

/** `0:03.120`: minutes, seconds and milliseconds since the session began. */
export const formatTime = (at: number): string => {
  const seconds = at / 1_000;
  const rest = `${padTwoDigits(seconds % 60)}.${String(Math.floor(at % 1_000)).padStart(3, '0')}`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes}:${rest}` : `${Math.floor(minutes / 60)}:${padTwoDigits(minutes % 60)}:${rest}`;
};

export const formatCount = (count: number, noun: string): string =>
  `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;

export const findQuantile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
