import { hookEventNames, isBudget, isHookEventName } from '../../events/index.ts';
import { describeValue, isRecord, suggestion } from '../../kit/index.ts';
import { millisecondsOf, placeOf } from '../../protocol/index.ts';
import type { SettingsDocument } from './document.ts';
import { MAX_UNKNOWN_KEYS } from './file-limits.ts';

const KEY = 'budgetMs';

/** What a file says the hooks of events may take; what cannot be used is left out and told. */
export const readBudgets = (document: SettingsDocument): ReadonlyMap<string, number> => {
  const budgets = new Map<string, number>();
  const read = document.read(KEY);
  if (read === undefined) return budgets;
  const { value: section } = read;
  const at = (path: string) => placeOf(section)?.positionOf(path) ?? document.positionOf(KEY);
  const mismatch = (path: string, expected: string, value: unknown, hint?: string): void => {
    const found = describeValue(value);
    const message = `${path} must be ${expected}, found ${found}${hint === undefined ? '' : `; ${hint}`}`;
    const more = hint === undefined ? {} : { hint };
    document.report({ code: 'invalid-value', skipped: true, path, message, expected, found, ...more }, at(path));
  };
  if (!isRecord(section)) {
    mismatch(KEY, 'an object of milliseconds by event', section);
    return budgets;
  }
  const entries = Object.entries(section);
  if (entries.length > MAX_UNKNOWN_KEYS) {
    const message = `${KEY} has ${entries.length} keys; at most ${MAX_UNKNOWN_KEYS} are read, the rest is left out`;
    document.report({ code: 'limit-reached', skipped: true, path: KEY, message }, document.positionOf(KEY), 'error');
  }
  for (const [eventName, value] of entries.slice(0, MAX_UNKNOWN_KEYS)) {
    const path = `${KEY}.${eventName}`;
    if (!isHookEventName(eventName)) {
      const message = `${path} is not an event${suggestion(eventName, hookEventNames)}`;
      document.report({ code: 'unknown-name', skipped: true, path, message }, at(path));
    } else if (isBudget(value)) {
      budgets.set(eventName, value);
    } else {
      const meant = typeof value === 'string' ? millisecondsOf(value) : undefined;
      mismatch(path, 'milliseconds over 0', value, meant === undefined ? undefined : `write ${meant}`);
    }
  }
  return budgets;
};
