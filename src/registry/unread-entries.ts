import { describeValue, isRecord } from '../kit/index.ts';

/** Whether a hook among these turns its faults into refusals: its author counts on it. */
export const holdsGuard = (value: unknown): boolean => {
  try {
    if (Array.isArray(value)) return value.some(holdsGuard);
    return isRecord(value) && (value.onFault === 'deny' || value.verdict !== undefined || holdsGuard(value.hooks));
  } catch {
    return false;
  }
};

/** By what people would find an entry that could not be read. */
export const nameInside = (entry: unknown): string => {
  try {
    if (isRecord(entry) && typeof entry.name === 'string') return entry.name;
    if (isRecord(entry) && typeof entry.command === 'string') return entry.command;
  } catch {
    return 'unreadable entry';
  }
  return `unnamed entry (${describeValue(entry)})`;
};
