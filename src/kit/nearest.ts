// Suggests the known name that a misspelled name probably means.
import { HookwrightError } from '../errors.ts';

/** Damerau–Levenshtein distance: insertions, deletions, replacements, and swaps of neighbouring letters. */
const measureEditDistance = (a: string, b: string): number => {
  let before: number[] = [];
  let above = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const letter = a.charCodeAt(i - 1);
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const other = b.charCodeAt(j - 1);
      let cost = Math.min((above[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (above[j - 1] ?? 0) + (letter === other ? 0 : 1));
      const swapped = i > 1 && j > 1 && letter === b.charCodeAt(j - 2) && a.charCodeAt(i - 2) === other;
      if (swapped) cost = Math.min(cost, (before[j - 2] ?? 0) + 1);
      row.push(cost);
    }
    before = above;
    above = row;
  }
  return above[b.length] ?? 0;
};

const toComparableName = (text: string): string => text.toLowerCase().replace(/[-_\s]/g, '');

const differBySwap = (a: string, b: string): boolean => {
  if (a.length !== b.length) return false;
  const [first, second, ...more] = Array.from(a, (_, index) => index).filter((index) => a[index] !== b[index]);
  if (first === undefined || second === undefined || more.length > 0) return false;
  return a[first] === b[second] && a[second] === b[first];
};

export const isTypingMistake = (name: string, known: string): boolean => {
  if (Math.abs(name.length - known.length) > 3) return false;
  const [typed, meant] = [toComparableName(name), toComparableName(known)];
  if (Math.abs(typed.length - meant.length) > 1) return false;
  return measureEditDistance(typed, meant) <= 1 || differBySwap(typed, meant);
};

const MAX_COMPARISONS = 50;

const MIN_BEGINNING_LENGTH = 4;

/** Returns `claude-code` for `claude` if no other known name begins with `claude`. */
const findOnlyNameBeginningWith = (wanted: string, known: readonly string[]): string | undefined => {
  if (wanted.length < MIN_BEGINNING_LENGTH) return undefined;
  const [first, second] = known.filter((candidate) => toComparableName(candidate).startsWith(wanted));
  return second === undefined ? first : undefined;
};

export const findNearestName = (name: string, known: readonly string[]): string | undefined => {
  if (name.length > 64) return undefined;
  const wanted = toComparableName(name);
  const tolerated = Math.max(1, Math.floor(wanted.length / 3));
  let best: { name: string; cost: number } | undefined;
  let comparisons = 0;
  for (const candidate of known) {
    const folded = toComparableName(candidate);
    if (Math.abs(folded.length - wanted.length) > tolerated) continue;
    comparisons += 1;
    if (comparisons > MAX_COMPARISONS) break;
    const cost = measureEditDistance(wanted, folded);
    if (cost <= tolerated && (best === undefined || cost < best.cost)) best = { name: candidate, cost };
  }
  return best?.name ?? findOnlyNameBeginningWith(wanted, known);
};

export const formatSuggestion = (name: string, known: readonly string[]): string => {
  const near = findNearestName(name, known);
  return near === undefined ? '' : `; did you mean "${near}"?`;
};

/** Refuses unknown options: a misspelt `onFault` would turn a guard into an ordinary hook. */
export const expectKnown = (method: string, given: object, known: readonly string[]): void => {
  const key = Object.keys(given).find((name) => !known.includes(name));
  if (key === undefined) return;
  const message = `${method} does not take "${key}"${formatSuggestion(key, known) || `; it takes ${known.join(', ')}`}`;
  throw new HookwrightError('invalid_argument', message, { details: { method, key, known } });
};
