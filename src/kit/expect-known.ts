import { HookwrightError } from '../errors.ts';
import { formatSuggestion } from './nearest.ts';

/** Refuses unknown options: a misspelt `onFault` would turn a guard into an ordinary hook. */
export const expectKnown = (method: string, given: object, known: readonly string[]): void => {
  const key = Object.keys(given).find((name) => !known.includes(name));
  if (key === undefined) return;
  const message = `${method} does not take "${key}"${formatSuggestion(key, known) || `; it takes ${known.join(', ')}`}`;
  throw new HookwrightError('invalid_argument', message, { details: { method, key, known } });
};
